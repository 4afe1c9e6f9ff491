/**
 * Who changed, shared or read what, one row for each thing that is not an event of a thread. By which session or token it
 * was done is known here while a door does it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { AuditRow } from '../../protocol/access.ts'
import type { Db, Queryable } from './db.ts'
import type { AuditStore } from './people-types.ts'
import type { Client } from './prisma.ts'
import { toJson } from './prisma.ts'
import type { AuditEntry } from './types.ts'

type By = { type: 'session' | 'token'; id: string }

const doing = new AsyncLocalStorage<{ by: By | null }>()

/** One call of a door: who comes is known once it runs. */
export const audited = <T>(work: () => T): T => doing.run({ by: null }, work)

/** What is written down from here on in this call was done by this session or token. */
export const auditedBy = (by: By): void => {
  const call = doing.getStore()
  if (call) call.by = by
}

const keepsDetails = (entry: AuditEntry): object => entry.details ?? {}

/** The write, to be put into the transaction of the change that it tells of. */
export const auditRow = (client: Pick<Client, 'audit'>, entry: AuditEntry) => {
  const by = doing.getStore()?.by
  return client.audit.create({
    data: {
      actorId: entry.actorId,
      action: entry.action,
      targetType: entry.targetType,
      targetId: entry.targetId,
      details: toJson(keepsDetails(entry)),
      viaType: by?.type ?? null,
      viaId: by?.id ?? null,
    },
  })
}

/** The same as SQL, for transactions that are written in it. */
export const auditQuery = (client: Queryable, entry: AuditEntry) => {
  const by = doing.getStore()?.by
  return client.query(
    `insert into "Audit" ("actorId", action, "targetType", "targetId", details, "viaType", "viaId")
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      ...[entry.actorId, entry.action, entry.targetType, entry.targetId],
      JSON.stringify(keepsDetails(entry)),
      ...[by?.type ?? null, by?.id ?? null],
    ],
  )
}

type Row = Omit<AuditRow, 'via'> & { viaType: 'session' | 'token' | null; viaId: string | null }

const like = (text: string): string => text.replace(/[\\%_]/g, (char) => `\\${char}`)

export const createAuditStore = (db: Db): AuditStore => ({
  list: async ({ actorId, action, targetType, targetId, from, to, cursor, limit }) => {
    const rows = await db.query<Row>(
      `select a.id::text as id, (extract(epoch from a.at) * 1000)::float8 as at, a."actorId", u.name as "actorName",
         a.action, a."targetType", a."targetId", a.details, a."viaType", a."viaId"
       from "Audit" a left join "User" u on u.id = a."actorId"
       where ($1::text is null or a."actorId" = $1) and ($2::text is null or a.action = $2 or a.action like $3)
         and ($4::text is null or a."targetType" = $4) and ($5::text is null or a."targetId" = $5)
         and ($6::float8 is null or a.at >= to_timestamp($6 / 1000))
         and ($7::float8 is null or a.at < to_timestamp($7 / 1000))
         and ($8::int8 is null or a.id < $8)
       order by a.id desc limit $9`,
      [
        ...[actorId ?? null, action ?? null, action === undefined ? null : `${like(action)}.%`],
        ...[targetType ?? null, targetId ?? null, from ?? null, to ?? null, cursor ?? null, limit + 1],
      ],
    )
    const shown = rows.slice(0, limit)
    return {
      rows: shown.map(({ viaType, viaId, at, ...row }) => ({
        ...row,
        at: Math.round(at),
        via: viaType !== null && viaId !== null ? { type: viaType, id: viaId } : null,
      })),
      cursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
    }
  },
})
