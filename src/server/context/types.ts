/**
 * The window as the loop holds it: an append-only list of blocks whose wire bytes were made once. Knows no database and
 * no socket.
 */
import type { WindowTraits, WireBlock, WireKind } from '../providers/types.ts'

/** A new row of `WindowBlock`: what the window gained, in order. */
export type NewBlock = {
  idx: number
  /** A `PromptBlock` kind, or `world:<section>` for a part of the world state. */
  kind: string
  itemId: string | null
  /** Of calls and results: the provider's id of the call. */
  callId: string | null
  /** SHA-256 of what it says, before any wire; for a world section the fingerprint that the next difference is taken to. */
  hash: string
  /** The storage form (`WireBlock.bytes`); its SHA-256 is `wireHash`. */
  wire: Uint8Array
  /** Estimated. */
  tokens: number
  /** Why the model is given this, for people: `window_start`, `changed`, `message`, `output`, `result`, … */
  reason: string
}

/** Sums over the thread's answered requests, the newer weighing more: their quotient corrects estimates. */
export type Learned = { estimated: number; counted: number }

/** A row without its place and its bytes. */
export type BlockInfo = Omit<NewBlock, 'idx' | 'wire'>

/** What is fixed at a window's first step and stored with it as JSON. */
export type WindowFrozen = {
  wire: WireKind
  model: string
  family: string
  traits: WindowTraits
  thinking: boolean
  /** What the thread's windows before had taught when this one was opened; absent = nothing. */
  learned?: Learned
  /**
   * It holds what another program gave its model. The first turn here adds tools, and goes on whatever the family is, as
   * that program would.
   */
  imported?: true
}

/** A stored row, as it comes back from the database, in order of `idx`. */
export type StoredBlock = NewBlock

/** What the last request of the window was. `usage` figures are the provider's; null before the first answer. */
export type LastRequest = {
  blockCount: number
  /** Input and output tokens as the provider counted them, of that step or of the last one before it that was counted. */
  contextTokens: number | null
}

export type WindowSeed = {
  windowId: string
  index: number
  frozen: WindowFrozen | null
  blocks: StoredBlock[]
  lastRequest: LastRequest | null
}

/** Mutable; owned by one thread's runner and handed to each turn. */
export type WindowState = {
  readonly windowId: string
  readonly index: number
  /** Null until the first turn opens it. */
  frozen: WindowFrozen | null
  /** Every block in order, ready to be joined; what each of them is stands in `rows` at the same place. */
  wire: WireBlock[]
  rows: BlockInfo[]
  /** Sum of the blocks' estimates. */
  tokens: number
  lastRequest: LastRequest | null
  /** Estimated tokens of what was added after `lastRequest`, its own output not counted. */
  tokensSince: number
  learned: Learned
  /** Section id → fingerprint of what the model was last told. */
  told: Map<string, string>
  /** Calls of the window without a result yet, by item id, in call order; `group` is the step that made them. */
  openCalls: Map<string, { callId: string; group: string }>
  /** Every call id of the window. */
  callIds: Set<string>
  /** Items that stand in the window as a message, so that a resumed turn does not say them twice. */
  messages: Set<string>
}
