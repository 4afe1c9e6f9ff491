/** What is written of things that a dead process left without an end. Pure. */
import { type EventBody, noUsage } from '../../protocol/event.ts'
import type { Item } from '../../protocol/item.ts'
import { fact } from './facts.ts'
import type { StepEnd } from './types.ts'

export const why = 'the server was restarted'

/** The item as it stands now, ended. */
export const endedByDeath = (item: Item, endedAt: number): Item => {
  switch (item.type) {
    case 'agent_message':
      return { ...item, cut: true }
    case 'tool_call':
      return { ...item, state: { status: 'interrupted', endedAt, reason: why, output: { text: '' } } }
    case 'question':
      return { ...item, withdrawn: true }
    default:
      return item
  }
}

export const stepEndedByDeath = (
  { stepId, startedAt }: { stepId: string; startedAt: number },
  now: number,
): { end: StepEnd; body: EventBody<'step.cut'> } => {
  const totalMs = Math.max(0, now - startedAt)
  const error = fact(
    'stream_cut',
    'The server was restarted while this step ran.',
    'Nothing to do: what was asked for goes on.',
  )
  return {
    body: { error, usage: noUsage, costMicros: null, totalMs },
    end: {
      stepId,
      status: 'cut',
      usage: noUsage,
      costMicros: null,
      firstTokenMs: null,
      totalMs,
      retries: 0,
      providerRequestId: null,
      stopReason: '',
      rawResponse: null,
    },
  }
}
