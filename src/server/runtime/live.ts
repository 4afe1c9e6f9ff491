/**
 * A thread as a reader follows it: first on the bus, then the drafts, then what the log has after the cursor, then live.
 * No event is missed or sent twice; a reader that falls behind reads the log again.
 */
import type { Draft, LiveMessage } from '../../protocol/thread.ts'
import type { LogStore } from '../store/types.ts'
import type { Bus } from './bus.ts'

/** Events of one message while catching up. */
const pageEvents = 500

type LiveDeps = {
  bus: Bus
  log: Pick<LogStore, 'after' | 'head'>
  drafts(threadId: string): Promise<Draft[]>
}

export async function* follow(
  { bus, log, drafts }: LiveDeps,
  threadId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<LiveMessage> {
  const reader = bus.open(threadId)
  let last = after
  async function* catchUp(): AsyncGenerator<LiveMessage> {
    while (!signal.aborted) {
      const events = await log.after(threadId, last, pageEvents)
      const newest = events.at(-1)
      if (!newest) return
      last = newest.seq
      yield { type: 'events', events }
      if (events.length < pageEvents) return
    }
  }
  try {
    yield { type: 'ready', head: await log.head(threadId), drafts: await drafts(threadId) }
    yield* catchUp()
    while (!signal.aborted) {
      const { messages, behind } = await reader.take(signal)
      if (behind) {
        yield* catchUp()
        yield { type: 'ready', head: last, drafts: await drafts(threadId) }
      }
      for (const message of messages) {
        if (signal.aborted) return
        if (message.type !== 'events') {
          yield message
          continue
        }
        const fresh = message.events.filter((event) => event.seq > last)
        const first = fresh[0]
        if (!first) continue
        if (first.seq !== last + 1) {
          yield* catchUp()
          continue
        }
        last = fresh.at(-1)?.seq ?? last
        yield { type: 'events', events: fresh }
      }
    }
  } finally {
    reader.close()
  }
}
