'use client'
import { Box, GanttChart, PanelRight, PanelRightClose } from 'lucide-react'
import Link from 'next/link'
import { useEffect, useState } from 'react'
import { useConnection } from '../../client/connection.ts'
import { useChangeThread } from '../../client/query.ts'
import { useMay } from '../../client/thread-people.ts'
import { openPanel, panelBeside, setUi, useUi } from '../../client/ui-store.ts'
import { useThread } from '../../client/use-thread.ts'
import { useWindowNumber } from '../../client/use-windows.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { formatMoney } from '../../lib/format.ts'
import { visible } from '../../lib/visible.ts'
import { runningCommands } from '../../protocol/fold.ts'
import type { SandboxStatus } from '../../protocol/thread.ts'
import { HereNow } from '../share/here-now.tsx'
import { ShareButton } from '../share/share-button.tsx'
import { Bar } from '../shell/bar.tsx'
import { ThreadStateIcon } from '../shell/thread-state.tsx'
import { IconButton } from '../ui/button.tsx'
import { cn } from '../ui/cn.ts'
import { Shown } from '../ui/shown.tsx'
import { Dot, Skeleton } from '../ui/states.tsx'
import { Tip } from '../ui/tip.tsx'
import { useWide } from '../ui/use-wide.ts'
import { Clock } from './clock.tsx'

/** Title, project and the three badges: connection, turn, sandbox. Each says only what it knows. */
export function ThreadHeader() {
  const t = useTranslations('thread')
  const projection = useThread((state) => state.projection)
  const panelOpen = useUi((ui) => ui.panelOpen)
  const wide = useWide(panelBeside)
  useEffect(() => {
    if (projection) document.title = `${visible(projection.title) || t('untitled')} · Baton`
  }, [projection, t])
  return (
    <Bar>
      {projection === null ? (
        <Skeleton className="h-5 w-64" />
      ) : (
        <div className="min-w-0 flex-1">
          <div className="flex items-center gap-2">
            <Title threadId={projection.id} title={projection.title} />
            <TurnBadge />
          </div>
          <p className="flex items-center gap-1.5 truncate text-xs leading-4 text-faint">
            <span className="truncate">
              <Shown text={projection.projectName} />
            </span>
            {projection.costMicros !== null && projection.costMicros > 0 && (
              <>
                <span aria-hidden>·</span>
                <span className="tabular">{formatMoney(projection.costMicros)}</span>
              </>
            )}
            <WindowBadge />
            <SandboxBadge />
            <LinkBadge />
          </p>
        </div>
      )}
      {projection !== null && (
        <>
          <HereNow />
          <ShareButton title={projection.title || t('untitled')} />
        </>
      )}
      {projection !== null && (
        <Link
          href={`/threads/${projection.id}/rollout`}
          className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md px-2 text-xs text-soft hover:bg-hover hover:text-foreground"
        >
          <GanttChart aria-hidden className="size-4" />
          <span className="max-md:sr-only">{t('rollout')}</span>
        </Link>
      )}
      <IconButton
        label={panelOpen && wide ? t('hidePanel') : t('showPanel')}
        keys="]"
        aria-pressed={wide ? panelOpen : undefined}
        onClick={() => (wide ? setUi({ panelOpen: !panelOpen }) : setUi({ sheet: true }))}
      >
        {panelOpen && wide ? <PanelRightClose aria-hidden /> : <PanelRight aria-hidden />}
      </IconButton>
    </Bar>
  )
}

function Title({ threadId, title }: { threadId: string; title: string }) {
  const t = useTranslations('thread')
  const change = useChangeThread()
  const mayRename = useMay('owner')
  const [editing, setEditing] = useState(false)
  if (editing)
    return (
      <input
        ref={(input) => input?.focus()}
        defaultValue={title}
        maxLength={200}
        aria-label={t('titleLabel')}
        onBlur={(event) => {
          setEditing(false)
          const next = event.target.value.trim()
          if (next !== '' && next !== title) change.mutate({ type: 'rename', threadId, title: next })
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur()
          if (event.key === 'Escape') setEditing(false)
        }}
        className="h-6 min-w-0 flex-1 rounded border border-brand bg-background px-1.5 text-sm font-semibold focus:outline-none"
      />
    )
  return (
    <h1 className="min-w-0 truncate text-sm font-semibold">
      {mayRename ? (
        <button
          type="button"
          title={t('rename')}
          onClick={() => setEditing(true)}
          className="max-w-full truncate rounded"
        >
          {title === '' ? t('untitled') : <Shown text={title} />}
        </button>
      ) : title === '' ? (
        t('untitled')
      ) : (
        <Shown text={title} />
      )}
    </h1>
  )
}

function TurnBadge() {
  const t = useTranslations('threadStatus')
  const projection = useThread((state) => state.projection)
  if (projection === null || projection.status === 'idle') return null
  const { status, turnStartedAt } = projection
  return (
    <span
      data-turn={status}
      className={cn(
        'inline-flex shrink-0 items-center gap-1.5 text-xs',
        status === 'waiting_for_person' ? 'text-wait' : status === 'failed' ? 'text-bad' : 'text-brand',
      )}
    >
      <ThreadStateIcon thread={projection} />
      <span aria-hidden>{t(status)}</span>
      {turnStartedAt !== null && status === 'working' && <Clock since={turnStartedAt} />}
    </span>
  )
}

/** Which window the agent is in; leads to what fills it. */
function WindowBadge() {
  const t = useTranslations('windows')
  const number = useWindowNumber()
  const opened = useThread((state) => (state.view.window ?? state.projection?.contextTokens ?? null) !== null)
  if (number === null || !opened) return null
  return (
    <>
      <span aria-hidden>·</span>
      <button
        type="button"
        aria-label={t('inHeaderLabel', { number })}
        onClick={() => openPanel('window', { windowShown: null })}
        className="shrink-0 rounded tabular hover:text-foreground"
      >
        {t('inHeader', { number })}
      </button>
    </>
  )
}

const sandboxColour: Record<SandboxStatus, string> = {
  absent: 'bg-line-strong',
  starting: 'bg-brand',
  ready: 'bg-good',
  busy: 'bg-brand',
  idle: 'bg-good',
  stopping: 'bg-line-strong',
  stopped: 'bg-line-strong',
  lost: 'bg-bad',
}

function SandboxBadge() {
  const t = useTranslations('sandbox')
  const status = useThread((state): SandboxStatus => {
    const known = state.projection?.sandbox ?? 'absent'
    const idle = known === 'ready' || known === 'idle'
    return idle && state.version >= 0 && runningCommands(state.view).length > 0 ? 'busy' : known
  })
  return (
    <Tip label={t(`explain.${status}`)} side="bottom">
      <span data-sandbox={status} className="ml-1 inline-flex shrink-0 items-center gap-1">
        <Box aria-hidden className="size-3" />
        <Dot className={cn('size-1.5', sandboxColour[status])} moving={status === 'starting'} />
        {t(`status.${status}`)}
      </span>
    </Tip>
  )
}

/** The connection, only when it is not what one expects. */
function LinkBadge() {
  const t = useTranslations('connection')
  const status = useConnection((connection) => connection.status)
  const behind = useThread(
    (state) => state.version >= 0 && state.phase === 'open' && state.view.lastSeq < state.target,
  )
  if (status === 'live' && !behind) return null
  return (
    <span className={cn('ml-1 inline-flex shrink-0 items-center gap-1', status === 'offline' && 'text-wait')}>
      <Dot moving className={cn('size-1.5', status === 'offline' ? 'bg-wait' : 'bg-brand')} />
      {status === 'live' ? t('catching_up') : t(status)}
    </span>
  )
}
