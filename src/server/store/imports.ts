/**
 * Files of rollouts that people gave to be read: how far each is, what came of it. Threads that are being read stay
 * hidden until their import is done.
 */
import { Fault } from '../../protocol/error.ts'
import { cleanText } from './append.ts'
import type { Db } from './db.ts'
import type { ImportRow, ImportStore } from './import-types.ts'
import type { NoteVersion } from './note-types.ts'

type Row = Omit<ImportRow, 'importId' | 'bytes' | 'readBytes' | 'createdAt'> & {
  id: string
  bytes: string | null
  readBytes: string
  createdAt: number
}

const columns = `id, "ownerId", "projectId", worker, "fileName", bytes, "readBytes", status, "threadIds", report, error,
  (extract(epoch from "createdAt") * 1000)::float8 as "createdAt"`

const toImport = ({ id, bytes, readBytes, createdAt, ...row }: Row): ImportRow => ({
  importId: id,
  ...row,
  bytes: bytes === null ? null : Number(bytes),
  readBytes: Number(readBytes),
  createdAt: Math.round(createdAt),
})

export const createImportStore = (db: Db): ImportStore => ({
  begin: async (row) => {
    const rows = await db.query(
      `insert into "Import" (id, "ownerId", "projectId", worker, "fileName", bytes, status, "threadIds")
       values ($1, $2, $3, $4, $5, $6, $7, '{}') on conflict do nothing returning id`,
      [row.importId, row.ownerId, row.projectId, row.worker, cleanText(row.fileName), row.bytes, row.status],
    )
    if (rows.length === 0)
      throw new Fault('conflict', 'An import of this id was begun before.', 'Import the file again.')
  },

  save: async (importId, { readBytes, status, threadIds, report, error }) => {
    await db.query(
      `update "Import" set "readBytes" = coalesce($2, "readBytes"), status = coalesce($3, status),
         "threadIds" = coalesce($4, "threadIds"), report = case when $5 then $6::json else report end,
         error = case when $7 then $8::json else error end where id = $1`,
      [
        importId,
        readBytes ?? null,
        status ?? null,
        threadIds ?? null,
        report !== undefined,
        report ? JSON.stringify(report) : null,
        error !== undefined,
        error ? JSON.stringify(error) : null,
      ],
    )
  },

  finish: async (importId, { readBytes, threadIds, report }) => {
    await db.query(
      `with done as (update "Import" set status = 'done', "readBytes" = $2, "threadIds" = $3, report = $4, error = null
         where id = $1)
       update "Thread" t set importing = false, imported = (t.imported::jsonb || jsonb_build_object('turns',
         (select (p.state->>'turns')::int4 from "ThreadProjection" p where p."threadId" = t.id)))::json
       where t.id = any($3)`,
      [importId, readBytes, threadIds, JSON.stringify(report)],
    )
  },

  addNotes: async (threadId, notes) => {
    const column = (name: keyof NoteVersion): unknown[] => notes.map((note) => note[name])
    const text = (name: 'agentPath' | 'path' | 'actorId' | 'writer'): string[] =>
      notes.map((note) => cleanText(note[name]))
    await db.query(
      `insert into "Note" ("rootThreadId", "agentPath", path, version, newest, hash, bytes, "actorId", writer,
         "createdAt", at)
       select $1, n.agent, n.path, n.version, false, n.hash, n.bytes, n.actor, n.writer,
         to_timestamp(n.created / 1000), to_timestamp(n.at / 1000)
       from unnest($2::text[], $3::text[], $4::int4[], $5::text[], $6::int4[], $7::text[], $8::text[], $9::float8[],
         $10::float8[]) as n(agent, path, version, hash, bytes, actor, writer, created, at)
       on conflict do nothing`,
      [
        threadId,
        text('agentPath'),
        text('path'),
        column('version'),
        column('hash'),
        column('bytes'),
        text('actorId'),
        text('writer'),
        column('createdAt'),
        column('at'),
      ],
    )
    await db.query(
      `update "Note" n set newest = not exists (select 1 from "Note" o where o."rootThreadId" = n."rootThreadId"
         and o."agentPath" = n."agentPath" and o.path = n.path and o.version > n.version)
       where n."rootThreadId" = $1`,
      [threadId],
    )
  },

  get: async (importId) => {
    const rows = await db.query<Row>(`select ${columns} from "Import" where id = $1`, [importId])
    return rows[0] ? toImport(rows[0]) : null
  },

  list: async (ownerId, limit) => {
    const rows = await db.query<Row>(
      `select ${columns} from "Import" where "ownerId" = $1 order by "createdAt" desc, id desc limit $2`,
      [ownerId, limit],
    )
    return rows.map(toImport)
  },

  abandoned: async () => {
    const rows = await db.query<Row>(
      `select ${columns} from "Import" i where status = 'running' and not exists (
         select 1 from "Owner" o where o.id = i.worker and o."expiresAt" > clock_timestamp())`,
    )
    return rows.map(toImport)
  },

  hidden: async (importId) => {
    const rows = await db.query<{ id: string }>(
      `select id from "Thread" where importing and imported->>'importId' = $1`,
      [importId],
    )
    return rows.map(({ id }) => id)
  },
})
