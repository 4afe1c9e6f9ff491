'use client'
import { useState } from 'react'
import type { Json } from '../../../client/rollout-text.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { useDuration } from '../../../i18n/units.ts'
import type { ThreadEvent } from '../../../protocol/event.ts'
import { Chevron } from '../../ui/chevron.tsx'
import { cn } from '../../ui/cn.ts'
import { Shown } from '../../ui/shown.tsx'
import { At } from '../../ui/time.tsx'
import { JsonView } from '../body/json-view.tsx'

/** What an event says, in a line, where its body has words for it. */
function wordsOf(event: ThreadEvent, durationOf: (ms: number) => string): string {
  switch (event.type) {
    case 'step.retried':
      return `${event.body.error.message} (${event.body.attempt}, ${durationOf(event.body.waitMs)})`
    case 'step.failed':
    case 'step.cut':
    case 'turn.failed':
    case 'turn.limited':
    case 'checkpoint.failed':
    case 'sandbox.lost':
      return event.body.error.message
    case 'turn.interrupted':
      return event.body.reason
    case 'command.started':
      return event.body.command
    case 'command.exited':
      return (
        event.body.signal ?? (event.body.exitCode === null ? event.body.status : String(event.body.exitCode))
      )
    case 'checkpoint.created':
      return `+${event.body.additions} −${event.body.deletions}`
    case 'approval.requested':
      return event.body.action
    case 'approval.resolved':
      return event.body.decision
    case 'egress.denied':
      return `${event.body.host}:${event.body.port}`
    case 'sandbox.starting':
    case 'sandbox.stopped':
      return event.body.why
    case 'server.restarted':
      return [...event.body.resumed, ...event.body.repeated, ...event.body.abandoned].join(', ')
    case 'note.written':
      return event.body.path
    default:
      return ''
  }
}

/** An event of the log: its type, its words, and all of it when opened. */
export function EventLine({ event, raw = false }: { event: ThreadEvent; raw?: boolean }) {
  const t = useTranslations('rollout.event')
  const durationOf = useDuration()
  const [open, setOpen] = useState(false)
  const bad = /failed|cut|lost|denied|retried/.test(event.type)
  return (
    <div className="min-w-0">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex h-7 w-full min-w-0 items-center gap-2 rounded-md px-1 text-left text-xs row-hover"
      >
        <Chevron open={open} />
        <code className={cn('shrink-0', bad ? 'text-bad' : 'text-soft')}>{event.type}</code>
        <span className="min-w-0 flex-1 truncate text-soft">
          <Shown text={wordsOf(event, durationOf)} />
        </span>
        {raw && <span className="text-faint tabular">{t('seq', { seq: event.seq })}</span>}
        <At at={event.at} className="shrink-0 text-faint" />
      </button>
      {open && <JsonView value={event as unknown as Json} />}
    </div>
  )
}
