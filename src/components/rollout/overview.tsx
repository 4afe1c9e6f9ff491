'use client'
import { useFormatter } from 'next-intl'
import type { ReactNode } from 'react'
import { useRolloutStore } from '../../client/use-rollout.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { useDuration } from '../../i18n/units.ts'
import { formatMoney } from '../../lib/format.ts'
import type { RolloutSkeleton } from '../../protocol/rollout.ts'
import { cn } from '../ui/cn.ts'
import { Shown } from '../ui/shown.tsx'
import { Charts } from './charts/charts.tsx'
import { RowIcon } from './list/row-icon.tsx'

/** Signs that are listed; the others are in the lane and in the list. */
const shownMarks = 40

/** The rollout as a whole: sums, charts, what is worth looking at. */
export function Overview({ skeleton }: { skeleton: RolloutSkeleton }) {
  const t = useTranslations('rollout.overview')
  return (
    <section
      aria-label={t('label')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
      className="h-full overflow-y-auto px-5 py-4 pb-10 focus-visible:-outline-offset-2"
      data-testid="rollout-overview"
    >
      <Sums skeleton={skeleton} />
      <div className="pt-5">
        <Charts skeleton={skeleton} />
      </div>
      <Marks skeleton={skeleton} />
      <Counts skeleton={skeleton} />
    </section>
  )
}

function Sums({ skeleton }: { skeleton: RolloutSkeleton }) {
  const t = useTranslations('rollout.overview')
  const durationOf = useDuration()
  const format = useFormatter()
  const { totals, windows, models, imported } = skeleton
  const { usage } = totals
  const uncounted = totals.steps > 0 && usage.input + usage.output === 0
  const figures: [string, ReactNode, string?][] = [
    [t('turns'), format.number(totals.turns)],
    [t('steps'), format.number(totals.steps)],
    [t('windows'), format.number(windows.length)],
    [
      t('input'),
      uncounted ? t('unknown') : format.number(usage.input),
      usage.input > 0 ? t('cached', { percent: Math.round((usage.cachedInput / usage.input) * 100) }) : '',
    ],
    [
      t('output'),
      uncounted ? t('unknown') : format.number(usage.output),
      usage.reasoning > 0 ? t('thought', { tokens: format.number(usage.reasoning) }) : '',
    ],
    [t('cost'), totals.costMicros === null ? t('unknown') : formatMoney(totals.costMicros)],
    [
      t('worked'),
      totals.modelMs + totals.toolMs === 0 ? t('unknown') : durationOf(totals.modelMs + totals.toolMs),
    ],
    [
      t('errors'),
      format.number(totals.errors),
      totals.retries > 0 ? t('retries', { count: totals.retries }) : '',
    ],
    [
      t('changed'),
      // What was read from a file has no checkpoints that could say so.
      imported !== null && totals.filesChanged === 0
        ? t('unknown')
        : t('files', { count: totals.filesChanged }),
      totals.additions + totals.deletions > 0 ? `+${totals.additions} −${totals.deletions}` : '',
    ],
  ]
  return (
    <>
      <dl className="grid grid-cols-[repeat(auto-fill,minmax(112px,1fr))] gap-x-6 gap-y-3">
        {figures.map(([name, value, more]) => (
          <div key={name} className="min-w-0">
            <dt className="text-xs text-faint">{name}</dt>
            <dd className="truncate text-[15px] font-medium tabular">{value}</dd>
            {more && <dd className="truncate text-2xs text-faint tabular">{more}</dd>}
          </div>
        ))}
      </dl>
      <p className="pt-3 text-xs text-soft wrap-anywhere">
        <Shown text={models.join(', ')} />
        {imported !== null && (
          <>
            {models.length > 0 && ' · '}
            {t('imported', { format: imported.format, file: imported.fileName })}
          </>
        )}
      </p>
    </>
  )
}

/** Errors, hand-overs, waits, limits, restarts: the places one looks for. */
function Marks({ skeleton }: { skeleton: RolloutSkeleton }) {
  const t = useTranslations('rollout.overview')
  const kinds = useTranslations('rollout.timeline.marks')
  const store = useRolloutStore()
  const { notable, notableTotal } = skeleton
  if (notable.length === 0) return null
  return (
    <section className="pt-6">
      <h2 className="pb-1 text-xs font-medium">
        {t('marks')} <span className="font-normal text-faint tabular">{notableTotal}</span>
      </h2>
      <ul>
        {notable.slice(0, shownMarks).map((mark) => (
          <li key={`${mark.idx}:${mark.seq}`}>
            <button
              type="button"
              onClick={() => void store.go({ idx: mark.idx }, { push: true })}
              className="flex h-7 w-full items-center gap-2 rounded-md px-1.5 text-left text-[13px] row-hover"
            >
              <span className="[&_svg]:size-3.5">
                <RowIcon row={{ kind: 'marker', name: mark.type, status: 'none' }} />
              </span>
              <span className={cn('w-24 shrink-0', mark.type === 'error' ? 'text-bad' : 'text-soft')}>
                {kinds(mark.type)}
              </span>
              <span className="min-w-0 flex-1 truncate">
                <Shown text={mark.label} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** How many of each tool and each event there are; a tool's name filters the list by it. */
function Counts({ skeleton }: { skeleton: RolloutSkeleton }) {
  const t = useTranslations('rollout.overview')
  const format = useFormatter()
  const store = useRolloutStore()
  const tools = Object.entries(skeleton.counts.tools).sort((a, b) => b[1] - a[1])
  const most = tools[0]?.[1] ?? 1
  if (tools.length === 0) return null
  return (
    <section className="pt-6">
      <h2 className="pb-1 text-xs font-medium">{t('tools')}</h2>
      <ul className="max-w-xl">
        {tools.slice(0, 16).map(([tool, count]) => (
          <li key={tool}>
            <button
              type="button"
              onClick={() => store.setFilter({ kinds: ['tool'], tools: [tool] })}
              className="flex h-6 w-full items-center gap-3 rounded-md px-1.5 text-left text-xs row-hover"
            >
              <code className="w-40 shrink-0 truncate">
                <Shown text={tool} />
              </code>
              <span aria-hidden className="h-2 min-w-0 flex-1">
                <span
                  className="block h-full rounded-xs bg-line-strong"
                  style={{ width: `${(count / most) * 100}%` }}
                />
              </span>
              <span className="w-12 text-right text-faint tabular">{format.number(count)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
