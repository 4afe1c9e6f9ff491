/**
 * Appends of many threads share a commit: what arrives while one is under way goes out together with the next. Bounded:
 * who writes waits for a place. Knows neither what events mean nor who reads them.
 */
import { Fault } from '../../protocol/error.ts'
import type { LogStore, ThreadAppend } from '../store/types.ts'

/** Events that may wait; a writer beyond this waits for the next commit. */
const maxWaiting = 4_000
/** Events of one statement; more go into the next. */
const maxBatch = 1_000
const retryMs = 200
/** What nobody waits for may be stored so much later, together with what somebody does: under a frame of a screen. */
const lingerMs = 12

export type AppendQueue = {
  /**
   * Takes the append at once (order of calls is order of events). `place` resolves when the queue has room again,
   * `committed` when it is stored; both reject with `lease_lost` or the database's fault. `onCommitted` runs first, in order.
   * `lingers` = nobody waits for it: it goes out with the next that does, at the latest after 12 ms.
   */
  push(
    append: ThreadAppend,
    onCommitted: () => void,
    lingers?: boolean,
  ): { place: Promise<void>; committed: Promise<void> }
  /** Resolves when nothing waits. */
  drain(): Promise<void>
  /** Stops waiting for a database that is away: what is not stored is rejected. */
  close(): void
}

type Waiting = {
  append: ThreadAppend
  onCommitted: () => void
  resolve: () => void
  reject: (error: unknown) => void
}

const both = <T>(a: T[] | undefined, b: T[] | undefined): T[] => [...(a ?? []), ...(b ?? [])]

const joined = (first: ThreadAppend, next: ThreadAppend): ThreadAppend => ({
  threadId: first.threadId,
  fence: next.fence,
  events: [...first.events, ...next.events],
  state: next.state,
  ops: both(first.ops, next.ops),
  windows: both(first.windows, next.windows),
  blocks: both(first.blocks, next.blocks),
  steps: both(first.steps, next.steps),
  stepEnds: both(first.stepEnds, next.stepEnds),
  endedDrafts: both(first.endedDrafts, next.endedDrafts),
  blobs: both(first.blobs, next.blobs),
  refs: both(first.refs, next.refs),
})

/** One append for each thread, its parts in order. */
export const mergeByThread = (appends: ThreadAppend[]): ThreadAppend[] => {
  const merged = new Map<string, ThreadAppend>()
  for (const append of appends) {
    const before = merged.get(append.threadId)
    merged.set(append.threadId, before ? joined(before, append) : append)
  }
  return [...merged.values()]
}

const lost = (): Fault =>
  new Fault(
    'lease_lost',
    'Another server process has taken this thread over.',
    'Reload the page to follow it there.',
  )

const isAway = (error: unknown): boolean => error instanceof Fault && error.details?.away === true

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export const createAppendQueue = (log: Pick<LogStore, 'append'>, ownerId: () => string): AppendQueue => {
  let waiting: Waiting[] = []
  let count = 0
  let running = false
  /** Something that waits must go out now. */
  let due = false
  let lingering: NodeJS.Timeout | null = null
  let closed = false
  let roomFor: (() => void)[] = []
  let drained: (() => void)[] = []

  const takeBatch = (): Waiting[] => {
    let events = 0
    let end = 0
    for (const entry of waiting) {
      events += entry.append.events.length
      if (end > 0 && events > maxBatch) break
      end += 1
    }
    const batch = waiting.slice(0, end)
    waiting = waiting.slice(end)
    return batch
  }

  /** Stores one batch; a database that is away is waited for, since doing an append twice changes nothing. */
  const store = async (appends: ThreadAppend[]): Promise<Set<string>> => {
    for (;;) {
      try {
        return new Set((await log.append(ownerId(), appends)).lost)
      } catch (error) {
        if (closed || !isAway(error)) throw error
        await sleep(retryMs)
      }
    }
  }

  const settle = (entries: Waiting[], lostIds: ReadonlySet<string>): void => {
    for (const entry of entries) {
      if (lostIds.has(entry.append.threadId)) entry.reject(lost())
      else {
        entry.onCommitted()
        entry.resolve()
      }
    }
  }

  const write = async (batch: Waiting[]): Promise<void> => {
    const appends = mergeByThread(batch.map((entry) => entry.append))
    try {
      settle(batch, await store(appends))
    } catch (error) {
      if (appends.length === 1) {
        for (const entry of batch) entry.reject(error)
        return
      }
      // One thread's bad row must not harm the others: each by itself.
      for (const append of appends) {
        const own = batch.filter((entry) => entry.append.threadId === append.threadId)
        try {
          settle(own, await store([append]))
        } catch (failure) {
          for (const entry of own) entry.reject(failure)
        }
      }
    }
  }

  const run = async (): Promise<void> => {
    while (due) {
      const batch = takeBatch()
      due = waiting.length > 0
      await write(batch)
      count -= batch.reduce((sum, entry) => sum + entry.append.events.length, 0)
      if (count < maxWaiting) {
        for (const resolve of roomFor) resolve()
        roomFor = []
      }
    }
    running = false
    if (waiting.length > 0) linger()
    else {
      for (const resolve of drained) resolve()
      drained = []
    }
  }

  const start = (): void => {
    if (lingering) clearTimeout(lingering)
    lingering = null
    due = waiting.length > 0
    if (running || !due) return
    running = true
    // One turn of the event loop, so that what a runner writes in one go shares the commit.
    setImmediate(() => void run())
  }
  const linger = (): void => {
    lingering ??= setTimeout(start, lingerMs)
  }

  return {
    push: (append, onCommitted, lingers = false) => {
      const { promise: committed, resolve, reject } = Promise.withResolvers<void>()
      // Most writers never look: a lost lease is told to the thread's runner by its own way.
      committed.catch(() => undefined)
      waiting.push({ append, onCommitted, resolve, reject })
      count += append.events.length
      if (!lingers || count >= maxWaiting) start()
      else if (!running) linger()
      const place = count < maxWaiting ? Promise.resolve() : new Promise<void>((room) => roomFor.push(room))
      return { place, committed }
    },
    drain: () => {
      start()
      return running ? new Promise((resolve) => drained.push(resolve)) : Promise.resolve()
    },
    close: () => {
      closed = true
    },
  }
}
