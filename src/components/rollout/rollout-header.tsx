'use client'
import { LayoutDashboard, MessagesSquare, Search } from 'lucide-react'
import Link from 'next/link'
import { useFormatter } from 'next-intl'
import { useEffect } from 'react'
import { useConnection } from '../../client/connection.ts'
import { useRollout, useRolloutStore } from '../../client/use-rollout.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { useDuration } from '../../i18n/units.ts'
import { formatMoney } from '../../lib/format.ts'
import { visible } from '../../lib/visible.ts'
import { Bar } from '../shell/bar.tsx'
import { IconButton } from '../ui/button.tsx'
import { Shown } from '../ui/shown.tsx'
import { Dot, Skeleton } from '../ui/states.tsx'
import { useFindStore } from './find/use-find.ts'
import { MoreActions } from './more-actions.tsx'
import { RolloutActions } from './slots.tsx'

/** Whose rollout it is, its sums, and what can be done with it. */
export function RolloutHeader() {
  const t = useTranslations('rollout')
  const durationOf = useDuration()
  const untitled = useTranslations('thread')('untitled')
  const format = useFormatter()
  const store = useRolloutStore()
  const find = useFindStore()
  const threadId = useRollout((state) => state.threadId)
  const skeleton = useRollout((state) => state.skeleton)
  const selected = useRollout((state) => state.selected !== null)
  const title = skeleton?.title || untitled
  const running = skeleton?.turns.flag.at(-1) === 2 && skeleton.head === skeleton.logHead
  const tokens = skeleton === null ? 0 : skeleton.totals.usage.input + skeleton.totals.usage.output
  const workedMs = skeleton === null ? 0 : skeleton.totals.modelMs + skeleton.totals.toolMs
  useEffect(() => {
    if (skeleton !== null) document.title = `${t('titleOf', { title: visible(title) })} · Baton`
  }, [skeleton, title, t])
  return (
    <Bar>
      {skeleton === null ? (
        <Skeleton className="h-5 w-64" />
      ) : (
        <div className="min-w-0 flex-1">
          <div className="flex items-center gap-2">
            <h1 className="min-w-0 truncate text-sm font-semibold">
              <Shown text={title} />
            </h1>
            <span className="shrink-0 rounded border border-line px-1 text-2xs text-faint max-md:hidden">
              {t('title')}
            </span>
            {running && (
              <span className="inline-flex shrink-0 items-center gap-1.5 text-xs text-brand">
                <Dot moving className="size-1.5 bg-brand" />
                {t('live')}
              </span>
            )}
          </div>
          <p className="flex gap-1.5 truncate text-xs leading-4 text-faint tabular">
            <span>{t('turns', { count: skeleton.totals.turns })}</span>
            <span aria-hidden>·</span>
            <span>{t('steps', { count: skeleton.totals.steps })}</span>
            {tokens > 0 && (
              <>
                <span aria-hidden className="max-md:hidden">
                  ·
                </span>
                <span className="max-md:hidden">{t('tokens', { tokens: format.number(tokens) })}</span>
              </>
            )}
            {skeleton.totals.costMicros !== null && (
              <>
                <span aria-hidden>·</span>
                <span>{formatMoney(skeleton.totals.costMicros)}</span>
              </>
            )}
            {workedMs > 0 && (
              <>
                <span aria-hidden className="max-md:hidden">
                  ·
                </span>
                <span className="max-md:hidden">{durationOf(workedMs)}</span>
              </>
            )}
            {skeleton.head < skeleton.logHead && <span className="text-brand">{t('catchingUp')}</span>}
            <Offline />
          </p>
        </div>
      )}
      <RolloutActions threadId={threadId} />
      <span className="max-md:hidden">
        <IconButton
          label={t('overviewButton')}
          keys="o"
          aria-pressed={!selected}
          onClick={() => store.leave()}
        >
          <LayoutDashboard aria-hidden />
        </IconButton>
      </span>
      <IconButton label={t('findButton')} keys="/" onClick={() => find.show()}>
        <Search aria-hidden />
      </IconButton>
      <Link
        href={`/threads/${threadId}`}
        className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md px-2 text-xs text-soft hover:bg-hover hover:text-foreground max-md:hidden"
      >
        <MessagesSquare aria-hidden className="size-4" />
        {t('toThread')}
      </Link>
      <span className="md:hidden">
        <MoreActions threadId={threadId} />
      </span>
    </Bar>
  )
}

function Offline() {
  const t = useTranslations('connection')
  const status = useConnection((connection) => connection.status)
  if (status === 'live') return null
  return <span className={status === 'offline' ? 'text-wait' : ''}>{t(status)}</span>
}
