/**
 * Content-addressed bytes in chunks of 1 MB. Writing the same bytes twice is one blob; who may read it is decided by a
 * reference from a thread.
 */

import { createHash } from 'node:crypto'
import { sha256 } from '../../lib/sha256.ts'
import { Fault } from '../../protocol/error.ts'
import { type Db, isAway, type Queryable, toFault } from './db.ts'
import type { BlobReader, BlobStore } from './types.ts'

const chunkBytes = 1_048_576

const missing = (): Fault =>
  new Fault(
    'not_found',
    'There is no such blob.',
    'Reload the page; what it belongs to may have been deleted.',
  )

/** Cuts a stream into chunks of exactly 1 MB and a rest. */
async function* inChunks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let size = 0
  for await (const piece of source) {
    held.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
    size += piece.byteLength
    while (size >= chunkBytes) {
      const all = Buffer.concat(held)
      yield all.subarray(0, chunkBytes)
      const rest = all.subarray(chunkBytes)
      held = [rest]
      size = rest.byteLength
    }
  }
  if (size > 0) yield Buffer.concat(held)
}

const insertChunk = (client: Queryable, hash: string, idx: number, bytes: Uint8Array): Promise<unknown> =>
  client.query(`insert into "BlobChunk" (hash, idx, bytes) values ($1, $2, $3) on conflict do nothing`, [
    hash,
    idx,
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  ])

/** Deletes those of the blobs that nothing refers to any more. */
export const collectBlobs = async (client: Queryable, hashes: string[]): Promise<void> => {
  await client.query(
    `delete from "Blob" b where b.hash = any($1)
       and not exists (select 1 from "BlobRef" r where r.hash = b.hash)
       and not exists (select 1 from "Project" p where p."uploadHash" = b.hash)`,
    [hashes],
  )
}

export const createBlobStore = (db: Db): BlobStore => {
  const size = async (hash: string): Promise<number | null> => {
    const rows = await db.query<{ size: string }>(`select size from "Blob" where hash = $1`, [hash])
    return rows[0] ? Number(rows[0].size) : null
  }

  async function* read(hash: string, range?: { from: number; limit: number }): AsyncGenerator<Uint8Array> {
    const total = await size(hash)
    if (total === null) throw missing()
    const from = Math.min(range?.from ?? 0, total)
    const end = Math.min(total, range ? from + range.limit : total)
    for (let at = from; at < end; ) {
      const idx = Math.floor(at / chunkBytes)
      const rows = await db.query<{ bytes: Buffer }>(
        `select bytes from "BlobChunk" where hash = $1 and idx = $2`,
        [hash, idx],
      )
      const chunk = rows[0]?.bytes
      if (!chunk) throw missing()
      const start = at - idx * chunkBytes
      const piece = chunk.subarray(start, Math.min(chunk.byteLength, end - idx * chunkBytes))
      if (piece.byteLength === 0) throw missing()
      at += piece.byteLength
      yield piece
    }
  }

  const reachable = async (threadId: string, hash: string): Promise<boolean> => {
    const rows = await db.query(`select 1 from "BlobRef" where "threadId" = $1 and hash = $2`, [
      threadId,
      hash,
    ])
    return rows.length === 1
  }

  const get = async (hash: string): Promise<Uint8Array> => {
    const rows = await db.query<{ size: string; bytes: Buffer | null }>(
      `select b.size, c.bytes from "Blob" b left join "BlobChunk" c on c.hash = b.hash where b.hash = $1 order by c.idx`,
      [hash],
    )
    const first = rows[0]
    if (!first) throw missing()
    const bytes = Buffer.concat(rows.flatMap((row) => (row.bytes ? [row.bytes] : [])))
    if (bytes.byteLength !== Number(first.size)) throw missing()
    return bytes
  }

  const of = (threadId: string): BlobReader => ({
    get: async (hash) => {
      if (!(await reachable(threadId, hash))) throw missing()
      return get(hash)
    },
    async *read(hash, range) {
      if (!(await reachable(threadId, hash))) throw missing()
      yield* read(hash, range)
    },
    size: async (hash) => ((await reachable(threadId, hash)) ? size(hash) : null),
  })

  return {
    put: async (bytes) => {
      const hash = sha256(bytes)
      if ((await size(hash)) !== null) return hash
      await db.transaction(async (client) => {
        await client.query(`insert into "Blob" (hash, size) values ($1, $2) on conflict do nothing`, [
          hash,
          bytes.byteLength,
        ])
        for (let at = 0, idx = 0; at < bytes.byteLength; at += chunkBytes, idx++)
          await insertChunk(client, hash, idx, bytes.subarray(at, at + chunkBytes))
      })
      return hash
    },

    // The hash is known at the end only: chunks wait under a name of their own in the same transaction.
    putStream: async (source, maxBytes) => {
      const client = await db.pool.connect()
      const waiting = `waiting-${crypto.randomUUID()}`
      const digest = createHash('sha256')
      let bytes = 0
      let broken: Error | undefined
      try {
        await client.query('begin')
        await client.query(`insert into "Blob" (hash, size) values ($1, 0)`, [waiting])
        let idx = 0
        for await (const chunk of inChunks(source)) {
          bytes += chunk.byteLength
          if (bytes > maxBytes)
            throw new Fault(
              'too_large',
              `This is larger than ${maxBytes} bytes.`,
              'Leave large files out, then try again.',
            )
          digest.update(chunk)
          await insertChunk(client, waiting, idx++, chunk)
        }
        const hash = digest.digest('hex')
        await client.query(`insert into "Blob" (hash, size) values ($1, $2) on conflict do nothing`, [
          hash,
          bytes,
        ])
        await client.query(
          `insert into "BlobChunk" (hash, idx, bytes) select $2, idx, bytes from "BlobChunk" where hash = $1
           on conflict do nothing`,
          [waiting, hash],
        )
        await client.query(`delete from "Blob" where hash = $1`, [waiting])
        await client.query('commit')
        return { hash, bytes }
      } catch (error) {
        await client.query('rollback').catch((failure: unknown) => {
          broken = failure instanceof Error ? failure : new Error(String(failure))
        })
        throw isAway(error) ? toFault(error, 'blob') : error
      } finally {
        client.release(broken)
      }
    },

    get,
    read,
    size,
    of,

    ref: async (threadId, hash) => {
      await db.query(`insert into "BlobRef" ("threadId", hash) values ($1, $2) on conflict do nothing`, [
        threadId,
        hash,
      ])
    },

    reachable,
  }
}
