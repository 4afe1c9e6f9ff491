/**
 * How a search finds the newest documents that fit, in a few milliseconds of a million: it walks a few hundred in order,
 * which finds what is common; then it asks the inverted indexes about ever longer stretches of the log, so that few
 * documents more are read than are found. A search that would cost too much says how far it looked.
 */
import type { Db, Queryable } from './db.ts'
import { coordinateOf, type PlanScope, windowOf } from './search-slots.ts'
import type { SearchDoc, SearchPlace, SearchQuery } from './types.ts'

/** A place between the documents of one event too: a walk may end there. */
type Place = SearchPlace & { part?: number }
export type Step = Omit<SearchQuery, 'after' | 'scope'> & {
  scope: PlanScope
  after: Place | null
  isLiteral: boolean
  isShort: boolean
}

/** Documents of the first walk, which finds common words in a millisecond or two. */
const firstWalk = 300
/** A stretch, or a walk, is at most this many times what was looked at before. */
const growth = 16
/** Microseconds that a document costs, and each byte of a text that is read: measured with a million, rounded up. */
const walkUs = 1.2
const lookUs = 6
const byteUs = 0.0016
/** What one stretch may cost, as foreseen, and all of one answer. */
const stretchUs = 25_000
const budgetUs = 300_000
/** Of a literal the statistics know only how many fit, not how many the index would name: at least this share. */
const literalShare = 0.02
/** How long the next stretch may be follows what the last one took; in one step by this factor at most. */
const easing = 8
/** An answer that took longer than this so far, whatever was foreseen, says how far it looked. */
const answerMs = 1_000
/** A look that finds more than this was planned from wrong statistics; a shorter stretch is better. */
const maxHits = 20_000
/** A look that takes longer is given up, however little was foreseen. */
const lookTimeoutMs = 2_000
/** Documents over which the length of a stretch is measured; beyond that it is reckoned from these. */
const measuredDocs = 16_000

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

type Add = (value: unknown) => string

const parameters = (): { values: unknown[]; add: Add } => {
  const values: unknown[] = []
  return { values, add: (value) => `$${values.push(value)}` }
}

const scopeOf = ({ scope, after, recentFirst }: Step, add: Add): string => {
  const than = recentFirst ? '<' : '>'
  const part = after?.part
  if (scope.type === 'thread') {
    const mine = `d."threadId" = ${add(scope.threadId)}`
    if (!after) return mine
    return part === undefined
      ? `${mine} and d.seq ${than} ${add(after.seq)}::int8`
      : `${mine} and (d.seq, d.part) ${than} (${add(after.seq)}::int8, ${add(part)}::int4)`
  }
  const mine = `d."ownerId" = ${add(scope.ownerId)}`
  if (!after) return mine
  const place = `to_timestamp(${add(after.at)}::float8 / 1000), ${add(after.threadId)}, ${add(after.seq)}::int8`
  return part === undefined
    ? `${mine} and (d.at, d."threadId", d.seq) ${than} (${place})`
    : `${mine} and (d.at, d."threadId", d.seq, d.part) ${than} (${place}, ${add(part)}::int4)`
}

/** Parameters and the conditions that name them; with slots only documents of these. */
const build = (query: Step, slots?: string[]): Built => {
  const { values, add } = parameters()
  const scope = scopeOf(query, add)
  const match = [wordsMatch(query, add, slots)]
  for (const column of ['agentPath', 'windowId', 'role', 'tool', 'status'] as const)
    if (query[column] !== undefined) match.push(`d."${column}" = ${add(query[column])}`)
  // Beside what they say, so that a walk past what is not shared costs what it costs the owner.
  if (query.scope.type === 'owner' && query.scope.threadIds)
    match.push(`d."threadId" = any(${add(query.scope.threadIds)})`)
  return { values, scope, match: match.join(' and ') }
}

const wordsMatch = (
  { isLiteral, text }: Pick<Step, 'isLiteral' | 'text'>,
  add: Add,
  slots?: string[],
): string => {
  if (isLiteral) {
    const like = `d.text like ${add(likePattern(text))}`
    return slots
      ? `search_slots(d."ownerId", d."threadId", d.at, d.seq) && ${add(slots)}::text[] and ${like}`
      : like
  }
  const words = `websearch_to_tsquery('simple', ${add(text)})`
  const within = slots?.map((slot) => `'${slot}'`).join(' | ')
  return `d.tsv @@ ${within === undefined ? words : `(${words} && ${add(within)}::tsquery)`}`
}

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

/** The share of all documents that an inverted index would name, as the statistics say. */
const shareOf = async (db: Db, query: Step): Promise<number> => {
  const { values, add } = parameters()
  const match = wordsMatch(query, add)
  const [plan] = await db.query<{ 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }>(
    `explain (format json) select from "SearchDoc" d where ${match}`,
    values,
  )
  const [table] = await db.query<{ docs: number }>(
    `select reltuples::float8 as docs from pg_class where oid = '"SearchDoc"'::regclass`,
  )
  const share = (plan?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0) / Math.max(table?.docs ?? 0, 1_000)
  return Math.min(1, Math.max(share, query.isLiteral ? literalShare : 1e-6))
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

/** What fits in these slots, by the inverted index, then in order; null when that is too much, or took too long. */
const lookUp = async (db: Db, query: Step, slots: string[]): Promise<DocRow[] | null> => {
  const built = build(query, slots)
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
    const places = row?.found ?? []
    if (places.length === 0) return []
    await client.query('set local enable_indexscan = on')
    const found = await client.query<DocRow>(
      `select ${columns} from unnest($1::text[], $2::int8[], $3::int4[]) as b("threadId", seq, part)
       join "SearchDoc" d using ("threadId", seq, part) order by ${place}`,
      [places.map(({ threadId }) => threadId), places.map(({ seq }) => seq), places.map(({ part }) => part)],
    )
    return found.rows
  })
}

/** Coordinates of the document so many places on (null when there are fewer), and of the last one. */
const ahead = async (
  db: Db,
  query: Step,
  docs: number,
): Promise<{ far: number | null; end: number } | null> => {
  const { values, add } = parameters()
  const [column, coordinate] =
    query.scope.type === 'thread' ? ['seq', 'seq'] : ['at', 'floor(extract(epoch from at))']
  const from = `select d.${column} from "SearchDoc" d where ${scopeOf(query, add)}`
  const { whole } = orderOf(query)
  // Made into a number outside: what is skipped is not worth the time.
  const [row] = await db.query<{ far: number | null; end: number | null }>(
    `select (select (${coordinate})::float8 from (${from} order by ${whole} offset ${docs} limit 1) p) as far,
       (select (${coordinate})::float8 from (${from} order by ${flipped(whole)} limit 1) p) as end`,
    values,
  )
  return row?.end == null ? null : { far: row.far, end: row.end }
}

/** An event whose documents lie on both sides of a walk's end may be found twice. */
const onePerEvent = (rows: DocRow[]): SearchDoc[] => [
  ...new Map(rows.map((row) => [`${row.threadId} ${row.seq}`, toDoc(row)])).values(),
]

/** Where a later page goes on: with the event in which a walk ended, unless that was found. */
const stopOf = ({ after, recentFirst }: Step, found: DocRow[]): SearchPlace | null => {
  if (after === null) return null
  const { at, threadId, seq, part } = after
  const isWhole =
    part === undefined || found.some((row) => row.threadId === threadId && Number(row.seq) === seq)
  return { at: Math.round(at), threadId, seq: isWhole ? seq : seq + (recentFirst ? 1 : -1) }
}

export type Found = { docs: SearchDoc[]; stoppedAt: SearchPlace | null }

export const findDocs = async (db: Db, query: Step): Promise<Found> => {
  const found: DocRow[] = []
  let rest = query
  let bytes = 0
  /** Documents that were looked at, one by one or by an index. */
  let covered = 0
  let spentUs = 0
  /** True when there is nothing more to find. */
  const walkOn = async (size: number): Promise<boolean> => {
    const step = await walk(db, rest, size)
    covered += step.count
    bytes += step.bytes
    spentUs = covered * walkUs + bytes * byteUs
    found.push(...step.rows)
    rest = { ...rest, limit: rest.limit - step.rows.length, after: step.last ?? rest.after }
    return rest.limit <= 0 || step.count < size
  }
  const all = (): Found => ({ docs: onePerEvent(found), stoppedAt: null })
  const stopped = (): Found => ({ ...all(), stoppedAt: stopOf(rest, found) })
  /** How far to go for the rest, as densely as it came so far, with a margin. */
  const needed = (): number =>
    Math.ceil(
      Math.min(
        covered * growth,
        found.length === 0 ? Number.POSITIVE_INFINITY : (1.3 * rest.limit * covered) / found.length,
      ),
    )

  if (await walkOn(firstWalk)) return all()
  if (query.isShort) {
    for (;;) {
      const size = Math.min(needed(), Math.ceil(((budgetUs - spentUs) * covered) / spentUs))
      if (size < firstWalk) return stopped()
      if (await walkOn(size)) return all()
    }
  }
  const share = await shareOf(db, query)
  // Of a phrase and a literal the index knows the parts alone: each candidate's text is read.
  const isRead = query.isLiteral || query.text.includes('"')
  const docUs = share * (lookUs + (isRead ? (bytes / covered) * byteUs : 0))
  let longest = Math.max(firstWalk, Math.floor(stretchUs / docUs))
  const until = performance.now() + answerMs
  for (let docs = Math.min(needed(), longest); spentUs < budgetUs && performance.now() < until; ) {
    const on = await ahead(db, rest, Math.min(docs, measuredDocs))
    if (on === null || rest.after === null) return all()
    const from = coordinateOf(rest.scope, rest.after)
    const far = from + ((on.far ?? on.end) - from) * Math.max(1, docs / measuredDocs)
    const window = windowOf(
      rest.scope,
      from,
      rest.recentFirst ? Math.max(far, on.end) : Math.min(far, on.end),
    )
    const began = performance.now()
    const rows = await lookUp(db, rest, window.slots)
    const ease = stretchUs / 1_000 / (performance.now() - began)
    longest = Math.max(firstWalk, Math.floor(docs * Math.min(easing, ease)))
    spentUs += 1_000 + docs * docUs
    if (rows === null) {
      if (docs <= firstWalk) return stopped()
      docs = Math.max(firstWalk, Math.floor(docs / growth))
      continue
    }
    found.push(...rows)
    rest = { ...rest, limit: rest.limit - rows.length, after: window.after }
    covered += docs
    const isEnd = rest.recentFirst ? window.far <= on.end : window.far >= on.end
    if (rest.limit <= 0 || isEnd) return all()
    docs = Math.min(needed(), longest)
  }
  return stopped()
}

type EventRow = { threadId: string; seq: string }

/** A count looks at the newest documents, so many at most, and at fewer when a word is common. */
const countedDocs = 40_000
const countWalk = 5_000

export const countDocs = async (
  db: Db,
  asked: Step,
  most: number,
): Promise<{ events: { threadId: string; seq: number }[]; more: boolean }> => {
  const query = { ...asked, after: null, recentFirst: true }
  const answer = (found: EventRow[] | null, isCut: boolean) => ({
    events: (found ?? []).slice(0, most).map(({ threadId, seq }) => ({ threadId, seq: Number(seq) })),
    more: isCut || (found ?? []).length > most,
  })
  if (!query.isShort) {
    const docs = Math.ceil(
      Math.min(countedDocs, Math.max(countWalk, (1.5 * most) / (await shareOf(db, query)))),
    )
    const start = await ahead(db, { ...query, recentFirst: false }, 0)
    const on = await ahead(db, query, docs)
    if (start === null || on === null) return answer(null, false)
    const { slots, far } = windowOf(query.scope, start.end, on.far ?? on.end)
    const built = build(query, slots)
    const n = built.values.length
    const rare = await looked(db, (client) =>
      client.query<{ found: EventRow[] | null; hits: string }>(
        `with hits as materialized (${hits(built, `$${n + 2}`)}),
         events as (select distinct "threadId", seq from hits limit $${n + 1})
         select (select json_agg(e) from events e) as found, (select count(*) from hits) as hits`,
        [...built.values, most + 1, maxHits],
      ),
    )
    const row = rare?.rows[0]
    if (row) return answer(row.found, far > on.end || Number(row.hits) >= maxHits)
  }
  const built = build(query)
  const n = built.values.length
  const rows = await db.query<{ found: EventRow[] | null; walked: string }>(
    `with walked as materialized (select d."threadId", d.seq, (${built.match}) as fits
       from "SearchDoc" d where ${built.scope} order by ${orderOf(query).whole} limit $${n + 2}),
     events as (select distinct "threadId", seq from walked where fits limit $${n + 1})
     select (select json_agg(e) from events e) as found, (select count(*) from walked) as walked`,
    [...built.values, most + 1, countWalk],
  )
  return answer(rows[0]?.found ?? null, Number(rows[0]?.walked ?? 0) >= countWalk)
}
