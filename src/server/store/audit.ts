/**
 * Who changed what, one row for each change that is not an event of a thread.
 */
import type { Queryable } from './db.ts'
import type { Client } from './prisma.ts'
import { toJson } from './prisma.ts'
import type { AuditEntry } from './types.ts'

/** The write, to be put into the transaction of the change that it tells of. */
export const auditRow = (client: Pick<Client, 'audit'>, entry: AuditEntry) =>
  client.audit.create({
    data: {
      actorId: entry.actorId,
      action: entry.action,
      targetType: entry.targetType,
      targetId: entry.targetId,
      details: toJson(entry.details ?? {}),
    },
  })

/** The same as SQL, for transactions that are written in it. */
export const auditQuery = (client: Queryable, entry: AuditEntry) =>
  client.query(
    `insert into "Audit" ("actorId", action, "targetType", "targetId", details) values ($1, $2, $3, $4, $5)`,
    [entry.actorId, entry.action, entry.targetType, entry.targetId, JSON.stringify(entry.details ?? {})],
  )
