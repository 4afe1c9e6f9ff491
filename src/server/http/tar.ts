/**
 * An uploaded folder, looked at before it is kept: a tar whose entries are files and folders with safe relative names.
 * It streams through a temporary file, so that a large folder costs no memory.
 */
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { extract } from 'tar-stream'
import { Fault } from '../../protocol/error.ts'
import { uploadLimits } from '../../protocol/upload.ts'

const refuse = (message: string): Fault =>
  new Fault('bad_input', message, 'Upload a folder of ordinary files.')

const isSafe = (name: string): boolean =>
  name.length > 0 &&
  name.length <= 4_096 &&
  !name.startsWith('/') &&
  !name.includes('\0') &&
  !name.split('/').includes('..')

export type InspectedTar = { path: string; files: number; bytes: number; remove(): Promise<void> }

/** Fault `bad_input` for what is no tar or holds links, devices or names that leave the folder; `too_large`. */
export const inspectTar = async (source: IncomingMessage, maxBytes: number): Promise<InspectedTar> => {
  const path = join(tmpdir(), `baton-upload-${randomUUID()}.tar`)
  const remove = () => rm(path, { force: true })
  let files = 0
  let bytes = 0
  let seen = 0
  const entries = extract()
  entries.on('entry', (header, stream, next) => {
    // A refused archive also fails the entry that is open; an error that nobody hears ends the process.
    stream.on('error', () => undefined)
    stream.on('end', next)
    stream.resume()
    if (header.type !== 'file' && header.type !== 'directory' && header.type !== 'contiguous-file') {
      return void entries.destroy(refuse(`${header.name} is a ${header.type}, which an upload may not hold.`))
    }
    if (!isSafe(header.name)) return void entries.destroy(refuse('A name in the upload leaves its folder.'))
    if (header.type === 'directory') return
    files += 1
    bytes += header.size ?? 0
    if (files > uploadLimits.files)
      entries.destroy(
        new Fault('too_large', `More than ${uploadLimits.files} files.`, 'Upload a smaller folder.'),
      )
  })
  const copy = createWriteStream(path, { mode: 0o600 })
  const tee = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      if (seen > maxBytes) {
        done(
          new Fault('too_large', `The upload is larger than ${maxBytes} bytes.`, 'Upload a smaller folder.'),
        )
      } else if (copy.write(chunk)) {
        done(null, chunk)
      } else {
        copy.once('drain', () => done(null, chunk))
      }
    },
  })
  try {
    const written = new Promise<void>((resolve, reject) => copy.once('finish', resolve).once('error', reject))
    written.catch(() => undefined)
    await pipeline(source, tee, entries)
    copy.end()
    await written
    return { path, files, bytes, remove }
  } catch (error) {
    copy.destroy()
    await remove()
    if (error instanceof Fault) throw error
    throw refuse('The upload is not a whole tar archive.')
  }
}
