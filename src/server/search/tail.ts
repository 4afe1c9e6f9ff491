/**
 * The newest events of threads, which the index does not have yet: looked through one by one, with a bound on how much,
 * and on what it costs. Which threads were not looked through to their end is counted.
 */
import type { EntryFilter, SearchDoc, SearchQuery } from '../store/types.ts'
import { type Batch, batchesAfter } from './docs.ts'
import type { SearchSource } from './search.ts'

/** Threads of an owner whose tails are looked through; the index follows within seconds. */
const tailsAtOnce = 20
/** What one answer looks through at most, in all its threads: half a second's work. */
const maxEvents = 8_000
const maxChars = 8_000_000
/** Events that are read in their order, before those that came earlier. */
const partEvents = 2_000

const fits = (doc: SearchDoc, filter: EntryFilter): boolean =>
  (['agentPath', 'windowId', 'role', 'tool', 'status'] as const).every(
    (name) => filter[name] === undefined || doc[name] === filter[name],
  )

const tailsOf = async (source: SearchSource, { scope }: SearchQuery) =>
  scope.type === 'thread'
    ? [{ threadId: scope.threadId, mark: await source.search.mark(scope.threadId) }]
    : source.search.behind(scope.userId)

/** What is written now is found at once, however far the index is behind: the newest part of a tail comes first. */
async function* tailOf(
  source: SearchSource,
  threadId: string,
  mark: number,
  recentFirst: boolean,
): AsyncGenerator<Batch> {
  if (!recentFirst) {
    yield* batchesAfter(source, threadId, mark)
    return
  }
  for (let to = Number.POSITIVE_INFINITY; to > mark; ) {
    const end = Number.isFinite(to) ? to : await source.log.head(threadId)
    const from = Math.max(mark, end - partEvents)
    for await (const batch of batchesAfter(source, threadId, from)) {
      yield batch
      if (batch.upTo >= to) break
    }
    to = from
  }
}

export type Tails = {
  /** What fits, one document per event. */
  docs: SearchDoc[]
  /** Up to where the threads are indexed; others are so to their end. */
  marks: Map<string, number>
  /** Threads that were not looked through to their end. */
  unread: number
}

export const readTails = async (source: SearchSource, query: SearchQuery): Promise<Tails> => {
  const found = new Map<string, SearchDoc>()
  const marks = new Map<string, number>()
  let events = 0
  let chars = 0
  let unread = 0
  const tails = await tailsOf(source, query)
  for (const [place, { threadId, mark }] of tails.entries()) {
    marks.set(threadId, mark)
    if (place >= tailsAtOnce) {
      unread += 1
      continue
    }
    for await (const batch of tailOf(source, threadId, mark, query.recentFirst)) {
      if (events >= maxEvents || chars >= maxChars) {
        unread += 1
        break
      }
      events += batch.events
      chars += batch.docs.reduce((sum, { text }) => sum + text.length, 0)
      const asked = batch.docs.filter((doc) => fits(doc, query))
      const has =
        query.mode === 'literal'
          ? asked.map(({ text }) => text.includes(query.text))
          : await source.search.matches(
              query.text,
              asked.map(({ text }) => text),
            )
      asked.forEach((doc, index) => {
        const key = `${threadId} ${doc.seq}`
        if (has[index] && !found.has(key)) found.set(key, doc)
      })
    }
  }
  return { docs: [...found.values()], marks, unread }
}
