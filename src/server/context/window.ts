/**
 * The block list of a window: opened empty or loaded from stored rows, then only appended to. Each block's bytes are
 * made once, here. Knows no vendor: a `Wire` does the encoding.
 */
import { sha256 } from '../../lib/sha256.ts'
import type { PromptBlock, Wire, WireBlock } from '../providers/types.ts'
import { estimateTokens, learnedFrom, learnedFromRows, nothingLearned, scaleOf } from './budget.ts'
import type { NewBlock, WindowSeed, WindowState } from './types.ts'

const worldKind = 'world:'

/** A window that nothing was put into; `append` takes blocks once it is open. */
export const emptyWindow = (windowId: string, index: number): WindowState => ({
  windowId,
  index,
  frozen: null,
  wire: [],
  rows: [],
  tokens: 0,
  lastRequest: null,
  tokensSince: 0,
  learned: nothingLearned,
  told: new Map(),
  openCalls: new Map(),
  callIds: new Set(),
  messages: new Set(),
})

/**
 * A window that has nothing yet, or the one that stored rows describe (in order of `idx`, without holes). `decode` is
 * the providers' inverse of storage.
 */
export const loadWindow = (seed: WindowSeed, decode: (bytes: Uint8Array) => WireBlock): WindowState => {
  const window: WindowState = {
    ...emptyWindow(seed.windowId, seed.index),
    frozen: seed.frozen,
    lastRequest: seed.lastRequest,
  }
  for (const row of seed.blocks) note(window, row, decode(row.wire))
  window.tokensSince = uncounted(window.rows.slice(seed.lastRequest?.blockCount ?? 0))
  window.learned = learnedFromRows(window)
  return window
}

/** What the window knows of a row, be it new or loaded. */
const note = (window: WindowState, row: NewBlock, wire: WireBlock): void => {
  const { idx: _idx, wire: _wire, ...info } = row
  window.wire.push(wire)
  window.rows.push(info)
  window.tokens += row.tokens
  if (row.idx >= (window.lastRequest?.blockCount ?? 0) && !isOutput(row.kind))
    window.tokensSince += row.tokens
  if (row.kind.startsWith(worldKind)) window.told.set(row.kind.slice(worldKind.length), row.hash)
  if (row.callId !== null) window.callIds.add(row.callId)
  if (row.itemId === null) return
  if (row.kind === 'tool_call' && row.callId !== null)
    window.openCalls.set(row.itemId, { callId: row.callId, group: wire.group })
  else if (row.kind === 'tool_result') window.openCalls.delete(row.itemId)
  else if (row.kind === 'user') window.messages.add(row.itemId)
}

// The provider's count of a step holds what it put out, so output must not be counted again by estimate.
const isOutput = (kind: string): boolean =>
  kind === 'assistant' || kind === 'reasoning' || kind === 'tool_call' || kind === 'other'

/**
 * Estimated tokens of the rows after a counted request. What it put out comes first and was counted with it; output
 * behind anything else is of a later request that nobody counted.
 */
const uncounted = (rows: readonly Pick<NewBlock, 'kind' | 'tokens'>[]): number => {
  const first = rows.findIndex(({ kind }) => !isOutput(kind))
  return first < 0 ? 0 : rows.slice(first).reduce((sum, { tokens }) => sum + tokens, 0)
}

export type BlockNote = {
  reason: string
  itemId?: string
  /** A part of the world state, and the fingerprint of what it says. */
  section?: { id: string; fingerprint: string }
}

/** Appends a block. Null when this wire never sends it in this window; then there is no row. */
export const append = (
  window: WindowState,
  wire: Wire,
  block: PromptBlock,
  about: BlockNote,
): NewBlock | null => {
  if (window.frozen === null) throw new Error('the window is not open')
  const encoded = wire.encodeBlock(block, window.frozen.traits)
  if (encoded === null) return null
  const row: NewBlock = {
    idx: window.wire.length,
    kind: about.section === undefined ? block.kind : worldKind + about.section.id,
    itemId: about.itemId ?? null,
    callId: block.kind === 'tool_call' || block.kind === 'tool_result' ? block.callId : null,
    hash: about.section?.fingerprint ?? sha256(JSON.stringify(block)),
    wire: encoded.bytes,
    tokens: estimateTokens(block, scaleOf(window)),
    reason: about.reason,
  }
  note(window, row, encoded)
  return row
}

/**
 * Appends a block that another window of the same wire and traits has, byte for byte. What it was is kept: a world
 * section stays told, a call stays a call.
 */
export const carry = (window: WindowState, from: WindowState, at: number, reason?: string): NewBlock => {
  const info = from.rows[at]
  const wire = from.wire[at]
  if (info === undefined || wire === undefined) throw new Error(`the window has no block ${at}`)
  const row: NewBlock = {
    ...info,
    idx: window.wire.length,
    wire: wire.bytes,
    reason: reason ?? info.reason,
  }
  note(window, row, wire)
  // Output that came along was not counted in an answer of this window.
  if (isOutput(row.kind)) window.tokensSince += row.tokens
  return row
}

/** The hashes of the tools that the window advertises, in their order. */
export const toolHashes = (window: WindowState): string[] =>
  window.rows.filter(({ kind }) => kind === 'tool').map(({ hash }) => hash)

/** What an answered step was counted at; null = the provider said nothing. */
export type Counted = { inputTokens: number; contextTokens: number }

/** After a step: the provider counted everything up to here, and the estimate learns from it; or it said nothing. */
export const settle = (window: WindowState, requestBlocks: number, counted: Counted | null): void => {
  if (counted === null) {
    // The count before it stays the truth; what came of this request is estimated like everything since.
    const output = window.rows.slice(requestBlocks).filter(({ kind }) => isOutput(kind))
    window.tokensSince += output.reduce((sum, { tokens }) => sum + tokens, 0)
    const contextTokens = window.lastRequest?.contextTokens ?? null
    window.lastRequest = { blockCount: requestBlocks, contextTokens }
    return
  }
  window.learned = learnedFrom(window, counted.inputTokens)
  window.lastRequest = { blockCount: requestBlocks, contextTokens: counted.contextTokens }
  window.tokensSince = 0
}

/** An id for a call that the window does not know yet: some vendors count calls anew in every answer. */
export const uniqueCallId = (window: WindowState, callId: string, taken: ReadonlySet<string>): string => {
  const used = (id: string): boolean => window.callIds.has(id) || taken.has(id)
  if (!used(callId)) return callId
  let n = 2
  while (used(`${callId}_${n}`)) n += 1
  return `${callId}_${n}`
}
