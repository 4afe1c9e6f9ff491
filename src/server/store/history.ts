/**
 * Reads of the log by item and by window, for whoever looks things up in it. Knows what an item's row is, not how its
 * text is put together.
 */
import type { EventBody } from '../../protocol/event.ts'
import type { HistoryRole } from '../../protocol/history.ts'
import type { Item, WindowReason } from '../../protocol/item.ts'
import type { Db } from './db.ts'
import { safeJson } from './rollout-sql.ts'
import type { EntryFilter, HistoryStore, ItemRow } from './types.ts'

/** How far back the newest call of a tool is looked for: what is older says nothing about now. */
const recentEvents = 5_000

type Row = {
  threadId: string
  seq: string
  windowId: string
  actorId: string
  at: number
  type: string
  body: { item: Item }
}

const columns = `e."threadId", e.seq, e."windowId", e."actorId", e.type,
  (extract(epoch from e.at) * 1000)::float8 as at, e.body`

/** What a filter looks at; what is read is the body as it was stored, with every character that it has. */
const item = `(${safeJson('e.body')})->'item'`

const toItem = (row: Row): ItemRow => ({
  threadId: row.threadId,
  seq: Number(row.seq),
  windowId: row.windowId,
  actorId: row.actorId,
  at: Math.round(row.at),
  done: row.type === 'item.completed',
  item: row.body.item,
})

const kindsOf: Record<HistoryRole, Item['type'][]> = {
  user: ['user_message'],
  assistant: ['agent_message', 'reasoning', 'plan', 'question'],
  tool: ['tool_call'],
  system: ['hand_over', 'notice'],
}

/** A filter by tool or by how a call ended means calls alone. */
const kinds = ({ role, tool, status }: EntryFilter): Item['type'][] | null => {
  const asked = role === undefined ? null : kindsOf[role]
  if (tool === undefined && status === undefined) return asked
  return asked === null || asked.includes('tool_call') ? ['tool_call'] : []
}

export const createHistoryStore = (db: Db): HistoryStore => ({
  windows: async (threadId) => {
    const rows = await db.query<{
      windowId: string
      index: number | null
      reason: WindowReason | null
      openedAt: number
      items: string
      lastSeq: string
    }>(
      `select g."windowId", g."openedAt", g.items, g."lastSeq", (o.body->>'index')::int4 as index, o.body->>'reason' as reason
       from (select "windowId", count(*) filter (where type = 'item.completed') as items, max(seq) as "lastSeq",
           min(seq) as first, (extract(epoch from min(at)) * 1000)::float8 as "openedAt"
         from "Event" where "threadId" = $1 group by "windowId") g
       left join lateral (select ${safeJson('e.body')} as body from "Event" e where e."threadId" = $1 and e.type = 'window.opened'
         and e."windowId" = g."windowId" order by e.seq limit 1) o on true order by g.first`,
      [threadId],
    )
    return rows.map((row, place) => {
      const next = rows[place + 1]
      return {
        windowId: row.windowId,
        index: row.index ?? place,
        reason: row.reason ?? 'first_turn',
        openedAt: Math.round(row.openedAt),
        closedAt: next ? Math.round(next.openedAt) : null,
        items: Number(row.items),
      }
    })
  },

  items: async (threadId, filter, { limit, recentFirst, cursor }) => {
    const rows = await db.query<Row>(
      `select ${columns} from "Event" e where e."threadId" = $1 and e.type = 'item.completed'
         and ($2::text is null or e."windowId" = $2)
         and ($3::text[] is null or ${item}->>'type' = any($3))
         and ($4::text is null or ${item}->>'tool' = $4)
         and ($5::text is null or ${item}->'state'->>'status' = $5)
         and ($6::int8 is null or e.seq ${recentFirst ? '<' : '>'} $6)
       order by e.seq ${recentFirst ? 'desc' : 'asc'} limit $7`,
      [
        ...[threadId, filter.windowId ?? null, kinds(filter), filter.tool ?? null],
        ...[filter.status ?? null, cursor, limit],
      ],
    )
    return rows.map(toItem)
  },

  item: async (threadId, itemId) => {
    const rows = await db.query<Row>(
      `select ${columns} from "Event" e where e."threadId" = $1 and e."itemId" = $2
         and (e.type in ('item.started', 'item.completed')) is true and ${item}->>'id' = $2
       order by e.type = 'item.completed' desc, e.seq desc limit 1`,
      [threadId, itemId],
    )
    return rows[0] ? toItem(rows[0]) : null
  },

  lastCall: async (threadId, tools) => {
    const rows = await db.query<Row>(
      `select ${columns} from "Event" e where e."threadId" = $1 and e.type = 'item.completed'
         and e.seq > (select max(seq) from "Event" where "threadId" = $1) - ${recentEvents}
         and ${item}->>'type' = 'tool_call' and ${item}->>'tool' = any($2)
       order by e.seq desc limit 1`,
      [threadId, tools],
    )
    return rows[0] ? toItem(rows[0]) : null
  },

  exit: async (threadId, itemId) => {
    const rows = await db.query<{ seq: string; body: EventBody<'command.exited'> }>(
      `select seq, body from "Event" where "threadId" = $1 and "itemId" = $2 and (type = 'command.exited') is true
       order by seq desc limit 1`,
      [threadId, itemId],
    )
    return rows[0] ? { seq: Number(rows[0].seq), body: rows[0].body } : null
  },
})
