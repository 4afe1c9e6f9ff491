/**
 * Rows of thread lists as they change. A busy thread changes many times a second; a list hears of it a few times.
 */
import type { ThreadListChange, ThreadProjection } from '../../protocol/thread.ts'

/** Changes within this time are told together. */
const gatherMs = 100

export type ListFeed = {
  changed(threadId: string): void
  subscribe(signal: AbortSignal): AsyncIterable<ThreadListChange>
  close(): void
}

type FeedDeps = {
  /** Rows as they are now; threads that are gone are absent. */
  read(threadIds: string[]): Promise<ThreadProjection[]>
  /** Also tells whoever watches the thread itself. */
  onRow(projection: ThreadProjection): void
  onError(error: unknown): void
}

type Subscriber = { pending: Map<string, ThreadListChange>; wake: (() => void) | null }

export const createListFeed = ({ read, onRow, onError }: FeedDeps): ListFeed => {
  const subscribers = new Set<Subscriber>()
  const dirty = new Set<string>()
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()

  const tell = (threadId: string, change: ThreadListChange): void => {
    for (const subscriber of subscribers) {
      subscriber.pending.set(threadId, change)
      subscriber.wake?.()
    }
  }

  const flush = async (): Promise<void> => {
    const threadIds = [...dirty]
    dirty.clear()
    const rows = new Map((await read(threadIds)).map((row) => [row.id, row]))
    for (const threadId of threadIds) {
      const projection = rows.get(threadId)
      if (projection) onRow(projection)
      tell(threadId, projection ? { type: 'upsert', projection } : { type: 'removed', threadId })
    }
  }

  return {
    changed: (threadId) => {
      dirty.add(threadId)
      timer ??= setTimeout(() => {
        timer = null
        running = running.then(flush).catch(onError)
      }, gatherMs)
      timer.unref()
    },

    subscribe: async function* (signal) {
      const subscriber: Subscriber = { pending: new Map(), wake: null }
      subscribers.add(subscriber)
      const onAbort = (): void => subscriber.wake?.()
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        while (!signal.aborted) {
          if (subscriber.pending.size === 0) {
            await new Promise<void>((resolve) => {
              subscriber.wake = resolve
            })
            subscriber.wake = null
          }
          const changes = [...subscriber.pending.values()]
          subscriber.pending.clear()
          for (const change of changes) {
            if (signal.aborted) return
            yield change
          }
        }
      } finally {
        signal.removeEventListener('abort', onAbort)
        subscribers.delete(subscriber)
      }
    },

    close: () => {
      if (timer) clearTimeout(timer)
      timer = null
    },
  }
}
