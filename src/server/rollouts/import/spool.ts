/** A temporary file for what must be read from its end. */
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Fault } from '../../../protocol/error.ts'

export type Spooled = { path: string; bytes: number; remove(): Promise<void> }

/** Fault `too_large` beyond `maxBytes`; then nothing stays behind. */
export const spool = async (source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Spooled> => {
  const path = join(tmpdir(), `baton-import-${randomUUID()}`)
  const remove = (): Promise<void> => rm(path, { force: true })
  let bytes = 0
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      bytes += chunk.byteLength
      if (bytes > maxBytes)
        throw new Fault(
          'too_large',
          `The archive is larger than ${maxBytes.toLocaleString('en')} bytes.`,
          'Import a smaller one.',
        )
      yield chunk
    }
  }
  try {
    await pipeline(Readable.from(counted(), { objectMode: false }), createWriteStream(path, { mode: 0o600 }))
    return { path, bytes, remove }
  } catch (error) {
    await remove()
    throw error
  }
}
