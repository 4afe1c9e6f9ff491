/**
 * A whole rollout, read in order and in bounded pieces: what is written to a file. Everything is read up to what there
 * was when the reading began, so that a thread that goes on gives a rollout that fits together.
 */
import { Fault } from '../../protocol/error.ts'
import type { WindowFrozen } from '../context/types.ts'
import type { Db, Queryable } from './db.ts'
import type { RolloutManifest, WholeStore } from './whole-types.ts'
import { type StepDbRow, stepColumns, toStep } from './windows.ts'

type HeadRow = {
  title: string
  createdAt: number
  idMask: string | null
  head: string
  seed: { hash?: string; packs?: string[] } | null
}

const manifest = async (client: Queryable, threadId: string): Promise<RolloutManifest> => {
  const ask = async <R>(text: string): Promise<R[]> =>
    (await client.query(text, [threadId])).rows as unknown as R[]
  const [head] = await ask<HeadRow>(
    `select t.title, (extract(epoch from t."createdAt") * 1000)::float8 as "createdAt", t."idMask", t.seed,
       (select coalesce(max(seq), 0) from "Event" e where e."threadId" = t.id) as head
     from "Thread" t where t.id = $1`,
  )
  if (!head) throw new Fault('not_found', 'There is no such thread.', 'Reload the page.')
  const windows = await ask<RolloutManifest['windows'][number] & { frozen: WindowFrozen }>(
    `select w.id as "windowId", w.index, w.frozen,
       (select count(*)::int4 from "WindowBlock" b where b."windowId" = w.id) as blocks,
       (select count(*)::int4 from "Step" s where s."windowId" = w.id) as steps
     from "Window" w where w."threadId" = $1 order by w.index`,
  )
  const notes = await ask<RolloutManifest['notes'][number]>(
    `select "agentPath", path, version, hash, bytes, "actorId", writer,
       round(extract(epoch from "createdAt") * 1000)::float8 as "createdAt",
       round(extract(epoch from at) * 1000)::float8 as at
     from "Note" where "rootThreadId" = $1
     order by "agentPath" collate "C", path collate "C", version`,
  )
  // What only the first workspace was made from belongs to the project or to the thread it was forked from.
  const seeds = [...(head.seed?.packs ?? []), ...(head.seed?.hash === undefined ? [] : [head.seed.hash])]
  const blobs = (
    await client.query<{ hash: string; bytes: string }>(
      `select r.hash, b.size as bytes from "BlobRef" r join "Blob" b on b.hash = r.hash
       where r."threadId" = $1 and not (r.hash = any($2)) order by r.hash`,
      [threadId, seeds],
    )
  ).rows
  return {
    threadId,
    title: head.title,
    createdAt: Math.round(head.createdAt),
    idMask: head.idMask,
    head: Number(head.head),
    windows,
    notes,
    blobs: blobs.map(({ hash, bytes }) => ({ hash, bytes: Number(bytes) })),
  }
}

export const createWholeStore = (db: Db): WholeStore => ({
  manifest: (threadId) =>
    db.transaction(async (client) => {
      await client.query('set transaction isolation level repeatable read, read only')
      return manifest(client, threadId)
    }),

  blocks: async (windowId, from, limit) => {
    const rows = await db.query<{
      idx: number
      hash: string
      kind: string
      itemId: string | null
      callId: string | null
      tokens: number
      reason: string
      wireHash: string
      wire: Buffer | null
    }>(
      `select idx, hash, kind, "itemId", "callId", tokens, reason, "wireHash", wire from "WindowBlock"
       where "windowId" = $1 and idx >= $2 order by idx limit $3`,
      [windowId, from, limit],
    )
    return rows
  },

  steps: async (windowId, from, limit) => {
    const rows = await db.query<StepDbRow>(
      `select ${stepColumns} from "Step" s where s."windowId" = $1
       order by s."startedAt", s.index, s.id offset $2 limit $3`,
      [windowId, from, limit],
    )
    return rows.map(toStep)
  },
})
