// Which pack came with which checkpoint, so that a server that missed an answer gets what it lacks in one pack.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { Checkpoint } from '../protocol.ts'
import type { Repository } from './repository.ts'

const ENTRIES_MAX = 5_000
const HEAD_BYTES = 12
const TRAILER_BYTES = 20

type Entry = { tree: string; pack: string | null }

/** Packs without deltas, one after the other as one pack. */
export const joinPacks = (packs: Buffer[]): { id: string; bytes: Buffer; objects: number } => {
  const objects = packs.reduce((sum, pack) => sum + pack.readUInt32BE(8), 0)
  const head = Buffer.alloc(HEAD_BYTES)
  head.write('PACK')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(objects, 8)
  const body = Buffer.concat([head, ...packs.map((pack) => pack.subarray(HEAD_BYTES, -TRAILER_BYTES))])
  const checksum = createHash('sha1').update(body).digest()
  return { id: checksum.toString('hex'), bytes: Buffer.concat([body, checksum]), objects }
}

export class Journal {
  private readonly repository: Repository
  private readonly path: string
  private entries: Entry[] = []

  constructor(repository: Repository) {
    this.repository = repository
    this.path = `${repository.folder}/journal.json`
    try {
      this.entries = JSON.parse(readFileSync(this.path, 'utf8'))
    } catch {
      // The first checkpoint of this sandbox.
    }
  }

  add(tree: string, pack: string | null): void {
    if (pack === null && this.entries.at(-1)?.tree === tree) return
    this.entries.push({ tree, pack })
    this.entries = this.entries.slice(-ENTRIES_MAX)
    writeFileSync(`${this.path}.new`, JSON.stringify(this.entries))
    renameSync(`${this.path}.new`, this.path)
  }

  /** All objects made after the first checkpoint that had this tree; all there are when it is null or unknown. */
  after(since: string | null): Checkpoint['pack'] {
    const known = since === null ? -1 : this.entries.findIndex(({ tree }) => tree === since)
    const ids = this.entries.slice(known + 1).flatMap(({ pack }) => (pack === null ? [] : [pack]))
    const pathOf = (id: string): string => `${this.repository.packFolder}/pack-${id}.pack`
    const [first, ...more] = ids
    if (first === undefined) return null
    const outgoing = `${this.repository.folder}/outgoing`
    rmSync(outgoing, { recursive: true, force: true })
    if (more.length === 0) {
      const head = readFileSync(pathOf(first)).subarray(0, HEAD_BYTES)
      return { id: first, bytes: statSync(pathOf(first)).size, objects: head.readUInt32BE(8) }
    }
    const joined = joinPacks(ids.map((id) => readFileSync(pathOf(id))))
    mkdirSync(outgoing, { mode: 0o700 })
    writeFileSync(`${outgoing}/pack-${joined.id}.pack`, joined.bytes)
    return { id: joined.id, bytes: joined.bytes.length, objects: joined.objects }
  }
}
