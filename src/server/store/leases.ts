/**
 * Which process may write a thread: heartbeats by the database's clock, fences that grow with each take-over. Knows no
 * events.
 */
import { Fault } from '../../protocol/error.ts'
import type { Db, Queryable } from './db.ts'
import type { Lease, LeaseStore } from './types.ts'

/** How long a heartbeat is good for; renewed every second. */
const leaseTime = `interval '4 seconds'`

type LeaseRow = { threadId: string; fence: string }

const toLease = (row: LeaseRow): Lease => ({ threadId: row.threadId, fence: Number(row.fence) })

/** Moves everything of these owners, whose rows the transaction has locked, to another one. */
const takeFrom = async (client: Queryable, owners: string[], ownerId: string): Promise<Lease[]> => {
  if (owners.length === 0) return []
  // Locked in id order, as appends do, so that the two never wait for each other in a circle.
  await client.query(`select 1 from "ThreadLease" where "ownerId" = any($1) order by "threadId" for update`, [
    owners,
  ])
  const { rows } = await client.query<LeaseRow>(
    `update "ThreadLease" set "ownerId" = $2, fence = fence + 1 where "ownerId" = any($1)
     returning "threadId", fence`,
    [owners, ownerId],
  )
  await client.query(`delete from "Owner" where id = any($1)`, [owners])
  return rows.map(toLease)
}

export const createLeaseStore = (db: Db): LeaseStore => ({
  register: async ({ ownerId, installId, worker }) => {
    await db.query(
      `insert into "Owner" (id, "installId", worker, "expiresAt") values ($1, $2, $3, clock_timestamp() + ${leaseTime})
       on conflict (id) do nothing`,
      [ownerId, installId, worker],
    )
  },

  renew: async (ownerId) => {
    const rows = await db.query(
      `update "Owner" set "expiresAt" = clock_timestamp() + ${leaseTime} where id = $1 returning id`,
      [ownerId],
    )
    return rows.length === 1
  },

  release: async (ownerId) => {
    await db.query(`update "Owner" set "expiresAt" = clock_timestamp() - interval '1 second' where id = $1`, [
      ownerId,
    ])
  },

  takePredecessors: ({ ownerId, installId, worker }) =>
    db.transaction(async (client) => {
      const { rows } = await client.query<{ id: string }>(
        `select id from "Owner" where "installId" = $1 and worker = $2 and id <> $3 order by id for update`,
        [installId, worker, ownerId],
      )
      return takeFrom(
        client,
        rows.map((row) => row.id),
        ownerId,
      )
    }),

  sweep: (ownerId) =>
    db.transaction(async (client) => {
      const { rows } = await client.query<{ id: string }>(
        `select o.id from "Owner" o join "Owner" me on me.id = $1 and me."installId" = o."installId"
         where o."expiresAt" < clock_timestamp() and o.id <> $1 order by o.id for update of o skip locked`,
        [ownerId],
      )
      return takeFrom(
        client,
        rows.map((row) => row.id),
        ownerId,
      )
    }),

  claim: (threadId, ownerId) =>
    db.transaction(async (client) => {
      const { rows } = await client.query<LeaseRow & { ownerId: string; alive: boolean }>(
        `select l."threadId", l.fence, l."ownerId", o."expiresAt" > clock_timestamp() as alive
         from "ThreadLease" l join "Owner" o on o.id = l."ownerId" where l."threadId" = $1 for update of l`,
        [threadId],
      )
      const row = rows[0]
      if (!row)
        throw new Fault('not_found', 'There is no such thread.', 'Reload the page; it may have been deleted.')
      if (row.ownerId === ownerId) return toLease(row)
      if (row.alive)
        throw new Fault(
          'lease_lost',
          'Another server process runs this thread.',
          'Try again in a few seconds.',
        )
      const taken = await client.query<LeaseRow>(
        `update "ThreadLease" set "ownerId" = $2, fence = fence + 1 where "threadId" = $1 returning "threadId", fence`,
        [threadId, ownerId],
      )
      return toLease(taken.rows[0] ?? row)
    }),

  unfinished: async (ownerId) => {
    const rows = await db.query<LeaseRow>(
      `select l."threadId", l.fence from "ThreadLease" l join "ThreadProjection" p on p."threadId" = l."threadId"
         join "Thread" t on t.id = l."threadId" and not t.importing
       where l."ownerId" = $1 and (
         p.status not in ('idle', 'failed', 'closed') or p.sandbox not in ('absent', 'stopped', 'lost')
         or exists (select 1 from "Op" o where o."threadId" = l."threadId" and o.status in ('accepted', 'queued')))`,
      [ownerId],
    )
    return rows.map(toLease)
  },
})
