/**
 * Rows of rollouts: derived from the log in batches behind a mark, listed by filter, read by place. Knows what a row is
 * of and where in the log its events are, not what it says.
 */
import type { RolloutFilter, RolloutPlace } from '../../protocol/rollout.ts'
import type { Db, Queryable } from './db.ts'
import { columnsSql } from './rollout-columns.ts'
import { listRollouts } from './rollout-list.ts'
import { deriveSql, safeJson } from './rollout-sql.ts'
import type {
  RolloutColumns,
  RolloutMark,
  RolloutPictureRow,
  RolloutRowKey,
  RolloutStore,
} from './rollout-types.ts'

/** What PostgreSQL says to a NUL and to half of a surrogate pair in JSON. */
const oddText = new Set(['22P05', '22P02'])

type Counts = Record<string, number>
type MarkRow = { seq: string; rows: number; steps: number; events: Counts }
type Added = { rows: number; steps: number; events: Counts | null }
type KeyRow = Omit<RolloutRowKey, 'seq' | 'endSeq' | 'at' | 'costMicros'> & {
  seq: string
  endSeq: string
  at: string
  costMicros: string | null
}

const toKey = (row: KeyRow): RolloutRowKey => ({
  ...row,
  seq: Number(row.seq),
  endSeq: Number(row.endSeq),
  at: Number(row.at),
  costMicros: row.costMicros === null ? null : Number(row.costMicros),
})

const keyColumns = `idx, seq, "endSeq", key, "windowId", "turnId", kind, name, status, coalesce("beganAt", at) as at, "durationMs",
  step,
  "costMicros"`

const conditions = (filter: RolloutFilter): { text: string; values: unknown[] } => {
  const values: unknown[] = []
  const parts = ['"threadId" = $1']
  const add = (text: (place: string) => string, value: unknown): void => {
    if (value === undefined) return
    values.push(value)
    parts.push(text(`$${values.length + 1}`))
  }
  add((place) => `kind = any(${place}::text[])`, filter.kinds)
  add((place) => `(kind <> 'tool' or name = any(${place}::text[]))`, filter.tools)
  if (filter.errors) parts.push(`status in ('failed', 'refused', 'interrupted')`)
  add((place) => `"durationMs" >= ${place}::int8`, filter.minDurationMs)
  add((place) => `"costMicros" >= ${place}::int8`, filter.minCostMicros)
  add((place) => `"windowId" = ${place}`, filter.windowId)
  add((place) => `"turnId" = ${place}`, filter.turnId)
  return { text: parts.join(' and '), values }
}

/** A stretch of the log in one statement; texts that only JavaScript can hold are read with care. */
const deriveBatch = async (
  client: Queryable,
  values: [string, number, number, number, number],
): Promise<Added> => {
  await client.query('savepoint plain')
  try {
    const { rows } = await client.query<Added>(deriveSql(true), values)
    return rows[0] ?? { rows: 0, steps: 0, events: null }
  } catch (error) {
    if (!oddText.has(String((error as { code?: unknown }).code))) throw error
    await client.query('rollback to savepoint plain')
    const { rows } = await client.query<Added>(deriveSql(false), values)
    return rows[0] ?? { rows: 0, steps: 0, events: null }
  }
}

export const createRolloutStore = (db: Db): RolloutStore => {
  const markOf = async (threadId: string): Promise<RolloutMark> => {
    const rows = await db.query<MarkRow & { head: string }>(
      `select p.head, coalesce(m.seq, 0) as seq, coalesce(m.rows, 0) as rows, coalesce(m.steps, 0) as steps,
         coalesce(m.events, '{}') as events
       from "ThreadProjection" p left join "RolloutMark" m on m."threadId" = p."threadId" where p."threadId" = $1`,
      [threadId],
    )
    const row = rows[0]
    return {
      seq: Number(row?.seq ?? 0),
      rows: row?.rows ?? 0,
      steps: row?.steps ?? 0,
      events: row?.events ?? {},
      head: Number(row?.head ?? 0),
    }
  }

  return {
    mark: markOf,

    behind: async () => {
      const rows = await db.query<{ threadId: string }>(
        `select p."threadId" from "ThreadProjection" p left join "RolloutMark" m on m."threadId" = p."threadId"
         where p.head > coalesce(m.seq, 0) order by p."updatedAt" desc`,
      )
      return rows.map(({ threadId }) => threadId)
    },

    derive: (threadId, maxEvents) =>
      db.transaction(async (client) => {
        await client.query(
          `insert into "RolloutMark" ("threadId", seq, rows, steps, events)
           select id, 0, 0, 0, '{}' from "Thread" where id = $1 on conflict do nothing`,
          [threadId],
        )
        // Whoever comes second waits here and goes on where the first one ended.
        const { rows: marks } = await client.query<MarkRow>(
          `select seq, rows, steps, events from "RolloutMark" where "threadId" = $1 for update`,
          [threadId],
        )
        const { rows: heads } = await client.query<{ head: string }>(
          `select coalesce(max(seq), 0) as head from "Event" where "threadId" = $1`,
          [threadId],
        )
        const mark = marks[0]
        const head = Number(heads[0]?.head ?? 0)
        if (!mark) return { seq: 0, rows: 0, steps: 0, events: {}, head: 0 }
        const from = Number(mark.seq)
        const to = Math.min(head, from + maxEvents)
        if (to <= from) return { ...mark, seq: from, head }
        const added = await deriveBatch(client, [threadId, from, to, mark.rows, mark.steps])
        const events = { ...mark.events }
        for (const [type, count] of Object.entries(added.events ?? {}))
          events[type] = (events[type] ?? 0) + count
        const next = { rows: mark.rows + added.rows, steps: mark.steps + added.steps, events }
        await client.query(
          `update "RolloutMark" set seq = $2, rows = $3, steps = $4, events = $5::json where "threadId" = $1`,
          [threadId, to, next.rows, next.steps, JSON.stringify(events)],
        )
        return { ...next, seq: to, head }
      }),

    listed: async (threadId, filter) => {
      const { text, values } = conditions(filter)
      const rows = await db.query<{ list: string | null }>(
        `select string_agg(idx::text, ',' order by idx) as list from "RolloutRow" where ${text}`,
        [threadId, ...values],
      )
      const list = rows[0]?.list
      return list ? Int32Array.from(list.split(','), Number) : new Int32Array()
    },

    rows: async (threadId, idxs) => {
      const rows = await db.query<KeyRow>(
        `select ${keyColumns} from "RolloutRow" where "threadId" = $1 and idx = any($2::int4[]) order by idx`,
        [threadId, idxs],
      )
      return rows.map(toKey)
    },

    asked: async (threadId, idxs) => {
      // A turn's message stands beside its beginning; a turn without one is not read to its end for it.
      const rows = await db.query<{ idx: number; seq: string }>(
        `select t.idx, m."endSeq" as seq from "RolloutRow" t cross join lateral (
           select r."endSeq" from "RolloutRow" r where r."threadId" = $1 and r.idx between t.idx - 4 and t.idx + 12
             and r."turnId" = t."turnId" and r.kind = 'message' and r.name = 'user_message' order by r.idx limit 1) m
         where t."threadId" = $1 and t.idx = any($2::int4[])`,
        [threadId, idxs],
      )
      return new Map(rows.map(({ idx, seq }) => [idx, Number(seq)]))
    },

    ofKey: async (threadId, key) => {
      const rows = await db.query<KeyRow>(
        `select ${keyColumns} from "RolloutRow" where "threadId" = $1 and key = $2`,
        [threadId, key],
      )
      return rows[0] ? toKey(rows[0]) : null
    },

    place: async (threadId: string, place: RolloutPlace) => {
      if ('idx' in place) {
        const { rows } = await markOf(threadId)
        return place.idx < rows ? place.idx : null
      }
      if ('seq' in place) {
        // An event that has no row of its own belongs to the one of its item or step, or stands behind the row before it.
        const found = await db.query<{ idx: number }>(
          `(select r.idx, 0 as far from "Event" e join "RolloutRow" r on r."threadId" = e."threadId"
             and r.key in (e."itemId", e."stepId") where e."threadId" = $1 and e.seq = $2
             order by r.key = e."itemId" desc limit 1)
           union all
           (with recursive halves(low, high) as (
              select 0, $3::int4 - 1
              union all
              select case when m.seq <= $2 then m.idx else low end, case when m.seq <= $2 then high else m.idx - 1 end
              from halves join "RolloutRow" m on m."threadId" = $1 and m.idx = (low + high + 1) / 2 where low < high)
            select low, 1 from halves where low >= high)
           order by far limit 1`,
          [threadId, place.seq, (await markOf(threadId)).rows],
        )
        return found[0]?.idx ?? 0
      }
      const key = 'stepId' in place ? place.stepId : 'itemId' in place ? place.itemId : place.turnId
      const rows = await db.query<{ idx: number }>(
        `select idx from "RolloutRow" where "threadId" = $1 and key = $2`,
        [threadId, key],
      )
      return rows[0]?.idx ?? null
    },

    steps: async (threadId, stepIds) => {
      const rows = await db.query<{ key: string; step: number }>(
        `select key, step from "RolloutRow" where "threadId" = $1 and key = any($2) and step is not null`,
        [threadId, stepIds],
      )
      return new Map(rows.map(({ key, step }) => [key, step]))
    },

    nextStep: async (threadId, idx) => {
      const rows = await db.query<{ seq: string }>(
        `select seq from "RolloutRow" where "threadId" = $1 and idx > $2 and kind = 'step' order by idx limit 1`,
        [threadId, idx],
      )
      return rows[0] ? Number(rows[0].seq) : null
    },

    windowIndex: async (threadId, windowId) => {
      const rows = await db.query<{ index: number | null; before: number }>(
        `select (select index from "Window" where id = $2 and "threadId" = $1) as index,
           (select count(*)::int4 from "RolloutRow" where "threadId" = $1 and kind = 'window' and idx <=
             (select min(idx) from "RolloutRow" where "threadId" = $1 and "windowId" = $2)) as before`,
        [threadId, windowId],
      )
      return rows[0]?.index ?? Math.max(0, (rows[0]?.before ?? 1) - 1)
    },

    picture: (threadId, every) =>
      db.query<RolloutPictureRow>(
        `with p as materialized (
           select r.idx, r.step, s."windowId", w.index as "windowIndex", s."blockCount"
           from "RolloutRow" r join "Step" s on s.id = r.key join "Window" w on w.id = s."windowId"
           where r."threadId" = $1 and r.kind = 'step' and (r.step % $2::int4 = 0
             or r.step = (select steps from "RolloutMark" where "threadId" = $1)))
         select p.idx, p.step, p."windowId", p."windowIndex", b.kind, b.tokens
         from p cross join lateral (select b.kind, sum(b.tokens)::float8 as tokens from "WindowBlock" b
           where b."windowId" = p."windowId" and b.idx < p."blockCount" group by b.kind) b order by p.idx`,
        [threadId, every],
      ),

    limits: async (threadId) => {
      const rows = await db.query<{ windowId: string; limit: number }>(
        `select e."windowId", (b.body->>'limitTokens')::float8 as limit from "Event" e
           cross join lateral (select ${safeJson('e.body')} as body) b
         where e."threadId" = $1 and e.type = 'window.opened' and b.body->>'limitTokens' is not null`,
        [threadId],
      )
      return new Map(rows.map(({ windowId, limit }) => [windowId, limit]))
    },

    list: listRollouts(db),

    models: async (threadId) => {
      const rows = await db.query<{ model: string }>(
        `select s.model from "Step" s join "Window" w on w.id = s."windowId" where w."threadId" = $1
         group by s.model order by min(s."startedAt") limit 20`,
        [threadId],
      )
      return rows.map(({ model }) => model)
    },

    columns: async (threadId) => {
      const rows = await db.query<{ columns: string }>(columnsSql, [threadId])
      const { columns, ...rest } = JSON.parse(rows[0]?.columns ?? '{}') as RolloutColumns & {
        columns: object
      }
      return { ...rest, ...columns }
    },
  }
}
