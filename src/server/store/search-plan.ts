/**
 * How a search finds the newest documents that fit, in a few milliseconds of a million: it walks the documents in order,
 * which finds what is common, or asks the inverted indexes, which find what is rare, whichever the statistics and what
 * was found so far say is cheaper. Nothing is unbounded: a search that would cost too much says how far it looked.
 */
import type { Db, Queryable } from './db.ts'
import type { SearchDoc, SearchPlace, SearchQuery } from './types.ts'

/** A place between the documents of one event too: a walk may end there. */
type Place = SearchPlace & { part?: number }
export type Step = Omit<SearchQuery, 'after'> & { after: Place | null; isLiteral: boolean; isShort: boolean }

/** Documents of the first walk, which finds common words in a millisecond. */
const firstWalk = 300
/** A later walk is at most this many times what was walked before. */
const growth = 4
/** Microseconds that a document costs, and each byte of its text: measured with a million in memory, rounded up. */
const walkUs = 1.2
const lookUs = 4
const byteUs = 0.0016
/** What all walks of one answer may cost, and a look into an inverted index when walking did not do. */
const walkBudgetUs = 200_000
const lookBudgetUs = 600_000
/** A look that finds more than this was planned from wrong statistics; walking is better. */
const maxHits = 30_000
/** A look that takes longer is given up, however little was foreseen. */
const lookTimeoutMs = 2_000

type DocRow = Omit<SearchDoc, 'seq' | 'offset' | 'at'> & { seq: string; offset: string; at: number }

const names = [
  ...['threadId', 'seq', 'part', 'itemId', 'windowId', 'agentPath', 'role', 'kind', 'tool', 'status'],
  ...['actorId', 'offset', 'text'],
]
const columns = `${names.map((name) => `d."${name}"`).join(', ')},
  (extract(epoch from d.at) * 1000)::float8 as at`

const toDoc = (row: DocRow): SearchDoc => ({
  ...row,
  seq: Number(row.seq),
  offset: Number(row.offset),
  at: Math.round(row.at),
})

const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, (char) => `\\${char}`)}%`

type Built = {
  values: unknown[]
  /** Whose documents, and where the page goes on. */
  scope: string
  /** What they must be and say. */
  match: string
}

/** Parameters and the conditions that name them; `values` may have some already. */
const build = (query: Step, values: unknown[] = []): Built => {
  const add = (value: unknown): string => {
    values.push(value)
    return `$${values.length}`
  }
  const { scope, after } = query
  const than = query.recentFirst ? '<' : '>'
  const parts: string[] = []
  if (scope.type === 'thread') {
    parts.push(`d."threadId" = ${add(scope.threadId)}`)
    if (after?.part !== undefined)
      parts.push(`(d.seq, d.part) ${than} (${add(after.seq)}::int8, ${add(after.part)}::int4)`)
    else if (after) parts.push(`d.seq ${than} ${add(after.seq)}`)
  } else {
    parts.push(`d."ownerId" = ${add(scope.ownerId)}`)
    if (after) {
      const place = `to_timestamp(${add(after.at)}::float8 / 1000), ${add(after.threadId)}, ${add(after.seq)}::int8`
      parts.push(
        after.part === undefined
          ? `(d.at, d."threadId", d.seq) ${than} (${place})`
          : `(d.at, d."threadId", d.seq, d.part) ${than} (${place}, ${add(after.part)}::int4)`,
      )
    }
  }
  const match = [wordsMatch(query, add)]
  for (const column of ['agentPath', 'windowId', 'role', 'tool', 'status'] as const)
    if (query[column] !== undefined) match.push(`d."${column}" = ${add(query[column])}`)
  return { values, scope: parts.join(' and '), match: match.join(' and ') }
}

const wordsMatch = (query: Pick<Step, 'isLiteral' | 'text'>, add: (value: unknown) => string): string =>
  query.isLiteral
    ? `d.text like ${add(likePattern(query.text))}`
    : `d.tsv @@ websearch_to_tsquery('simple', ${add(query.text)})`

const orderOf = ({ scope, recentFirst }: Step): { place: string; whole: string; event: string } => {
  const keys = scope.type === 'thread' ? ['d.seq'] : ['d.at', 'd."threadId"', 'd.seq']
  const place = keys.map((key) => `${key} ${recentFirst ? 'desc' : 'asc'}`).join(', ')
  return { place, whole: `${place}, d.part ${recentFirst ? 'desc' : 'asc'}`, event: keys.join(', ') }
}

const flipped = (order: string): string =>
  order.replace(/ (asc|desc)/g, (_, direction) => (direction === 'asc' ? ' desc' : ' asc'))

type Walked = { rows: DocRow[]; count: number; bytes: number; last: Place | null }

/** The next documents in order, whether they fit or not, and those of them that do, one per event. */
const walk = async (db: Db, query: Step, size: number): Promise<Walked> => {
  const { values, scope, match } = build(query)
  const { place, whole, event } = orderOf(query)
  const n = values.length
  const rows = await db.query<{
    found: DocRow[] | null
    count: number
    bytes: string | null
    last: Place | null
  }>(
    `with walked as materialized (
       select d."threadId", d.seq, d.part, d.at, octet_length(d.text) as bytes, (${match}) as fits
       from "SearchDoc" d where ${scope} order by ${whole} limit $${n + 1}),
     best as (select distinct on (${event}) d."threadId", d.seq, d.part from walked d where d.fits
       order by ${place}, d.part limit $${n + 2}),
     found as (select ${columns} from best b join "SearchDoc" d using ("threadId", seq, part) order by ${place})
     select (select json_agg(f) from found f) as found, count(*)::int4 as count, sum(w.bytes) as bytes,
       (select json_build_object('at', (extract(epoch from d.at) * 1000)::float8, 'threadId', d."threadId",
          'seq', d.seq, 'part', d.part)
        from walked d order by ${flipped(whole)} limit 1) as last
     from walked w`,
    [...values, size, query.limit],
  )
  const row = rows[0]
  return {
    rows: row?.found ?? [],
    count: row?.count ?? 0,
    bytes: Number(row?.bytes ?? 0),
    last: row?.last ?? null,
  }
}

/** Documents of the whole table that the inverted index would have to be asked about, as the statistics say. */
const estimate = async (db: Db, query: Step): Promise<number> => {
  const values: unknown[] = []
  const match = wordsMatch(query, (value) => `$${values.push(value)}`)
  const rows = await db.query<{ 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }>(
    `explain (format json) select from "SearchDoc" d where ${match}`,
    values,
  )
  return rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0
}

/** Settings under which only an inverted index is used: the planner knows neither the order nor long values' cost. */
const lookSettings = `set local enable_seqscan = off; set local enable_indexscan = off;
  set local enable_indexonlyscan = off; set local jit = off; set local statement_timeout = ${lookTimeoutMs}`

const isTimeout = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '57014'

/** Runs one statement under these settings; null when it took too long. */
const looked = async <T>(db: Db, work: (client: Queryable) => Promise<T>): Promise<T | null> =>
  db.transaction(async (client) => {
    await client.query(lookSettings)
    await client.query('savepoint looking')
    try {
      return await work(client)
    } catch (error) {
      if (!isTimeout(error)) throw error
      await client.query('rollback to looking')
      return null
    }
  })

/** `is true` keeps the planner from reading a whole thread, or person, by the key. */
const hits = ({ scope, match }: Built, most: string): string =>
  `select d."threadId", d.seq, d.part, d.at from "SearchDoc" d where ${match} and (${scope}) is true limit ${most}`

/** What fits, by the inverted index, then in order; null when that is too much, or took too long. */
const lookUp = async (db: Db, query: Step): Promise<DocRow[] | null> => {
  const built = build(query)
  const { place, event } = orderOf(query)
  const n = built.values.length
  return looked(db, async (client) => {
    const { rows } = await client.query<{ found: DocRow[] | null; hits: string }>(
      `with hits as materialized (${hits(built, `$${n + 2}`)}),
       best as (select distinct on (${event}) d."threadId", d.seq, d.part from hits d order by ${place}, d.part limit $${n + 1})
       select (select json_agg(b) from best b) as found, (select count(*) from hits) as hits`,
      [...built.values, query.limit, maxHits],
    )
    const row = rows[0]
    if (Number(row?.hits ?? 0) >= maxHits) return null
    await client.query('set local enable_indexscan = on')
    const places = row?.found ?? []
    const found = await client.query<DocRow>(
      `select ${columns} from unnest($1::text[], $2::int8[], $3::int4[]) as b("threadId", seq, part)
       join "SearchDoc" d using ("threadId", seq, part) order by ${place}`,
      [places.map(({ threadId }) => threadId), places.map(({ seq }) => seq), places.map(({ part }) => part)],
    )
    return found.rows
  })
}

/** An event whose documents lie on both sides of a walk's end may be found twice. */
const onePerEvent = (rows: DocRow[]): SearchDoc[] => [
  ...new Map(rows.map((row) => [`${row.threadId} ${row.seq}`, toDoc(row)])).values(),
]

/** Where a later page goes on: with the event in which the walk ended, unless that was found. */
const stopOf = ({ after, recentFirst }: Step, found: DocRow[]): SearchPlace | null => {
  if (after === null) return null
  const { at, threadId, seq } = after
  const isFound = found.some((row) => row.threadId === threadId && Number(row.seq) === seq)
  return { at: Math.round(at), threadId, seq: isFound ? seq : seq + (recentFirst ? 1 : -1) }
}

export const findDocs = async (
  db: Db,
  query: Step,
): Promise<{ docs: SearchDoc[]; stoppedAt: SearchPlace | null }> => {
  const found: DocRow[] = []
  let rest = query
  let walked = 0
  let bytes = 0
  let spentUs = 0
  /** True when there is nothing more to find. */
  const walkOn = async (size: number): Promise<boolean> => {
    const step = await walk(db, rest, size)
    walked += step.count
    bytes += step.bytes
    spentUs = walked * walkUs + bytes * byteUs
    found.push(...step.rows)
    rest = { ...rest, limit: rest.limit - step.rows.length, after: step.last ?? rest.after }
    return rest.limit <= 0 || step.count < size
  }
  const all = (more: DocRow[] = []) => ({ docs: onePerEvent([...found, ...more]), stoppedAt: null })

  if (await walkOn(firstWalk)) return all()
  const foreseen = query.isShort ? Number.POSITIVE_INFINITY : await estimate(db, query)
  // Of a phrase and a literal the index knows the parts alone: each candidate's text is read.
  const isRead = query.isLiteral || query.text.includes('"')
  let lookCostUs = foreseen * (lookUs + (isRead ? (bytes / walked) * byteUs : 0))
  for (;;) {
    /** How far to go for the rest, as densely as it came so far, with a margin. */
    const needed = found.length === 0 ? Number.POSITIVE_INFINITY : (1.3 * rest.limit * walked) / found.length
    const docUs = spentUs / walked
    const next = Math.ceil(Math.min(needed, walked * growth, (walkBudgetUs - spentUs) / docUs))
    const isOut = next < firstWalk
    if (lookCostUs <= (isOut ? lookBudgetUs : Math.min(needed, walked * growth) * docUs)) {
      const rare = await lookUp(db, rest)
      if (rare) return all(rare)
      lookCostUs = Number.POSITIVE_INFINITY
    }
    if (isOut) return { ...all(), stoppedAt: stopOf(rest, found) }
    if (await walkOn(next)) return all()
  }
}

type EventRow = { threadId: string; seq: string }

/** Walks as far as a count may cost. */
const countWalk = 10_000
/** A count looks into the inverted index when it has about so many candidates at most. */
const countRare = 10_000

export const countDocs = async (
  db: Db,
  query: Step,
  most: number,
): Promise<{ events: { threadId: string; seq: number }[]; more: boolean }> => {
  const built = build({ ...query, after: null })
  const n = built.values.length
  const { whole } = orderOf(query)
  const answer = (found: EventRow[] | null, isCut: boolean) => ({
    events: (found ?? []).slice(0, most).map(({ threadId, seq }) => ({ threadId, seq: Number(seq) })),
    more: isCut || (found ?? []).length > most,
  })
  if (!query.isShort && (await estimate(db, query)) <= countRare) {
    const rare = await looked(db, (client) =>
      client.query<{ found: EventRow[] | null; hits: string }>(
        `with hits as materialized (${hits(built, `$${n + 2}`)}),
         events as (select distinct "threadId", seq from hits limit $${n + 1})
         select (select json_agg(e) from events e) as found, (select count(*) from hits) as hits`,
        [...built.values, most + 1, maxHits],
      ),
    )
    const row = rare?.rows[0]
    if (row) return answer(row.found, Number(row.hits) >= maxHits)
  }
  const rows = await db.query<{ found: EventRow[] | null; walked: string }>(
    `with walked as materialized (select d."threadId", d.seq, (${built.match}) as fits
       from "SearchDoc" d where ${built.scope} order by ${whole} limit $${n + 2}),
     events as (select distinct "threadId", seq from walked where fits limit $${n + 1})
     select (select json_agg(e) from events e) as found, (select count(*) from walked) as walked`,
    [...built.values, most + 1, countWalk],
  )
  return answer(rows[0]?.found ?? null, Number(rows[0]?.walked ?? 0) >= countWalk)
}
