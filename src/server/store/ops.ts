/**
 * The durable inbox of each thread. An id names one op for ever: the same content again is the same op.
 */
import { sha256 } from '../../lib/sha256.ts'
import { Fault } from '../../protocol/error.ts'
import type { Op, OpReceipt, OpStatus, StoredOp } from '../../protocol/op.ts'
import { type Db, toFault } from './db.ts'
import type { OpStore } from './types.ts'

type OpRow = {
  threadId: string
  clientId: string
  body: Op
  bodyHash: string
  actorId: string
  status: OpStatus
  receipt: OpReceipt | null
  position: number | null
  acceptedAt: number
}

const columns = `"threadId", "clientId", body, "bodyHash", "actorId", status, receipt, position,
  (extract(epoch from "acceptedAt") * 1000)::float8 as "acceptedAt"`

const toOp = (row: OpRow): StoredOp => ({
  threadId: row.threadId,
  clientId: row.clientId,
  op: row.body,
  actorId: row.actorId,
  status: row.status,
  acceptedAt: Math.round(row.acceptedAt),
  position: row.position,
})

/** JSON with sorted names, so that the same content always has the same hash. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

export const createOpStore = (db: Db): OpStore => {
  const find = async (threadId: string, opId: string): Promise<OpRow | null> => {
    const rows = await db.query<OpRow>(
      `select ${columns} from "Op" where "threadId" = $1 and "clientId" = $2`,
      [threadId, opId],
    )
    return rows[0] ?? null
  }

  return {
    accept: async (op) => {
      const bodyHash = sha256(canonical(op.op))
      let isNew: boolean
      try {
        const rows = await db.query(
          `insert into "Op" ("threadId", "clientId", type, body, "bodyHash", "actorId", status, "acceptedAt")
           values ($1, $2, $3, $4, $5, $6, 'accepted', to_timestamp($7::float8 / 1000))
           on conflict do nothing returning 1`,
          [op.threadId, op.clientId, op.op.type, JSON.stringify(op.op), bodyHash, op.actorId, op.acceptedAt],
        )
        isNew = rows.length === 1
      } catch (error) {
        throw toFault(error instanceof Fault ? (error.cause ?? error) : error, 'thread')
      }
      if (isNew) return { stored: { ...op, status: 'accepted', position: null }, receipt: null, isNew }
      const known = await find(op.threadId, op.clientId)
      if (!known)
        throw new Fault('not_found', 'There is no such thread.', 'Reload the page; it may have been deleted.')
      if (known.bodyHash !== bodyHash || known.actorId !== op.actorId)
        throw new Fault(
          'conflict',
          'This op id was used before with other content.',
          'Send the request again with a new id.',
        )
      return { stored: toOp(known), receipt: known.receipt, isNew }
    },

    pending: async (threadId) => {
      const rows = await db.query<OpRow>(
        `select ${columns} from "Op" where "threadId" = $1 and status in ('accepted', 'queued')
         order by case status when 'accepted' then 0 else 1 end, position nulls last, "acceptedAt", "clientId"`,
        [threadId],
      )
      return rows.map(toOp)
    },

    get: async (threadId, opId) => {
      const row = await find(threadId, opId)
      return row ? toOp(row) : null
    },
  }
}
