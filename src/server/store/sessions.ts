/**
 * Open sign-ins, as the sign-in library keeps them: listed without their secrets, and ended. A session that is gone here
 * closes its sockets within a second.
 */
import type { SessionInfo } from '../../protocol/access.ts'
import { Fault } from '../../protocol/error.ts'
import { auditQuery } from './audit.ts'
import type { Db } from './db.ts'
import type { SessionStore } from './people-types.ts'

type Row = Omit<SessionInfo, 'current' | 'createdAt' | 'lastSeenAt' | 'expiresAt'> & {
  createdAt: Date
  lastSeenAt: Date
  expiresAt: Date
}

export const createSessionStore = (db: Db): SessionStore => ({
  email: async (sessionId) => {
    const [row] = await db.query<{ email: string }>(
      `select u.email from "Session" s join "User" u on u.id = s."userId" where s.id = $1 and s."expiresAt" > now()`,
      [sessionId],
    )
    return row?.email ?? null
  },

  list: async (userId) => {
    const rows = await db.query<Row>(
      `select id, "createdAt", "updatedAt" as "lastSeenAt", "expiresAt", "ipAddress" as address, left("userAgent", 500) as "userAgent"
       from "Session" where "userId" = $1 and "expiresAt" > now() order by "updatedAt" desc, id limit 500`,
      [userId],
    )
    return rows.map((row) => ({
      ...row,
      createdAt: row.createdAt.getTime(),
      lastSeenAt: row.lastSeenAt.getTime(),
      expiresAt: row.expiresAt.getTime(),
    }))
  },

  end: (sessionId, userId, actorId) =>
    db.transaction(async (client) => {
      const { rowCount } = await client.query(`delete from "Session" where id = $1 and "userId" = $2`, [
        sessionId,
        userId,
      ])
      if (rowCount !== 1)
        throw new Fault('not_found', 'There is no such session; it may have ended.', 'Reload the list.')
      await auditQuery(client, {
        ...{ actorId, action: 'session.end', targetType: 'member', targetId: userId },
        details: { sessionId },
      })
    }),

  endAll: (userId, except, actorId) =>
    db.transaction(async (client) => {
      const { rowCount } = await client.query(
        `delete from "Session" where "userId" = $1 and id is distinct from $2`,
        [userId, except],
      )
      await auditQuery(client, {
        ...{ actorId, action: 'session.end_all', targetType: 'member', targetId: userId },
        details: { sessions: rowCount ?? 0 },
      })
      return rowCount ?? 0
    }),
})
