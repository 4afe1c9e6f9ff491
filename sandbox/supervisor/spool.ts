// One command's output by offset: in memory while it is small, then the first and the last part of it in files, with
// a gap of known size between. Appending never waits, so that no command ever blocks on a missing reader.
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { SPOOL_SIDE_BYTES } from './protocol.ts'

const MEMORY_BYTES = 64 * 1024
const READ_BYTES = 256 * 1024

export type SpoolPart =
  | { type: 'data'; offset: number; bytes: Buffer }
  | { type: 'gap'; offset: number; missing: number }

export class Spool {
  /** All bytes ever appended. */
  total = 0
  private memory: Buffer[] = []
  private head = -1
  private tail = -1
  /** Where what is kept at the end begins; only bytes from the head's limit on are ever in the tail. */
  private tailFrom: number
  /** Bytes of the head that are really in the file: fewer than the limit only when the disk is full. */
  private headKept = 0
  private readonly path: string
  private readonly side: number

  /** @param side bytes kept at each end; not less than what is kept in memory */
  constructor(path: string, side: number = SPOOL_SIDE_BYTES) {
    this.path = path
    this.side = side
    this.tailFrom = side
  }

  get gapBytes(): number {
    if (this.head < 0) return 0
    const inHead = Math.min(this.total, this.side) - this.headKept
    return Math.max(0, inHead) + Math.max(0, Math.min(this.tailFrom, this.total) - this.side)
  }

  append(bytes: Buffer): void {
    if (this.head < 0 && this.total + bytes.length <= MEMORY_BYTES) {
      this.memory.push(bytes)
      this.total += bytes.length
      return
    }
    if (this.head < 0) this.spill()
    const inHead = Math.min(bytes.length, Math.max(0, this.side - this.total))
    if (inHead > 0 && this.headKept === this.total)
      this.headKept += this.put(this.head, bytes, 0, inHead, this.total)
    for (let at = inHead; at < bytes.length; ) {
      if (this.tail < 0) this.tail = this.open('tail')
      const position = (this.total + at) % this.side
      const length = Math.min(bytes.length - at, this.side - position)
      if (this.put(this.tail, bytes, at, length, position) < length) {
        // The disk is full: nothing up to here can be promised any more.
        this.tailFrom = this.total + at + length
      }
      at += length
    }
    this.total += bytes.length
    this.tailFrom = Math.max(this.tailFrom, this.total - this.side)
  }

  /** What is there at `from`, at most READ_BYTES of it; null at the end. */
  read(from: number): SpoolPart | null {
    if (from >= this.total) return null
    if (this.head < 0) {
      const all = this.memory.length === 1 && this.memory[0] ? this.memory[0] : Buffer.concat(this.memory)
      this.memory = [all]
      return { type: 'data', offset: from, bytes: all.subarray(from) }
    }
    if (from < this.headKept) return this.get(this.head, from, from, this.headKept - from)
    const next = Math.min(this.tailFrom, this.total)
    if (from < next) return { type: 'gap', offset: from, missing: next - from }
    const position = from % this.side
    return this.get(this.tail, from, position, Math.min(this.total - from, this.side - position))
  }

  close(): void {
    for (const fd of [this.head, this.tail]) if (fd >= 0) closeSync(fd)
    if (this.head >= 0) for (const part of ['head', 'tail']) rmSync(`${this.path}.${part}`, { force: true })
    this.memory = []
    this.head = this.tail = -1
    this.total = this.headKept = 0
  }

  private open(part: string): number {
    try {
      return openSync(`${this.path}.${part}`, 'w+', 0o600)
    } catch {
      return -2
    }
  }

  private spill(): void {
    this.head = this.open('head')
    if (this.head < 0) this.head = -1
    const all = Buffer.concat(this.memory)
    this.memory = []
    if (this.head < 0) this.head = openSync('/dev/null', 'r+')
    else this.headKept = this.put(this.head, all, 0, all.length, 0)
  }

  /** How many bytes were written: all, or fewer when the disk is full. */
  private put(fd: number, bytes: Buffer, from: number, length: number, position: number): number {
    let done = 0
    try {
      while (done < length) done += writeSync(fd, bytes, from + done, length - done, position + done)
    } catch {
      return done
    }
    return done
  }

  private get(fd: number, offset: number, position: number, length: number): SpoolPart {
    const bytes = Buffer.allocUnsafe(Math.min(length, READ_BYTES))
    const count = readSync(fd, bytes, 0, bytes.length, position)
    if (count === 0) return { type: 'gap', offset, missing: length }
    return { type: 'data', offset, bytes: bytes.subarray(0, count) }
  }
}
