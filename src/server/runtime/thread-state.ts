/**
 * The derived state of a thread: one event further. Pure; what lists read and what a thread opens with comes from here.
 */
import { addUsage, type ThreadEvent, type Usage } from '../../protocol/event.ts'
import type { Item } from '../../protocol/item.ts'
import type { ThreadState } from '../store/types.ts'
import { nextLandmarks } from './landmarks.ts'

/** Characters of the last message that a list shows. */
const lastLineChars = 160

const isNothing = (usage: Usage): boolean => usage.input === 0 && usage.output === 0

/** A sum that holds an unknown price is unknown, but a request that used nothing costs nothing. */
const addCost = (total: number | null, cost: number | null, usage: Usage): number | null =>
  total === null || (cost === null && !isNothing(usage)) ? null : total + (cost ?? 0)

/** The first words of a text on one line. */
export const firstLine = (text: string, limit: number): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= limit
    ? line
    : `${line
        .slice(0, limit - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`
}

const lineOf = (item: Item): string | null => {
  if (item.type === 'agent_message') return item.text.text
  if (item.type !== 'user_message' || item.actorId === 'system') return null
  const words = item.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const names = item.content.flatMap((part) => (part.type === 'text' ? [] : [part.name ?? part.type]))
  return words.length > 0 ? words.join(' ') : names.join(', ')
}

const spend = (state: ThreadState, usage: Usage, costMicros: number | null): Partial<ThreadState> => ({
  usage: addUsage(state.usage, usage),
  costMicros: addCost(state.costMicros, costMicros, usage),
})

/** What a turn leaves behind: the queue goes on, a failure stays visible until the next turn. */
const atRest = (state: ThreadState, status: 'idle' | 'failed'): Partial<ThreadState> => ({
  turnId: null,
  turnStartedAt: null,
  status: state.status === 'closed' ? 'closed' : state.queued > 0 ? 'queued' : status,
})

/** A document that is written between turns keeps the thread at work all the same. */
const isAtRest = ({ turnId }: ThreadEvent): boolean => turnId === undefined

const change = (state: ThreadState, event: ThreadEvent): Partial<ThreadState> => {
  switch (event.type) {
    case 'thread.created':
    case 'thread.settings_changed':
      return { settings: event.body.settings }
    case 'thread.closed':
      return { status: 'closed' }
    case 'turn.started':
      return {
        status: 'working',
        turnId: event.turnId ?? null,
        turnStartedAt: event.at,
        turns: state.turns + 1,
        lastError: null,
      }
    case 'turn.completed':
    case 'turn.interrupted':
      return atRest(state, 'idle')
    case 'turn.limited':
      return { ...atRest(state, 'idle'), lastError: event.body.error }
    case 'turn.failed':
      return { ...atRest(state, 'failed'), lastError: event.body.error }
    case 'queue.changed': {
      const queued = event.body.queue.length
      if (queued > 0) return { queued, status: state.turnId === null ? 'queued' : state.status }
      return { queued, status: state.status === 'queued' ? 'idle' : state.status }
    }
    case 'approval.requested':
    case 'input.requested':
      return state.turnId === null ? {} : { status: 'waiting_for_person' }
    case 'approval.resolved':
    case 'input.resolved':
      return state.status === 'waiting_for_person' ? { status: 'working' } : {}
    case 'window.opened':
      return {
        windowId: event.windowId,
        windowIndex: event.body.index,
        ...(event.body.limitTokens === undefined
          ? {}
          : { contextTokens: event.body.tokens, contextLimit: event.body.limitTokens }),
      }
    case 'window.pinned': {
      const { itemId, pinned } = event.body
      const others = state.pinnedItems.filter((id) => id !== itemId)
      return { pinnedItems: pinned ? [...others, itemId] : others }
    }
    case 'step.started':
      return { steps: state.steps + 1, ...(isAtRest(event) ? { status: 'working' } : {}) }
    case 'step.completed': {
      const { usage, costMicros, contextTokens, contextLimit } = event.body
      const rest = isAtRest(event) ? atRest(state, 'idle') : {}
      return { ...spend(state, usage, costMicros), contextTokens, contextLimit, ...rest }
    }
    case 'step.cut':
    case 'step.failed':
      return {
        ...spend(state, event.body.usage, event.body.costMicros),
        ...(isAtRest(event) ? atRest(state, 'idle') : {}),
      }
    case 'item.completed': {
      const line = lineOf(event.body.item)
      return line === null || line === '' ? {} : { lastLine: firstLine(line, lastLineChars) }
    }
    case 'sandbox.starting':
      return { sandbox: 'starting' }
    case 'sandbox.ready':
      return { sandbox: 'ready' }
    case 'sandbox.stopped':
      return { sandbox: 'stopped' }
    case 'sandbox.lost':
      return { sandbox: 'lost' }
    case 'checkpoint.created': {
      const { additions, deletions, fileCount } = event.body
      return { additions, deletions, filesChanged: fileCount }
    }
    default:
      return {}
  }
}

/** The state after `event`, which must be the next one. */
export const nextState = (state: ThreadState, event: ThreadEvent): ThreadState => ({
  ...state,
  ...change(state, event),
  landmarks: nextLandmarks(state.landmarks, event),
  head: event.seq,
  updatedAt: event.at,
})
