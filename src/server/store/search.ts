/**
 * The index over what threads said and did. A search walks the newest documents, where common words are found at once;
 * what is rare it asks the inverted indexes for, so that no query sorts a large part of the table.
 */
import { Fault } from '../../protocol/error.ts'
import { shortLiteral } from '../../protocol/history.ts'
import { cleanText } from './append.ts'
import type { Db } from './db.ts'
import type { SearchDoc, SearchPlace, SearchQuery, SearchStore } from './types.ts'

/** A place between the documents of one event too: a walk may end there. */
type Place = SearchPlace & { part?: number }
type Step = Omit<SearchQuery, 'after'> & { after: Place | null }

/** Documents of the first walk, which finds common words in no time. */
const firstWalk = 300
/** Documents of a further walk, and of all of them together; half a second at the most. */
const longWalk = 4_000
const allWalks = 20_000
/** Of a word in more documents than these the newest are found sooner by walking on. */
const rareDocs = 3_000
/** Bytes of text in the first walk beyond which documents are too large to walk through many. */
const walkBytes = 900_000

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

/** Parameters and the conditions that name them. */
class Conditions {
  readonly values: unknown[] = []

  add(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }
}

type Built = {
  values: unknown[]
  /** Where the documents may come from, and where the page goes on. */
  scope: string
  /** What they must be and say. */
  match: string
}

const build = (query: Step, isLiteral: boolean): Built => {
  const c = new Conditions()
  const { scope, after } = query
  const than = query.recentFirst ? '<' : '>'
  const parts: string[] = []
  if (scope.type === 'thread') {
    parts.push(`d."threadId" = ${c.add(scope.threadId)}`)
    if (after?.part !== undefined)
      parts.push(`(d.seq, d.part) ${than} (${c.add(after.seq)}::int8, ${c.add(after.part)}::int4)`)
    else if (after) parts.push(`d.seq ${than} ${c.add(after.seq)}`)
  } else {
    parts.push(`d."threadId" in (select t.id from "Thread" t where t."ownerId" = ${c.add(scope.ownerId)})`)
    if (after) {
      const place = `to_timestamp(${c.add(after.at)}::float8 / 1000), ${c.add(after.threadId)}, ${c.add(after.seq)}::int8`
      parts.push(
        after.part === undefined
          ? `(d.at, d."threadId", d.seq) ${than} (${place})`
          : `(d.at, d."threadId", d.seq, d.part) ${than} (${place}, ${c.add(after.part)}::int4)`,
      )
    }
  }
  const match: string[] = []
  const only = (column: string, value: string | undefined): void => {
    if (value !== undefined) match.push(`d."${column}" = ${c.add(value)}`)
  }
  only('agentPath', query.agentPath)
  only('windowId', query.windowId)
  only('role', query.role)
  only('tool', query.tool)
  only('status', query.status)
  match.push(
    isLiteral
      ? `d.text like ${c.add(likePattern(query.text))}`
      : `d.tsv @@ websearch_to_tsquery('simple', ${c.add(query.text)})`,
  )
  return { values: c.values, scope: parts.join(' and '), match: match.join(' and ') }
}

const orderOf = ({ scope, recentFirst }: Step): { place: string; whole: string } => {
  const direction = recentFirst ? 'desc' : 'asc'
  const place =
    scope.type === 'thread'
      ? `d.seq ${direction}`
      : `d.at ${direction}, d."threadId" ${direction}, d.seq ${direction}`
  return { place, whole: `${place}, d.part ${direction}` }
}

const distinct = ({ scope }: Step): string =>
  scope.type === 'thread' ? 'd.seq' : 'd.at, d."threadId", d.seq'

type Walked = { rows: DocRow[]; count: number; bytes: number; last: Place | null }

/** The next documents in order, whether they fit or not, and those of them that do. */
const walk = async (db: Db, query: Step, isLiteral: boolean, size: number): Promise<Walked> => {
  const { values, scope, match } = build(query, isLiteral)
  const { place, whole } = orderOf(query)
  const n = values.length
  const rows = await db.query<{
    found: DocRow[] | null
    count: number
    bytes: string | null
    last: Place | null
  }>(
    `with walked as materialized (select d.* from "SearchDoc" d where ${scope} order by ${whole} limit $${n + 1}),
     found as (select distinct on (${distinct(query)}) ${columns} from walked d where ${match}
       order by ${place}, d.part limit $${n + 2})
     select (select json_agg(f) from found f) as found, count(*)::int4 as count, sum(octet_length(w.text)) as bytes,
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

const flipped = (order: string): string =>
  order.replace(/ (asc|desc)/g, (_, direction) => (direction === 'asc' ? ' desc' : ' asc'))

/** What fits, by the inverted index, then in order; null when more than `most` documents fit. */
const lookUp = async (
  db: Db,
  query: Step,
  isLiteral: boolean,
  most: number | null,
): Promise<DocRow[] | null> => {
  const { values, scope, match } = build(query, isLiteral)
  const { place } = orderOf(query)
  const n = values.length
  const rows = await db.query<{ found: DocRow[] | null; hits: string }>(
    `with hits as materialized (select d."threadId", d.seq, d.part, d.at from "SearchDoc" d
       where ${match} and ${scope} limit $${n + 2}),
     counted as (select count(*) as hits from hits),
     best as (select distinct on (${distinct(query)}) d."threadId", d.seq, d.part from hits d, counted c
       where $${n + 2}::int8 is null or c.hits < $${n + 2} order by ${place}, d.part limit $${n + 1}),
     found as (select ${columns} from best b join "SearchDoc" d using ("threadId", seq, part) order by ${place})
     select (select json_agg(f) from found f) as found, hits from counted`,
    [...values, query.limit, most],
  )
  const row = rows[0]
  return most !== null && Number(row?.hits ?? 0) >= most ? null : (row?.found ?? [])
}

/** An event whose documents lie on both sides of a walk's end may be found twice. */
const onePerEvent = (rows: DocRow[]): SearchDoc[] => [
  ...new Map(rows.map((row) => [`${row.threadId} ${row.seq}`, toDoc(row)])).values(),
]

const tooShort = (): Fault =>
  new Fault(
    'bad_input',
    `Fewer than ${shortLiteral} characters are looked for in one thread at a time.`,
    'Search within a thread, or for more characters.',
  )

export const createSearchStore = (db: Db): SearchStore => {
  /** Words of which the dictionary keeps none (signs, for example) are looked for as they are written. */
  const hasWords = async (text: string): Promise<boolean> => {
    const rows = await db.query<{ nodes: number }>(
      `select numnode(websearch_to_tsquery('simple', $1)) as nodes`,
      [text],
    )
    return (rows[0]?.nodes ?? 0) > 0
  }

  return {
    mark: async (threadId) => {
      const rows = await db.query<{ seq: string }>(`select seq from "SearchMark" where "threadId" = $1`, [
        threadId,
      ])
      return Number(rows[0]?.seq ?? 0)
    },

    behind: async (limit, ownerId) => {
      const rows = await db.query<{ threadId: string; mark: string; head: string }>(
        `select p."threadId", coalesce(m.seq, 0) as mark, p.head from "ThreadProjection" p
         join "Thread" t on t.id = p."threadId" left join "SearchMark" m on m."threadId" = p."threadId"
         where p.head > coalesce(m.seq, 0) and ($2::text is null or t."ownerId" = $2)
         order by p."updatedAt" desc limit $1`,
        [limit, ownerId ?? null],
      )
      return rows.map(({ threadId, mark, head }) => ({ threadId, mark: Number(mark), head: Number(head) }))
    },

    add: (threadId, from, to, docs) =>
      db.transaction(async (client) => {
        await client.query(
          `insert into "SearchMark" ("threadId", seq) select id, 0 from "Thread" where id = $1 on conflict do nothing`,
          [threadId],
        )
        const { rowCount } = await client.query(
          `update "SearchMark" set seq = $3 where "threadId" = $1 and seq = $2`,
          [threadId, from, to],
        )
        if (rowCount !== 1) return false
        const column = (name: keyof SearchDoc): unknown[] => docs.map((doc) => doc[name])
        if (docs.length > 0)
          await client.query(
            `insert into "SearchDoc" ("threadId", seq, part, "itemId", "windowId", "agentPath", role, kind, tool, status,
               "actorId", at, "offset", text)
             select $1, u.seq, u.part, u."itemId", u."windowId", u."agentPath", u.role, u.kind, u.tool, u.status,
               u."actorId", to_timestamp(u.at / 1000), u."offset", u.text
             from unnest($2::int8[], $3::int4[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
               $10::text[], $11::text[], $12::float8[], $13::int8[], $14::text[])
               as u(seq, part, "itemId", "windowId", "agentPath", role, kind, tool, status, "actorId", at, "offset", text)
             on conflict do nothing`,
            [
              threadId,
              ...(['seq', 'part', 'itemId', 'windowId', 'agentPath', 'role', 'kind'] as const).map(column),
              ...(['tool', 'status', 'actorId', 'at', 'offset'] as const).map(column),
              docs.map(({ text }) => cleanText(text)),
            ],
          )
        return true
      }),

    find: async (query) => {
      const text = cleanText(query.text)
      const isLiteral = query.mode === 'literal' || !(await hasWords(text))
      const isShort = isLiteral && [...text].length < shortLiteral
      if (isShort && query.scope.type === 'owner') throw tooShort()
      const found: DocRow[] = []
      let rest: Step = { ...query, text }
      let walked = 0
      let isLight = true
      /** True when there is nothing more to find. */
      const walkOn = async (size: number): Promise<boolean> => {
        const step = await walk(db, rest, isLiteral, size)
        if (walked === 0) isLight = step.bytes <= walkBytes
        walked += size
        found.push(...step.rows)
        rest = { ...rest, limit: rest.limit - step.rows.length, after: step.last ?? rest.after }
        return rest.limit <= 0 || step.count < size
      }
      /** How far to go for the rest, as densely as it came so far; with a margin. */
      const wanted = (): number =>
        found.length === 0 ? Number.POSITIVE_INFINITY : (1.5 * rest.limit * walked) / found.length
      // Of a phrase the index knows the words alone, and would look into every document that has them.
      const isPhrase = !isLiteral && text.includes('"')
      const walksOn = (): boolean =>
        isLight &&
        walked < allWalks &&
        (wanted() <= longWalk || (isPhrase && (walked === firstWalk || wanted() <= allWalks - walked)))

      if (await walkOn(firstWalk)) return onePerEvent(found)
      while (walksOn())
        if (await walkOn(Math.ceil(Math.min(Math.max(wanted(), 500), longWalk)))) return onePerEvent(found)
      const rare = await lookUp(db, rest, isLiteral, rareDocs)
      if (rare) return onePerEvent([...found, ...rare])
      while (isLight && walked < allWalks) if (await walkOn(longWalk)) return onePerEvent(found)
      return onePerEvent([...found, ...((await lookUp(db, rest, isLiteral, null)) ?? [])])
    },

    matches: async (asked, texts) => {
      const words = cleanText(asked)
      if (!(await hasWords(words))) return texts.map((text) => text.includes(words))
      const rows = await db.query<{ fits: boolean }>(
        `select to_tsvector('simple', u.text) @@ websearch_to_tsquery('simple', $1) as fits
         from unnest($2::text[]) with ordinality as u(text, place) order by u.place`,
        [words, texts.map(cleanText)],
      )
      return rows.map(({ fits }) => fits)
    },
  }
}
