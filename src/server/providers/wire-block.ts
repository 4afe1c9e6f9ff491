// The stored form of a block and the joining of bytes: what both directions of "made once, never serialised again" share.
// Knows no vendor field.
import type { WireBlock, WireSlot } from './types.ts'

const SPACE = 0x20
const LINE_FEED = 0x0a
const SLOTS: ReadonlySet<string> = new Set<WireSlot>([
  'tool',
  'instructions',
  'item',
  'assistant',
  'reasoning',
  'call',
  'result',
])

/** `json` is the exact fragment that is sent. `markable`: a cache mark may sit on it. */
export function makeWireBlock(slot: WireSlot, group: string, json: string, markable = true): WireBlock {
  const head = Buffer.from(`${slot} ${group.replace(/\s/g, '')}${markable ? '' : ' -'}\n`)
  return {
    slot,
    group,
    bytes: Buffer.concat([head, Buffer.from(json)]),
    jsonStart: head.length,
    markable,
  }
}

/** The inverse of storage. Throws when the bytes are not a stored block. */
export function decodeWireBlock(bytes: Uint8Array): WireBlock {
  const end = bytes.indexOf(LINE_FEED)
  const [slot = '', group = '', flag] = Buffer.from(bytes.subarray(0, Math.max(end, 0)))
    .toString()
    .split(String.fromCharCode(SPACE))
  if (end < 0 || !SLOTS.has(slot)) throw new Error('not a stored wire block')
  return { slot: slot as WireSlot, group, bytes, jsonStart: end + 1, markable: flag !== '-' }
}

export function jsonOf(block: WireBlock): Uint8Array {
  return block.bytes.subarray(block.jsonStart)
}

/** Collects pieces of a body; strings are constants of the format, bytes are stored fragments. */
export class BodyWriter {
  readonly #pieces: Uint8Array[] = []

  put(...pieces: (string | Uint8Array)[]): this {
    for (const piece of pieces)
      this.#pieces.push(typeof piece === 'string' ? (CONSTANTS.get(piece) ?? constant(piece)) : piece)
    return this
  }

  /** Fragments with commas between them. */
  list(fragments: readonly Uint8Array[]): this {
    fragments.forEach((fragment, at) => {
      if (at > 0) this.put(',')
      this.put(fragment)
    })
    return this
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#pieces)
  }
}

// Format constants are few and repeat in every body.
const CONSTANTS = new Map<string, Uint8Array>()
function constant(piece: string): Uint8Array {
  const bytes = Buffer.from(piece)
  if (piece.length < 64 && CONSTANTS.size < 256) CONSTANTS.set(piece, bytes)
  return bytes
}

/** The inside of JSON strings, joined as one string: `"a"`, `"b"` → `"a<between>b"`. */
export function joinStrings(strings: readonly Uint8Array[], between: string): (string | Uint8Array)[] {
  const pieces: (string | Uint8Array)[] = ['"']
  strings.forEach((fragment, at) => {
    if (at > 0 && between !== '') pieces.push(between)
    pieces.push(fragment.subarray(1, fragment.length - 1))
  })
  pieces.push('"')
  return pieces
}

/** Runs of consecutive blocks that are one element of the list on wires that merge by group. */
export type Run = { role: 'item' | 'assistant' | 'result'; first: number; blocks: WireBlock[] }

export function runsOf(blocks: readonly WireBlock[]): Run[] {
  const runs: Run[] = []
  blocks.forEach((block, at) => {
    if (block.slot === 'tool' || block.slot === 'instructions') return
    const role = block.slot === 'item' || block.slot === 'result' ? block.slot : 'assistant'
    const last = runs.at(-1)
    const merges =
      role !== 'item' &&
      last?.role === role &&
      last.blocks.at(-1)?.group === block.group &&
      block.group !== ''
    if (merges) last.blocks.push(block)
    else runs.push({ role, first: at, blocks: [block] })
  })
  return runs
}

/** JSON with lone surrogates and NUL replaced: vendors refuse such text. */
export function json(value: unknown): string {
  const out = JSON.stringify(value)
  return /\\u(?:d[89a-f]|0000)/i.test(out) ? out.replace(UNSENDABLE, '\ufffd') : out
}
// JSON.stringify writes only lone surrogates as escapes; the backslash must not itself be escaped.
const UNSENDABLE = /(?<=(?:^|[^\\])(?:\\\\)*)\\u(?:d[89a-f][0-9a-f]{2}|0000)/gi
