/** Which ops an event of a thread settles (they are taken out of its context), and how its log tells news of its sandbox. */
import type { NewEvent } from '../../protocol/event.ts'
import type { SandboxNews } from '../sandbox/types.ts'
import type { OpChange } from '../store/types.ts'
import type { ThreadContext } from './context.ts'

const turnEnds = new Set<NewEvent['type']>([
  'turn.completed',
  'turn.interrupted',
  'turn.failed',
  'turn.limited',
])

/** The ops that an event settles. */
export const settledBy = (context: ThreadContext, event: NewEvent): OpChange[] => {
  const applied = (opId: string): OpChange => ({ opId, status: 'applied' })
  if (event.type === 'turn.started') return event.body.opId === undefined ? [] : [applied(event.body.opId)]
  if (event.type === 'item.completed' || event.type === 'item.started') {
    const { item } = event.body
    return item.type === 'user_message' && item.opId !== undefined ? [applied(item.opId)] : []
  }
  if (event.type === 'input.resolved') {
    const opId = context.answered.get(event.body.itemId)
    context.answered.delete(event.body.itemId)
    return opId === undefined ? [] : [applied(opId)]
  }
  if (event.type === 'window.opened')
    return event.body.reason !== 'person'
      ? []
      : context.windowOps.splice(0).map(({ clientId }) => applied(clientId))
  return turnEnds.has(event.type) ? context.interrupts.splice(0).map(applied) : []
}

export const sandboxEvent = (windowId: string, news: SandboxNews): NewEvent => {
  const base = { windowId, actorId: 'system' as const }
  const { sandboxId } = news
  switch (news.type) {
    case 'starting':
      return { ...base, type: 'sandbox.starting', body: { sandboxId, image: news.image, why: news.why } }
    case 'ready':
      return {
        ...base,
        type: 'sandbox.ready',
        body: { sandboxId, fromPool: news.fromPool, durationMs: Math.round(news.durationMs) },
      }
    case 'stopped':
      return { ...base, type: 'sandbox.stopped', body: { sandboxId, why: news.why } }
    case 'lost':
      return {
        ...base,
        type: 'sandbox.lost',
        body: {
          sandboxId,
          error: {
            code: 'sandbox_lost',
            message: news.message,
            next: 'The next command starts a new container with the files of the last checkpoint.',
          },
        },
      }
  }
}
