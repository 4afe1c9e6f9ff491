/**
 * Search over what threads said and did: the index, and the tail that is not in it yet, so that what was just written is
 * found. What the reader may not see is left out when it is read, whatever was indexed; what was not looked at is said.
 */
import { Fault } from '../../protocol/error.ts'
import {
  maxQueryChars,
  maxSearchCount,
  rankedEvents,
  type SearchAnswer,
  type SearchGap,
  type SearchHit,
  type SearchOrder,
} from '../../protocol/history.ts'
import { cleanText } from '../store/append.ts'
import type { EventPlace, SearchDoc, SearchPlace, SearchQuery, Store } from '../store/types.ts'
import { snippetOf } from './snippet.ts'
import { readTails } from './tail.ts'

export type SearchSource = Pick<Store, 'log' | 'history' | 'blobs' | 'search'>

/** The one rule, asked at each read: which of these threads the reader may see now. */
export type MayRead = (threadIds: string[]) => Promise<Set<string>>

/** Within a thread by seq, among several by time; as the index does. */
const compare = (a: SearchPlace, b: SearchPlace, { scope }: SearchQuery): number => {
  if (scope.type === 'thread') return a.seq - b.seq
  if (a.at !== b.at) return a.at - b.at
  return a.threadId === b.threadId ? a.seq - b.seq : a.threadId < b.threadId ? -1 : 1
}

const encode = ({ at, threadId, seq }: SearchPlace): string => `${at}.${seq}.${threadId}`

/** A cursor as it was given out; throws `bad_input` for anything else. */
const decode = (cursor: string | undefined): SearchPlace | null => {
  if (cursor === undefined) return null
  const [, at, seq, threadId] = /^(\d{1,15})\.(\d{1,15})\.((?:thr_[0-9a-f-]{36})?)$/.exec(cursor) ?? []
  if (threadId === undefined)
    throw new Fault('bad_input', 'This cursor was not given out here.', 'Begin again without a cursor.')
  return { at: Number(at), seq: Number(seq), threadId }
}

/** At least one character, at most a thousand; throws `bad_input`. */
export const checkQuery = (text: string): void => {
  if (text.length === 0 || text.length > maxQueryChars)
    throw new Fault(
      'bad_input',
      `The query has ${text.length} characters; from 1 to ${maxQueryChars} are allowed.`,
      'Search for a name, a number or a few words.',
    )
}

export type SearchRequest = Omit<SearchQuery, 'after' | 'recentFirst'> & {
  order: SearchOrder
  /** From the page before; not with the order `best`, which has one page. */
  cursor?: string
  /** Whether to count what fits. */
  count?: boolean
}

const keyOf = ({ threadId, seq }: SearchPlace): string => `${threadId} ${seq}`

const toHit = (
  { part: _part, text, offset, ...entry }: SearchDoc,
  query: SearchQuery,
  event: EventPlace,
): SearchHit => {
  const { place, ...shown } = snippetOf(text, query)
  return {
    ...entry,
    actorId: entry.actorId,
    ...event,
    offset: offset + place,
    ...shown,
  }
}

const nothing: SearchAnswer = { entries: [], cursor: null, count: null, incomplete: null }

/**
 * One page of what fits. Fault `bad_input` for a query of no or too many characters, for a cursor that was not given
 * out, and for a literal of one or two characters in more than one thread.
 */
export const search = async (
  source: SearchSource,
  mayRead: MayRead,
  { cursor, order, count = false, ...request }: SearchRequest,
): Promise<SearchAnswer> => {
  checkQuery(request.text)
  const after = decode(cursor)
  const { scope } = request
  const isBest = order === 'best'
  if (isBest && after) throw new Fault('bad_input', 'The best have one page.', 'Ask without a cursor.')
  if (scope.type === 'thread' && !(await mayRead([scope.threadId])).has(scope.threadId))
    return count ? { ...nothing, count: { events: 0, more: false } } : nothing
  const asked = isBest ? rankedEvents : request.limit
  const query: SearchQuery = {
    ...request,
    text: cleanText(request.text),
    after,
    limit: asked + 1,
    recentFirst: order !== 'oldest',
  }
  const direction = query.recentFirst ? -1 : 1
  // The marks are read before the index: what is indexed meanwhile is in both, and never in neither.
  const tails = await readTails(source, query)
  const stored = await source.search.find(query)
  const merged = new Map([...stored.docs, ...tails.docs].map((doc) => [keyOf(doc), doc]))
  const isBehind = (doc: SearchDoc, place: SearchPlace): boolean => compare(doc, place, query) * direction > 0
  const all = [...merged.values()]
    .filter((doc) => after === null || isBehind(doc, after))
    .filter((doc) => stored.stoppedAt === null || !isBehind(doc, stored.stoppedAt))
    .sort((a, b) => compare(a, b, query) * direction)
  const newest = all.slice(0, asked)
  const page = isBest ? (await source.search.rank(query.text, newest)).slice(0, request.limit) : newest
  const last = newest.at(-1)
  const isCut = all.length > asked
  const gap: SearchGap | null =
    stored.stoppedAt && !isCut
      ? { reason: 'limit', at: stored.stoppedAt.at }
      : tails.unread > 0
        ? { reason: 'indexing', threads: tails.unread }
        : null
  const [visible, events] = await Promise.all([
    mayRead([...new Set(page.map(({ threadId }) => threadId))]),
    source.search.events(page),
  ])
  const next = isCut ? last : stored.stoppedAt
  const entries = page.flatMap((doc) => {
    const event = visible.has(doc.threadId) ? events.get(keyOf(doc)) : undefined
    return event ? [toHit(doc, query, event)] : []
  })
  // A first page that is also the last holds all there is to count.
  const isWhole = after === null && next === null && !isBest && tails.unread === 0
  return {
    entries,
    cursor: next && !isBest ? encode(next) : null,
    count: !count
      ? null
      : isWhole
        ? { events: entries.length, more: false }
        : await counted(source, mayRead, query, tails),
    incomplete: gap,
  }
}

/** Counts by thread, so that none is counted that the reader may not see. */
const counted = async (
  source: SearchSource,
  mayRead: MayRead,
  query: SearchQuery,
  tails: { docs: SearchDoc[]; marks: Map<string, number>; unread: number },
): Promise<{ events: number; more: boolean }> => {
  const { threads, more } = await source.search.count(query, maxSearchCount, tails.marks)
  for (const { threadId } of tails.docs) threads.set(threadId, (threads.get(threadId) ?? 0) + 1)
  const visible = await mayRead([...threads.keys()])
  let events = 0
  for (const [threadId, some] of threads) if (visible.has(threadId)) events += some
  return {
    events: Math.min(events, maxSearchCount),
    more: more || events > maxSearchCount || tails.unread > 0,
  }
}
