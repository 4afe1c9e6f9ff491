/**
 * A thread as a reader follows it: first on the bus, then the drafts, then what the log has after the cursor, then live.
 * No event is missed or sent twice; a reader that falls behind reads the log again.
 */
import type { ThreadEvent } from '../../protocol/event.ts'
import type { Draft, LiveMessage } from '../../protocol/thread.ts'
import type { LogStore } from '../store/types.ts'
import type { Bus } from './bus.ts'

/** Events of one message while catching up. */
const pageEvents = 500
/** Bytes of a message, about. */
const messageBytes = 500_000

type LiveDeps = {
  bus: Bus
  log: Pick<LogStore, 'after' | 'head'>
  drafts(threadId: string): Promise<Draft[]>
}

/** The same events in messages of a size that a browser takes without a pause: one event at least in each. */
const inMessages = (events: ThreadEvent[]): ThreadEvent[][] => {
  const messages: ThreadEvent[][] = []
  let bytes = messageBytes
  for (const event of events) {
    const size = Buffer.byteLength(JSON.stringify(event))
    bytes += size
    if (bytes > messageBytes) {
      messages.push([])
      bytes = size
    }
    messages.at(-1)?.push(event)
  }
  return messages
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
      for (const some of inMessages(events)) yield { type: 'events', events: some }
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
