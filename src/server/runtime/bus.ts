/**
 * From writers to whoever watches a thread, within one process. Deltas may be lossy, events never are: a reader that
 * falls too far behind is told to read the log again. Knows no socket.
 */
import type { ItemDelta, ThreadEvent } from '../../protocol/event.ts'
import type { LiveMessage, ThreadProjection } from '../../protocol/thread.ts'

/** While the last send is younger than this, deltas merge. */
const mergeMs = 8
/** With many readers at once they merge for longer. */
const manyReaders = 50
const mergeManyMs = 40
/** Beyond these a reader is too slow: its deltas are dropped, or it reads the log again. */
const maxDeltaChars = 512 * 1_024
const maxEvents = 2_000

export type Reader = {
  /** Waits for something to send. `behind` = events were dropped here: read the log from the last one that was sent. */
  take(signal: AbortSignal): Promise<{ messages: LiveMessage[]; behind: boolean }>
  close(): void
}

export type Bus = {
  events(threadId: string, events: ThreadEvent[]): void
  delta(delta: ItemDelta): void
  projection(projection: ThreadProjection): void
  open(threadId: string): Reader
  readers(threadId: string): number
}

/** Adds a delta to those that wait: text that follows the last piece of its part joins it. */
export const mergeDelta = (deltas: ItemDelta[], delta: ItemDelta): void => {
  const last = deltas.at(-1)
  const follows =
    last !== undefined &&
    last.itemId === delta.itemId &&
    last.part === delta.part &&
    (last.part === 'output'
      ? last.nextOffset === delta.offset
      : last.offset + last.text.length === delta.offset)
  if (!follows) {
    deltas.push({ ...delta })
    return
  }
  last.text += delta.text
  if (delta.nextOffset !== undefined) last.nextOffset = delta.nextOffset
}

type Inner = Reader & {
  pushEvents(events: ThreadEvent[]): void
  pushDelta(delta: ItemDelta): void
  pushProjection(projection: ThreadProjection): void
}

const createReader = (mergeFor: () => number, onClose: () => void): Inner => {
  let out: LiveMessage[] = []
  let events = 0
  let deltaChars = 0
  let behind = false
  let sentAt = Number.NEGATIVE_INFINITY
  let wake: (() => void) | null = null
  let timer: NodeJS.Timeout | null = null

  const wakeNow = (): void => {
    if (timer) clearTimeout(timer)
    timer = null
    wake?.()
    wake = null
  }
  const wakeLater = (): void => {
    if (!wake || timer) return
    const wait = sentAt + mergeFor() - performance.now()
    if (wait <= 0) wakeNow()
    else timer = setTimeout(wakeNow, Math.ceil(wait))
  }
  const hasMore = (): boolean => out.length > 0 || behind

  return {
    pushEvents: (added) => {
      events += added.length
      if (events > maxEvents) {
        // What was dropped stands in the log.
        behind = true
        out = out.filter((message) => message.type === 'projection').slice(-1)
        events = 0
        deltaChars = 0
      } else if (!behind) {
        const last = out.at(-1)
        if (last?.type === 'events') last.events.push(...added)
        else out.push({ type: 'events', events: [...added] })
      }
      wakeNow()
    },
    pushDelta: (delta) => {
      deltaChars += delta.text.length
      if (deltaChars > maxDeltaChars) {
        out = out.filter((message) => message.type !== 'deltas')
        deltaChars = delta.text.length
      }
      const last = out.at(-1)
      if (last?.type === 'deltas') mergeDelta(last.deltas, delta)
      else out.push({ type: 'deltas', deltas: [{ ...delta }] })
      wakeLater()
    },
    pushProjection: (projection) => {
      out = out.filter((message) => message.type !== 'projection')
      out.push({ type: 'projection', projection })
      wakeLater()
    },
    take: async (signal) => {
      if (!hasMore() || performance.now() < sentAt + mergeFor()) {
        const onAbort = (): void => wakeNow()
        signal.addEventListener('abort', onAbort, { once: true })
        await new Promise<void>((resolve) => {
          wake = resolve
          if (signal.aborted) wakeNow()
          else if (out.some((message) => message.type === 'events') || behind) wakeNow()
          else if (hasMore()) wakeLater()
        })
        signal.removeEventListener('abort', onAbort)
      }
      const taken = { messages: out, behind }
      out = []
      events = 0
      deltaChars = 0
      behind = false
      sentAt = performance.now()
      return taken
    },
    close: () => {
      wakeNow()
      onClose()
    },
  }
}

export const createBus = (): Bus => {
  const topics = new Map<string, Set<Inner>>()
  let total = 0
  const mergeFor = (): number => (total > manyReaders ? mergeManyMs : mergeMs)
  const each = (threadId: string, act: (reader: Inner) => void): void => {
    for (const reader of topics.get(threadId) ?? []) act(reader)
  }
  return {
    events: (threadId, events) => {
      if (events.length > 0) each(threadId, (reader) => reader.pushEvents(events))
    },
    delta: (delta) => each(delta.threadId, (reader) => reader.pushDelta(delta)),
    projection: (projection) => each(projection.id, (reader) => reader.pushProjection(projection)),
    open: (threadId) => {
      const readers = topics.get(threadId) ?? new Set<Inner>()
      topics.set(threadId, readers)
      const reader = createReader(mergeFor, () => {
        if (!readers.delete(reader)) return
        total -= 1
        if (readers.size === 0 && topics.get(threadId) === readers) topics.delete(threadId)
      })
      readers.add(reader)
      total += 1
      return reader
    },
    readers: (threadId) => topics.get(threadId)?.size ?? 0,
  }
}
