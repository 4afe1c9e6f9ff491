// Git objects without git: hashing, and packs of whole objects with their index. A pack written here is complete by
// itself (no deltas), so that the server can keep it as it is.
import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { crc32, deflateSync } from 'node:zlib'

export type ObjectType = 'tree' | 'blob'
const typeNumbers: Record<ObjectType, number> = { tree: 2, blob: 3 }

export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
/** Fast rather than small: it runs beside the next model request. */
const LEVEL = 1
/** Below it an offset fits the index's short table; a pack that would be larger is refused. */
const PACK_MAX_BYTES = 2 ** 31 - 1
const HASH_CHUNK = 4 * 1024 * 1024

export const hashObject = (type: ObjectType, bytes: Uint8Array): string =>
  createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex')

export interface TreeEntry {
  name: Buffer
  mode: '100644' | '100755' | '120000' | '40000'
  id: string
}

/** Git's order: by bytes, a folder as if its name ended with a slash. */
const order = (a: TreeEntry, b: TreeEntry): number => {
  const key = (entry: TreeEntry): Buffer =>
    entry.mode === '40000' ? Buffer.concat([entry.name, Buffer.from('/')]) : entry.name
  return Buffer.compare(key(a), key(b))
}

export const treeBytes = (entries: TreeEntry[]): Buffer =>
  Buffer.concat(
    entries
      .toSorted(order)
      .flatMap(({ name, mode, id }) => [
        Buffer.from(`${mode} `),
        name,
        Buffer.from([0]),
        Buffer.from(id, 'hex'),
      ]),
  )

const sizeHeader = (type: ObjectType, size: number): Buffer => {
  const bytes: number[] = []
  let rest = Math.floor(size / 16)
  bytes.push((typeNumbers[type] << 4) | (size % 16) | (rest > 0 ? 0x80 : 0))
  while (rest > 0) {
    const low = rest % 128
    rest = Math.floor(rest / 128)
    bytes.push(low | (rest > 0 ? 0x80 : 0))
  }
  return Buffer.from(bytes)
}

/** Collects new objects into a file; nothing is visible before `finish`. */
export class PackWriter {
  private readonly folder: string
  private readonly temporary: string
  private fd = -1
  private offset = 12
  private readonly entries = new Map<string, { offset: number; crc: number }>()

  constructor(folder: string) {
    this.folder = folder
    this.temporary = `${folder}/tmp_pack_${process.pid}_${Date.now()}`
  }

  has(id: string): boolean {
    return this.entries.has(id)
  }

  add(type: ObjectType, id: string, bytes: Uint8Array): void {
    if (this.entries.has(id)) return
    if (this.fd < 0) {
      this.fd = openSync(this.temporary, 'w+', 0o600)
      writeSync(this.fd, Buffer.alloc(12), 0, 12, 0)
    }
    const entry = Buffer.concat([sizeHeader(type, bytes.length), deflateSync(bytes, { level: LEVEL })])
    if (this.offset + entry.length > PACK_MAX_BYTES) throw new Error('the new objects do not fit one pack')
    for (let done = 0; done < entry.length; )
      done += writeSync(this.fd, entry, done, entry.length - done, this.offset + done)
    this.entries.set(id, { offset: this.offset, crc: crc32(entry) })
    this.offset += entry.length
  }

  /** Null when nothing was added. The id is the pack's checksum. */
  finish(): { id: string; bytes: number; objects: number; ids: string[] } | null {
    if (this.fd < 0) return null
    const head = Buffer.alloc(12)
    head.write('PACK')
    head.writeUInt32BE(2, 4)
    head.writeUInt32BE(this.entries.size, 8)
    writeSync(this.fd, head, 0, 12, 0)
    const hash = createHash('sha1')
    const chunk = Buffer.allocUnsafe(HASH_CHUNK)
    for (let at = 0; at < this.offset; ) {
      const count = readSync(this.fd, chunk, 0, Math.min(chunk.length, this.offset - at), at)
      if (count === 0) throw new Error('the pack was cut')
      hash.update(chunk.subarray(0, count))
      at += count
    }
    const checksum = hash.digest()
    writeSync(this.fd, checksum, 0, 20, this.offset)
    closeSync(this.fd)
    this.fd = -1
    const id = checksum.toString('hex')
    const ids = [...this.entries.keys()].sort()
    const index = openSync(`${this.temporary}.idx`, 'w', 0o600)
    try {
      writeSync(index, this.index(ids, checksum))
    } finally {
      closeSync(index)
    }
    // The index last: git looks for packs by their index.
    renameSync(this.temporary, `${this.folder}/pack-${id}.pack`)
    renameSync(`${this.temporary}.idx`, `${this.folder}/pack-${id}.idx`)
    return { id, bytes: this.offset + 20, objects: ids.length, ids }
  }

  discard(): void {
    if (this.fd >= 0) closeSync(this.fd)
    this.fd = -1
    rmSync(this.temporary, { force: true })
    rmSync(`${this.temporary}.idx`, { force: true })
  }

  private index(ids: string[], packChecksum: Buffer): Buffer {
    const fanout = Buffer.alloc(1024)
    const crcs = Buffer.alloc(ids.length * 4)
    const offsets = Buffer.alloc(ids.length * 4)
    const names = Buffer.alloc(ids.length * 20)
    const counts = new Array<number>(256).fill(0)
    ids.forEach((id, i) => {
      const entry = this.entries.get(id)
      names.write(id, i * 20, 'hex')
      crcs.writeUInt32BE(entry?.crc ?? 0, i * 4)
      offsets.writeUInt32BE(entry?.offset ?? 0, i * 4)
      const first = Number.parseInt(id.slice(0, 2), 16)
      counts[first] = (counts[first] ?? 0) + 1
    })
    let sum = 0
    counts.forEach((count, i) => {
      sum += count
      fanout.writeUInt32BE(sum, i * 4)
    })
    const head = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2])
    const body = Buffer.concat([head, fanout, names, crcs, offsets, packChecksum])
    return Buffer.concat([body, createHash('sha1').update(body).digest()])
  }
}

/** The ids that a pack's index (version 2) lists. */
export const idsOfIndex = (path: string): string[] => {
  const bytes = readFileSync(path)
  if (bytes.length < 1032 || bytes.readUInt32BE(0) !== 0xff744f63) return []
  const count = bytes.readUInt32BE(1028)
  return Array.from({ length: count }, (_, i) => bytes.toString('hex', 1032 + i * 20, 1052 + i * 20))
}
