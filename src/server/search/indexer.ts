/**
 * Keeps the index close behind the logs: one thread after the other, in batches, when a thread is quiet or far ahead.
 * Nobody waits for it, since a search looks through the rest itself.
 */
import type { Log } from '../log.ts'
import { batchesAfter } from './docs.ts'
import type { SearchSource } from './search.ts'

const tickMs = 2_000
/**
 * A thread that wrote nothing for so long is indexed, as while a model thinks; one that is never quiet once it is this
 * many commits ahead, which a search looks through in a tenth of a second.
 */
const quietMs = 4_000
const manyCommits = 2_000

export type Indexer = {
  /** The thread's log grew. */
  changed(threadId: string): void
  /** Indexes everything that is there now. */
  catchUp(threadId: string): Promise<void>
  start(): void
  stop(): Promise<void>
}

export const createIndexer = (source: SearchSource, log: Log): Indexer => {
  const waiting = new Map<string, { changedAt: number; commits: number }>()
  let stopping = false
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | null = null

  const catchUp = async (threadId: string): Promise<void> => {
    let mark = await source.search.mark(threadId)
    for await (const { upTo, docs } of batchesAfter(source, threadId, mark)) {
      // Somebody else indexes the same thread: theirs is as good.
      if (!(await source.search.add(threadId, mark, upTo, docs))) return
      mark = upTo
      if (stopping) return
    }
  }

  const tick = async (): Promise<void> => {
    const before = Date.now() - quietMs
    for (const [threadId, { changedAt, commits }] of waiting) {
      if (stopping) return
      if (changedAt > before && commits < manyCommits) continue
      waiting.delete(threadId)
      await catchUp(threadId).catch((error: unknown) =>
        log.warn('a thread could not be indexed; the next change tries again', { threadId, error }),
      )
    }
  }

  const readBacklog = async (): Promise<void> => {
    for (const { threadId } of await source.search.behind())
      if (!waiting.has(threadId)) waiting.set(threadId, { changedAt: 0, commits: 0 })
  }

  const schedule = (): void => {
    timer = setTimeout(() => {
      running = tick().finally(() => {
        if (!stopping) schedule()
      })
    }, tickMs)
    timer.unref()
  }

  return {
    changed: (threadId) => {
      const known = waiting.get(threadId)
      if (known) {
        known.changedAt = Date.now()
        known.commits += 1
      } else waiting.set(threadId, { changedAt: Date.now(), commits: 1 })
    },
    catchUp,
    start: () => {
      running = readBacklog().catch((error: unknown) =>
        log.warn('what waits for the index could not be read', { error }),
      )
      schedule()
    },
    stop: async () => {
      stopping = true
      if (timer) clearTimeout(timer)
      await running
    },
  }
}
