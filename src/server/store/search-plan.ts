/**
 * How a search finds the newest documents that fit, in a few milliseconds of a million: it walks a few hundred in order,
 * which finds what is common; then it asks the inverted indexes about ever longer stretches of the log, so that few
 * documents more are read than are found. A search that would cost too much says how far it looked.
 */
import type { Db } from './db.ts'
import { ahead, hits, looked, lookUp, maxHits, shareOf, walk } from './search-reads.ts'
import { coordinateOf, windowOf } from './search-slots.ts'
import { build, type DocRow, orderOf, type Step, toDoc } from './search-sql.ts'
import type { SearchDoc, SearchPlace } from './types.ts'

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
/** How long the next stretch may be follows what the last one took; in one step by this factor at most. */
const easing = 8
/** An answer that took longer than this so far, whatever was foreseen, says how far it looked. */
const answerMs = 1_000
/** Documents over which the length of a stretch is measured; beyond that it is reckoned from these. */
const measuredDocs = 16_000

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
