/**
 * Notes: files by agent and path, every version kept. A text is one blob, and one chunk of it, since the limit of a
 * file is below a chunk's size. Writers of one agent's notes wait for each other, so that versions have no holes.
 */
import { sha256 } from '../../lib/sha256.ts'
import { Fault } from '../../protocol/error.ts'
import { type NoteFile, type NoteText, noteBytes, noteLimits } from '../../protocol/note.ts'
import type { Db, Queryable } from './db.ts'
import type { NoteOrder, NoteStore, NotesOf } from './types.ts'

type NoteRow = {
  agentPath: string
  path: string
  version: number
  bytes: number
  actorId: string
  createdAt: number
  updatedAt: number
  hash: string
  writer: string
}
type TextRow = NoteRow & { text: Buffer | null }

const columns = `n."agentPath", n.path, n.version, n.bytes, n."actorId", n.hash, n.writer,
  (extract(epoch from n."createdAt") * 1000)::float8 as "createdAt",
  (extract(epoch from n.at) * 1000)::float8 as "updatedAt"`
const withText = `${columns}, c.bytes as text from "Note" n
  left join "BlobChunk" c on c.hash = n.hash and c.idx = 0
    and exists (select 1 from "BlobRef" r where r."threadId" = n."rootThreadId" and r.hash = n.hash)`
const of = `n."rootThreadId" = $1 and n."agentPath" = $2`

const toFile = (row: NoteRow): NoteFile => ({
  agentPath: row.agentPath,
  path: row.path,
  version: row.version,
  bytes: row.bytes,
  actorId: row.actorId,
  createdAt: Math.round(row.createdAt),
  updatedAt: Math.round(row.updatedAt),
})
const textOf = (row: TextRow): string => row.text?.toString('utf8') ?? ''
const toText = (row: TextRow): NoteText => ({ ...toFile(row), text: textOf(row) })

const orders: Record<NoteOrder['orderBy'], string> = {
  name: 'n.path collate "C"',
  created_at: 'n."createdAt"',
  updated_at: 'n.at',
}

/** Where a page goes on: behind the file that ended the one before. */
const follows = ({ orderBy, descending, after }: NoteOrder): string => {
  if (after === undefined) return '$4::text is null'
  const key = orders[orderBy]
  const at = key.replace('n.', 'l.')
  const than = descending ? '<' : '>'
  return `(${key}, n.path collate "C") ${than} (select ${at}, l.path collate "C" from "Note" l
    where l."rootThreadId" = $1 and l."agentPath" = $2 and l.path = $4 and l.newest)`
}

const newest = async (client: Queryable, { rootThreadId, agentPath }: NotesOf, path: string) => {
  const { rows } = await client.query<TextRow>(
    `select ${withText} where ${of} and n.path = $3 and n.newest`,
    [rootThreadId, agentPath, path],
  )
  return rows[0] ?? null
}

const checkRoom = async (client: Queryable, { rootThreadId, agentPath }: NotesOf): Promise<void> => {
  const { rows } = await client.query<{ files: number }>(
    `select count(*)::int4 as files from "Note" n where ${of} and n.newest`,
    [rootThreadId, agentPath],
  )
  if ((rows[0]?.files ?? 0) >= noteLimits.files)
    throw new Fault(
      'note_rejected',
      `There are ${noteLimits.files} notes already, which is the most.`,
      'Add to a file that exists.',
    )
}

const keepText = async (client: Queryable, rootThreadId: string, bytes: Uint8Array): Promise<string> => {
  const hash = sha256(bytes)
  await client.query(`insert into "Blob" (hash, size) values ($1, $2) on conflict do nothing`, [
    hash,
    bytes.byteLength,
  ])
  if (bytes.byteLength > 0)
    await client.query(
      `insert into "BlobChunk" (hash, idx, bytes) values ($1, 0, $2) on conflict do nothing`,
      [hash, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)],
    )
  await client.query(`insert into "BlobRef" ("threadId", hash) values ($1, $2) on conflict do nothing`, [
    rootThreadId,
    hash,
  ])
  return hash
}

export const createNoteStore = (db: Db): NoteStore => ({
  list: async (notes, prefix, order) => {
    const direction = order.descending ? 'desc' : 'asc'
    const values = [notes.rootThreadId, notes.agentPath, prefix]
    const [rows, count] = await Promise.all([
      db.query<NoteRow>(
        `select ${columns} from "Note" n where ${of} and n.newest and starts_with(n.path, $3) and ${follows(order)}
         order by ${orders[order.orderBy]} ${direction}, n.path collate "C" ${direction} limit $5`,
        [...values, order.after ?? null, order.limit],
      ),
      db.query<{ files: number }>(
        `select count(*)::int4 as files from "Note" n where ${of} and n.newest and starts_with(n.path, $3)`,
        values,
      ),
    ])
    return { files: rows.map(toFile), total: count[0]?.files ?? 0 }
  },

  read: async (notes, path, version) => {
    const rows = await db.query<TextRow>(
      `select ${withText} where ${of} and n.path = $3 and case when $4::int4 is null then n.newest else n.version = $4 end`,
      [notes.rootThreadId, notes.agentPath, path, version ?? null],
    )
    return rows[0] ? toText(rows[0]) : null
  },

  versions: async (notes, path, { before, limit }) => {
    const rows = await db.query<NoteRow>(
      `select ${columns} from "Note" n where ${of} and n.path = $3 and n.version < coalesce($4::int4, 2147483647)
       order by n.version desc limit $5`,
      [notes.rootThreadId, notes.agentPath, path, before ?? null, limit],
    )
    return rows.map(toFile)
  },

  find: async (notes, { literal, prefix, limit, recentFirst }) => {
    const order = recentFirst ? 'n.at desc, n.path collate "C"' : 'n.path collate "C"'
    const rows = await db.query<TextRow>(
      `select ${withText} where ${of} and n.newest and starts_with(n.path, $3)
         and position($4::bytea in c.bytes) > 0 order by ${order} limit $5`,
      [notes.rootThreadId, notes.agentPath, prefix, Buffer.from(literal), limit],
    )
    return rows.map(toText)
  },

  write: (notes, { path, text, mode, actorId, writer, seen }) =>
    db.transaction(async (client) => {
      const { rootThreadId, agentPath } = notes
      await client.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [
        `notes ${rootThreadId} ${agentPath}`,
      ])
      const before = await newest(client, notes, path)
      if (!before) await checkRoom(client, notes)
      const bytes = noteBytes(mode === 'append' && before ? textOf(before) + text : text)
      const isOthers = before !== null && before.writer !== writer && before.version > seen
      const over =
        mode === 'write' && before && isOthers
          ? { version: before.version, actorId: before.actorId, at: Math.round(before.updatedAt) }
          : null
      const hash = await keepText(client, rootThreadId, bytes)
      if (before?.hash === hash) return { file: toFile(before), over: null, unchanged: true }
      if (before)
        await client.query(
          `update "Note" n set newest = false where ${of} and n.path = $3 and n.version = $4`,
          [rootThreadId, agentPath, path, before.version],
        )
      const { rows } = await client.query<NoteRow>(
        `insert into "Note" as n ("rootThreadId", "agentPath", path, version, hash, bytes, "actorId", writer, "createdAt", at)
         values ($1, $2, $3, $4, $5, $6, $7, $8,
           coalesce(to_timestamp($9::float8 / 1000), clock_timestamp()), clock_timestamp()) returning ${columns}`,
        [
          ...[rootThreadId, agentPath, path, (before?.version ?? 0) + 1, hash, bytes.byteLength],
          ...[actorId, writer, before?.createdAt ?? null],
        ],
      )
      return { file: toFile(rows[0] as NoteRow), over, unchanged: false }
    }),
})
