'use client'
import { useThread } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatClock } from '../../../lib/format.ts'
import { visible } from '../../../lib/visible.ts'
import type { StepView, ThreadView } from '../../../protocol/view.ts'
import { Dot } from '../../ui/states.tsx'
import { useTick } from '../clock.tsx'
import { useTurn } from './turn.tsx'

/** Calls of a turn that run now; they are among its last items. */
function runningTools(view: ThreadView, turnId: string): number {
  let count = 0
  for (const entry of view.timeline.slice(-40)) {
    const item = entry.turnId === turnId ? view.items.get(entry.key)?.item : undefined
    if (item?.type === 'tool_call' && item.state.status === 'running') count += 1
  }
  return count
}

/** The last line of a running turn: what is being waited for, and for how long. */
export function Working({ turnId }: { turnId: string }) {
  const t = useTranslations('working')
  const turn = useTurn(turnId)
  const now = useTick()
  const step = useThread((state): StepView | undefined => {
    if (state.version < 0) return undefined
    let last: StepView | undefined
    for (const candidate of state.view.steps.values())
      if (candidate.turnId === turnId && (last === undefined || candidate.seq > last.seq)) last = candidate
    return last
  })
  const stopping = useThread((state) => state.projection?.status === 'stopping')
  const sandbox = useThread((state) => state.view.sandbox?.value ?? state.projection?.sandbox)
  const tools = useThread((state) => (state.version < 0 ? 0 : runningTools(state.view, turnId)))
  const retry = step?.status?.value === 'running' ? step.retry?.value : undefined
  const waiting = turn?.status?.value === 'waiting'
  const words = stopping
    ? t('stopping')
    : waiting
      ? t('waiting')
      : retry !== undefined && retry.nextAt > now - 2_000
        ? t('retrying', {
            reason: visible(retry.error.message),
            seconds: Math.max(0, Math.ceil((retry.nextAt - now) / 1_000)),
            attempt: retry.attempt,
          })
        : sandbox === 'starting'
          ? t('sandbox')
          : tools > 0
            ? t('tools', { count: tools })
            : step?.status?.value === 'running'
              ? t('model')
              : t('working')
  return (
    <div role="status" className="flex h-8 items-center gap-2 px-2 text-xs text-soft" data-item="working">
      <Dot moving className={waiting ? 'bg-wait' : 'bg-brand'} />
      <span className="min-w-0 truncate">{words}</span>
      {turn?.startedAt !== undefined && (
        <span className="text-faint tabular">{formatClock(now - turn.startedAt)}</span>
      )}
    </div>
  )
}
