/**
 * Search over what threads said and did: the index, and the tail that is not in it yet, so that what was just written is
 * found. What the reader may not see is left out when it is read, whatever was indexed.
 */
import { Fault } from '../../protocol/error.ts'
import { maxQueryChars, type SearchHit } from '../../protocol/history.ts'
import { cleanText } from '../store/append.ts'
import type { EntryFilter, SearchDoc, SearchPlace, SearchQuery, Store } from '../store/types.ts'
import { batchesAfter } from './docs.ts'

export type SearchSource = Pick<Store, 'log' | 'history' | 'blobs' | 'search'>

/** The one rule, asked at each read: which of these threads the reader may see now. */
export type MayRead = (threadIds: string[]) => Promise<Set<string>>

/** Threads of an owner whose tails are looked through; the index follows within seconds. */
const tailsAtOnce = 20
const snippetBefore = 120
const snippetChars = 360

const fits = (doc: SearchDoc, filter: EntryFilter): boolean =>
  (['agentPath', 'windowId', 'role', 'tool', 'status'] as const).every(
    (name) => filter[name] === undefined || doc[name] === filter[name],
  )

const sign = (recentFirst: boolean): number => (recentFirst ? -1 : 1)

/** Within a thread by seq, among several by time; as the index does. */
const compare = (a: SearchPlace, b: SearchPlace, { scope }: SearchQuery): number => {
  if (scope.type === 'thread') return a.seq - b.seq
  if (a.at !== b.at) return a.at - b.at
  return a.threadId === b.threadId ? a.seq - b.seq : a.threadId < b.threadId ? -1 : 1
}

/** Where the query's words begin in a text; 0 when only parts of them are found. */
const placeIn = (text: string, { mode, text: query }: Pick<SearchQuery, 'mode' | 'text'>): number => {
  const exact = text.indexOf(query)
  if (exact >= 0 || mode === 'literal') return Math.max(exact, 0)
  const lower = text.toLowerCase()
  const phrase = lower.indexOf(query.replaceAll('"', '').toLowerCase())
  if (phrase >= 0) return phrase
  const places = (query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    .map((word) => lower.search(new RegExp(`(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`, 'u')))
    .filter((place) => place >= 0)
  return places.length === 0 ? 0 : Math.min(...places)
}

const toHit = ({ part: _part, text, offset, ...entry }: SearchDoc, query: SearchQuery): SearchHit => {
  const place = placeIn(text, query)
  const from = Math.max(0, place - snippetBefore)
  const until = Math.min(text.length, from + snippetChars)
  const words = text.slice(from, until).toWellFormed().replace(/\s+/g, ' ').trim()
  return {
    ...entry,
    actorId: entry.actorId as SearchHit['actorId'],
    offset: offset + place,
    snippet: `${from > 0 ? '…' : ''}${words}${until < text.length ? '…' : ''}`,
  }
}

/** Documents that are not in the index yet and fit; one per event. */
const searchTail = async (
  source: SearchSource,
  threadId: string,
  mark: number,
  query: SearchQuery,
): Promise<SearchDoc[]> => {
  const found = new Map<number, SearchDoc>()
  for await (const { docs } of batchesAfter(source, threadId, mark)) {
    const asked = docs.filter((doc) => fits(doc, query))
    const has =
      query.mode === 'literal'
        ? asked.map(({ text }) => text.includes(query.text))
        : await source.search.matches(
            query.text,
            asked.map(({ text }) => text),
          )
    asked.forEach((doc, index) => {
      if (has[index] && !found.has(doc.seq)) found.set(doc.seq, doc)
    })
  }
  return [...found.values()]
}

const tails = async (source: SearchSource, { scope }: SearchQuery) =>
  scope.type === 'thread'
    ? [{ threadId: scope.threadId, mark: await source.search.mark(scope.threadId) }]
    : source.search.behind(tailsAtOnce, scope.ownerId)

const encode = ({ at, threadId, seq }: SearchPlace): string => `${at}.${seq}.${threadId}`

/** A cursor as it was given out; throws `bad_input` for anything else. */
const decode = (cursor: string | undefined): SearchPlace | null => {
  if (cursor === undefined) return null
  const [, at, seq, threadId] = /^(\d{1,15})\.(\d{1,15})\.(thr_[0-9a-f-]{36})$/.exec(cursor) ?? []
  if (!threadId)
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

/** In one thread, newest first, the index begins where the tail ended. */
const behind = (query: SearchQuery, marks: Map<string, number>): SearchQuery => {
  const { scope, after } = query
  if (scope.type === 'owner' || !query.recentFirst) return query
  const seq = Math.min((marks.get(scope.threadId) ?? 0) + 1, after?.seq ?? Number.POSITIVE_INFINITY)
  return { ...query, after: { at: 0, threadId: scope.threadId, seq } }
}

export type SearchRequest = Omit<SearchQuery, 'after'> & { cursor?: string }

export const search = async (
  source: SearchSource,
  mayRead: MayRead,
  { cursor, ...request }: SearchRequest,
): Promise<{ entries: SearchHit[]; cursor: string | null }> => {
  checkQuery(request.text)
  const after = decode(cursor)
  const text = cleanText(request.text)
  const query: SearchQuery = { ...request, text, after, limit: request.limit + 1 }
  const marks = new Map<string, number>()
  const fresh: SearchDoc[] = []
  for (const { threadId, mark } of await tails(source, query)) {
    marks.set(threadId, mark)
    fresh.push(...(await searchTail(source, threadId, mark, query)))
  }
  // What was indexed meanwhile is in both.
  const stored = (await source.search.find(behind(query, marks))).filter(
    ({ threadId, seq }) => seq <= (marks.get(threadId) ?? Number.POSITIVE_INFINITY),
  )
  const direction = sign(query.recentFirst)
  const all = [...fresh, ...stored]
    .filter((doc) => after === null || compare(doc, after, query) * direction > 0)
    .sort((a, b) => compare(a, b, query) * direction)
  const page = all.slice(0, request.limit)
  const last = page.at(-1)
  const visible = await mayRead([...new Set(page.map(({ threadId }) => threadId))])
  return {
    entries: page.filter(({ threadId }) => visible.has(threadId)).map((doc) => toHit(doc, query)),
    cursor: all.length > request.limit && last ? encode(last) : null,
  }
}
