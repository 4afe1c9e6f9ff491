/**
 * A ZIP archive in a file, entry by entry: its directory is read first, then each entry as a stream that stops at a cap.
 * Nothing is ever written under an entry's name. Knows no format.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { createInflateRaw, createZstdDecompress } from 'node:zlib'
import { Fault } from '../../../protocol/error.ts'

export type ZipEntry = {
  name: string
  method: number
  packed: number
  size: number
  offset: number
  /** Its name would leave a folder: it is told, and read like any other. */
  isUnsafe: boolean
}

export type Zip = { entries: ZipEntry[]; close(): Promise<void>; handle: FileHandle }

const maxEntries = 20_000
const endSize = 22
const maxComment = 65_535
const directoryBytes = 64 * 1_024 ** 2

const broken = (): Fault =>
  new Fault(
    'import_rejected',
    'The archive is broken: its directory cannot be read.',
    'Import a whole archive.',
  )

const readAt = async (handle: FileHandle, from: number, bytes: number): Promise<Buffer> => {
  if (from < 0 || bytes < 0) throw broken()
  const buffer = Buffer.alloc(bytes)
  const { bytesRead } = await handle.read(buffer, 0, bytes, from)
  return buffer.subarray(0, bytesRead)
}

const number = (value: bigint): number => {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw broken()
  return Number(value)
}

type Directory = { offset: number; size: number; count: number }

const findDirectory = async (handle: FileHandle, fileSize: number): Promise<Directory> => {
  const tailSize = Math.min(fileSize, endSize + maxComment)
  const tail = await readAt(handle, fileSize - tailSize, tailSize)
  let at = tail.length - endSize
  while (at >= 0 && tail.readUInt32LE(at) !== 0x06054b50) at -= 1
  if (at < 0) throw broken()
  const plain = {
    count: tail.readUInt16LE(at + 10),
    size: tail.readUInt32LE(at + 12),
    offset: tail.readUInt32LE(at + 16),
  }
  const locatorAt = at - 20
  if (locatorAt < 0 || tail.readUInt32LE(locatorAt) !== 0x07064b50) return plain
  const large = await readAt(handle, number(tail.readBigUInt64LE(locatorAt + 8)), 56)
  if (large.length < 56 || large.readUInt32LE(0) !== 0x06064b50) throw broken()
  return {
    count: number(large.readBigUInt64LE(32)),
    size: number(large.readBigUInt64LE(40)),
    offset: number(large.readBigUInt64LE(48)),
  }
}

/** Sizes and place of an entry that is too large for the old fields. */
const wide = (extra: Buffer, entry: { packed: number; size: number; offset: number }): void => {
  for (let at = 0; at + 4 <= extra.length; ) {
    const id = extra.readUInt16LE(at)
    const size = extra.readUInt16LE(at + 2)
    const field = extra.subarray(at + 4, at + 4 + size)
    at += 4 + size
    if (id !== 1) continue
    let from = 0
    const next = (): number => {
      if (from + 8 > field.length) throw broken()
      from += 8
      return number(field.readBigUInt64LE(from - 8))
    }
    if (entry.size === 0xffffffff) entry.size = next()
    if (entry.packed === 0xffffffff) entry.packed = next()
    if (entry.offset === 0xffffffff) entry.offset = next()
  }
}

const leaves = (name: string): boolean =>
  name.startsWith('/') ||
  name.includes('\\') ||
  name.includes('\0') ||
  name.split('/').includes('..') ||
  /^[a-z]:/i.test(name)

export const openZip = async (path: string): Promise<Zip> => {
  const handle = await open(path, 'r')
  try {
    const { size: fileSize } = await handle.stat()
    const { offset, size, count } = await findDirectory(handle, fileSize)
    if (size > directoryBytes || count > maxEntries || offset + size > fileSize)
      throw count > maxEntries
        ? new Fault(
            'import_rejected',
            `The archive has more than ${maxEntries.toLocaleString('en')} entries.`,
            'Import a smaller one.',
          )
        : broken()
    const directory = await readAt(handle, offset, size)
    const entries: ZipEntry[] = []
    for (let at = 0; at + 46 <= directory.length && entries.length < count; ) {
      if (directory.readUInt32LE(at) !== 0x02014b50) throw broken()
      const nameSize = directory.readUInt16LE(at + 28)
      const extraSize = directory.readUInt16LE(at + 30)
      const commentSize = directory.readUInt16LE(at + 32)
      const name = directory.subarray(at + 46, at + 46 + nameSize).toString('utf8')
      const entry = {
        packed: directory.readUInt32LE(at + 20),
        size: directory.readUInt32LE(at + 24),
        offset: directory.readUInt32LE(at + 42),
      }
      wide(directory.subarray(at + 46 + nameSize, at + 46 + nameSize + extraSize), entry)
      entries.push({ name, method: directory.readUInt16LE(at + 10), ...entry, isUnsafe: leaves(name) })
      at += 46 + nameSize + extraSize + commentSize
    }
    return { entries, handle, close: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error instanceof RangeError ? broken() : error
  }
}

const inflaters: Record<number, (() => NodeJS.ReadWriteStream) | null> = {
  0: null,
  8: () => createInflateRaw(),
  93: () => createZstdDecompress(),
}

/** The entry's bytes. Ends with a Fault when its packing is not known, it is broken, or it is larger than `maxBytes`. */
export async function* readEntry(zip: Zip, entry: ZipEntry, maxBytes: number): AsyncGenerator<Uint8Array> {
  const make = inflaters[entry.method]
  if (make === undefined)
    throw new Fault(
      'import_rejected',
      `It is packed in a way (${entry.method}) that cannot be read.`,
      'Pack it anew.',
    )
  const head = await readAt(zip.handle, entry.offset, 30)
  if (head.length < 30 || head.readUInt32LE(0) !== 0x04034b50) throw broken()
  const from = entry.offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28)
  async function* packed(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < entry.packed; ) {
      const piece = await readAt(zip.handle, from + at, Math.min(65_536, entry.packed - at))
      if (piece.length === 0) throw broken()
      at += piece.length
      yield piece
    }
  }
  const source = Readable.from(packed(), { objectMode: false })
  const stream = make === null ? source : make()
  if (stream !== source) {
    source.on('error', (error) => (stream as Readable).destroy(error))
    source.pipe(stream as NodeJS.WritableStream)
  }
  let size = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes)
        throw new Fault(
          'import_rejected',
          `It unpacks to more than ${maxBytes.toLocaleString('en')} bytes.`,
          'Import a smaller one.',
        )
      yield chunk
    }
  } catch (error) {
    if (error instanceof Fault) throw error
    throw new Fault('import_rejected', 'Its data is broken.', 'Import a whole archive.')
  } finally {
    source.destroy()
    ;(stream as Readable).destroy()
  }
}
