/**
 * The single reads that a search is made of: a walk through the next documents in order, a look into the inverted indexes
 * about a stretch of the log, how far a stretch reaches, how common a word is. Knows no plan.
 */
import type { Db, Queryable } from './db.ts'
import {
  type Built,
  build,
  columns,
  type DocRow,
  flipped,
  orderOf,
  type Place,
  parameters,
  type Step,
  scopeOf,
  wordsMatch,
} from './search-sql.ts'

/** Of a literal the statistics know only how many fit, not how many the index would name: at least this share. */
const literalShare = 0.02
/** A look that finds more than this was planned from wrong statistics; a shorter stretch is better. */
export const maxHits = 20_000
/** A look that takes longer is given up, however little was foreseen. */
const lookTimeoutMs = 2_000
type Walked = { rows: DocRow[]; count: number; bytes: number; last: Place | null }

/** The next documents in order, whether they fit or not, and those of them that do, one per event. */
export const walk = async (db: Db, query: Step, size: number): Promise<Walked> => {
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
export const shareOf = async (db: Db, query: Step): Promise<number> => {
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
export const looked = async <T>(db: Db, work: (client: Queryable) => Promise<T>): Promise<T | null> =>
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
export const hits = ({ scope, match }: Built, most: string): string =>
  `select d."threadId", d.seq, d.part, d.at from "SearchDoc" d where ${match} and (${scope}) is true limit ${most}`

/** What fits in these slots, by the inverted index, then in order; null when that is too much, or took too long. */
export const lookUp = async (db: Db, query: Step, slots: string[]): Promise<DocRow[] | null> => {
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
export const ahead = async (
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
