/**
 * What a model was given, request by request, as far as the file tells it: windows of blocks in the wire's own bytes.
 * Their hash grows with them, so that a request of a long window costs what is new in it. Holds one window in memory.
 */

import { createHash, type Hash } from 'node:crypto'
import { sha256 } from '../../../lib/sha256.ts'
import type { WireKind, WireSlot } from '../../providers/types.ts'
import { makeWireBlock } from '../../providers/wire-block.ts'

/** Bytes of one window; no model takes as much, and it is held while it grows. */
const maxWindowBytes = 32 * 1_024 ** 2
/** Characters of English and code for one token, roughly: what the blocks of an imported window are weighed with. */
const charsPerToken = 4

export type InputBlock = {
  slot: WireSlot
  kind: string
  /** The fragment as it is sent. */
  json: string
  reason: string
  itemId: string | null
  callId: string | null
  tokens: number
  hash: string
  bytes: Uint8Array
}

export const inputBlock = (
  kind: string,
  json: string,
  more: { slot?: WireSlot; reason: string; itemId?: string; callId?: string },
): InputBlock => {
  const slot = more.slot ?? 'item'
  const { bytes } = makeWireBlock(slot, '', json)
  return {
    slot,
    kind,
    json,
    reason: more.reason,
    itemId: more.itemId ?? null,
    callId: more.callId ?? null,
    tokens: Math.ceil(json.length / charsPerToken),
    hash: sha256(json),
    bytes,
  }
}

export type WindowInput = {
  readonly blocks: readonly InputBlock[]
  /** False when the window grew beyond what any model takes: nothing more is kept of it. */
  add(block: InputBlock): boolean
  /** SHA-256 of the request that the blocks make. */
  bodySha256(): string
  readonly envelope: string
}

/** Wires whose requests an import can put together. */
export type InputWire = Extract<WireKind, 'openai-responses' | 'openai-chat'>

const startOf: Record<InputWire, string> = {
  'openai-responses': ',"input":[',
  'openai-chat': ',"messages":[',
}

/** A window that begins with these blocks; instructions and tools can only be among them. */
export const windowInput = (wire: InputWire, envelope: string, first: readonly InputBlock[]): WindowInput => {
  const blocks: InputBlock[] = []
  let size = 0
  let isFull = false
  let items = 0
  const tools = first.filter(({ slot }) => slot === 'tool').map(({ json }) => json)
  const instructions = first
    .filter(({ slot }) => slot === 'instructions')
    .map(({ json }) => json.slice(1, -1))
  const hash: Hash = createHash('sha256')
  hash.update(envelope.slice(0, -1))
  if (tools.length > 0) hash.update(`,"tool_choice":"auto","tools":[${tools.join(',')}]`)
  if (instructions.length > 0) hash.update(`,"instructions":"${instructions.join('\\n\\n')}"`)
  hash.update(startOf[wire])
  const add = (block: InputBlock): boolean => {
    size += block.bytes.length
    isFull ||= size > maxWindowBytes
    if (isFull) return false
    blocks.push(block)
    if (block.slot === 'item') {
      if (items > 0) hash.update(',')
      hash.update(block.json)
      items += 1
    }
    return true
  }
  for (const block of first) add(block)
  return { blocks, add, envelope, bodySha256: () => hash.copy().update(']}').digest('hex') }
}
