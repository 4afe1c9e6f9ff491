/**
 * Reads of the log: pages from the newest back, what follows a cursor, events of a kind. Rows become protocol events.
 * A thread that is new to the database's statistics counts as nearly empty there: a page names both its ends (a log has
 * no holes), and `is true` keeps a look at one item from reading all events of a type.
 */
import type { EventBody, EventType, ThreadEvent } from '../../protocol/event.ts'
import { runAppend } from './append.ts'
import { type Db, toFault } from './db.ts'
import { safeJson } from './rollout-sql.ts'
import type { LogStore } from './types.ts'

/** No answer is larger than this many bytes of event bodies. */
const maxPageBytes = 900_000
/** What an event weighs on the way beside its body. */
const eventBytes = 400

const maxWindowEvents = 1_000

type EventRow = {
  threadId: string
  seq: string
  type: string
  windowId: string
  turnId: string | null
  stepId: string | null
  itemId: string | null
  actorId: string
  at: number
  body: unknown
  size: number
}

const columns = `"threadId", seq, type, "windowId", "turnId", "stepId", "itemId", "actorId",
  (extract(epoch from at) * 1000)::float8 as at, body, octet_length(body::text) as size`

/** What was written is trusted: events were parsed by their types when they were made. */
const toEvent = (row: EventRow): ThreadEvent => {
  const event: Record<string, unknown> = {
    threadId: row.threadId,
    seq: Number(row.seq),
    type: row.type,
    windowId: row.windowId,
    actorId: row.actorId,
    at: Math.round(row.at),
    body: row.body,
  }
  if (row.turnId !== null) event.turnId = row.turnId
  if (row.stepId !== null) event.stepId = row.stepId
  if (row.itemId !== null) event.itemId = row.itemId
  return event as unknown as ThreadEvent
}

/** Rows from the first on that one answer may hold: one at least. */
const fitting = (rows: EventRow[]): EventRow[] => {
  let bytes = 0
  const end = rows.findIndex(({ size }, at) => {
    bytes += size + eventBytes
    return at > 0 && bytes > maxPageBytes
  })
  return end < 0 ? rows : rows.slice(0, end)
}

export const createLogStore = (db: Db): LogStore => ({
  append: async (ownerId, appends) => {
    try {
      return await runAppend(db, ownerId, appends)
    } catch (error) {
      throw toFault(error, 'thread')
    }
  },

  head: async (threadId) => {
    const rows = await db.query<{ head: string }>(
      `select coalesce(max(seq), 0) as head from "Event" where "threadId" = $1`,
      [threadId],
    )
    return Number(rows[0]?.head ?? 0)
  },

  page: async (threadId, before, limit) => {
    const rows = await db.query<EventRow & { head: string }>(
      `select ${columns}, (select max(seq) from "Event" where "threadId" = $1) as head from "Event"
       where "threadId" = $1 and seq < $2
         and seq >= least($2::int8, (select max(seq) from "Event" where "threadId" = $1) + 1) - $3::int8
       order by seq desc limit $3`,
      [threadId, before ?? Number.MAX_SAFE_INTEGER, limit],
    )
    const events = fitting(rows).map(toEvent).reverse()
    const first = events[0]?.seq ?? 1
    return { events, before: first > 1 ? first : null, head: Number(rows[0]?.head ?? 0) }
  },

  after: async (threadId, after, limit) => {
    const rows = await db.query<EventRow>(
      `select ${columns} from "Event" where "threadId" = $1 and seq > $2 and seq <= $2::int8 + $3::int8
       order by seq limit $3`,
      [threadId, after, limit],
    )
    return rows.map(toEvent)
  },

  at: async (threadId, seqs) => {
    const rows = await db.query<EventRow>(
      `select ${columns} from "Event" where "threadId" = $1 and seq = any($2::bigint[]) order by seq`,
      [threadId, seqs],
    )
    return rows.map(toEvent)
  },

  ofStep: async (threadId, stepId, from, to) => {
    const rows = await db.query<EventRow>(
      `select ${columns} from "Event" where "threadId" = $1 and "stepId" = $2 and seq between $3 and $4
       order by seq limit 2000`,
      [threadId, stepId, from, to],
    )
    return rows.map(toEvent)
  },

  lastOfItems: async (threadId, itemIds) => {
    const rows = await db.query<EventRow>(
      `select distinct on ("itemId") ${columns} from "Event" where "threadId" = $1 and "itemId" = any($2)
         and (type in ('item.started', 'item.completed')) is true order by "itemId", seq desc`,
      [threadId, itemIds],
    )
    return rows.map(toEvent).sort((a, b) => a.seq - b.seq)
  },

  ofTypes: async (threadId, types, after = 0) => {
    const rows = await db.query<EventRow>(
      `select ${columns} from "Event" where "threadId" = $1 and type = any($2) and seq > $3 order by seq`,
      [threadId, types, after],
    )
    return rows.map(toEvent)
  },

  windows: async (threadId, { windowId, after }) => {
    const rows = await db.query<EventRow>(
      `select ${columns} from "Event" where "threadId" = $1 and type in ('window.opened', 'window.closed') and seq > $2
         and ($3::text is null or "windowId" = $3) order by seq limit $4`,
      [threadId, after, windowId, maxWindowEvents],
    )
    const events = fitting(rows).map(toEvent)
    const isAll = events.length === rows.length && rows.length < maxWindowEvents
    return { events, next: isAll ? null : (events.at(-1)?.seq ?? null) }
  },

  stretch: async (threadId, types, after, upTo, limit) => {
    const rows = await db.query<EventRow>(
      `select ${columns} from "Event" where "threadId" = $1 and type = any($2) and seq > $3 and seq <= $4
       order by seq limit $5`,
      [threadId, types, after, upTo, limit],
    )
    return rows.map(toEvent)
  },

  last: async <T extends EventType>(threadId: string, type: T) => {
    const rows = await db.query<EventRow>(
      `select ${columns} from "Event" where "threadId" = $1 and type = $2 order by seq desc limit 1`,
      [threadId, type],
    )
    return rows[0] ? (toEvent(rows[0]) as Extract<ThreadEvent, { type: T }>) : null
  },

  openCommands: async (threadId) => {
    const rows = await db.query<EventRow>(
      `select ${columns} from "Event" s where "threadId" = $1 and type = 'command.started' and not exists (
         select 1 from "Event" x where x."threadId" = s."threadId" and x."itemId" = s."itemId"
           and x.type = 'command.exited' and (${safeJson('x.body')})->>'commandId' = (${safeJson('s.body')})->>'commandId')
       order by seq`,
      [threadId],
    )
    return rows.map((row) => toEvent(row) as Extract<ThreadEvent, { type: 'command.started' }>)
  },

  commandEnd: async (threadId, commandId) => {
    const rows = await db.query<{ body: EventBody<'command.exited'> }>(
      `select body from "Event" where "threadId" = $1 and type = 'command.exited' and (${safeJson('body')})->>'commandId' = $2
       limit 1`,
      [threadId, commandId],
    )
    return rows[0]?.body ?? null
  },
})
