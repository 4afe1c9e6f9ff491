// The wire-neutral contract between what a window holds, what a model is sent and what it answers.
// agent/ and context/ see only these shapes; a vendor's field name never leaves this room.
// Types only: implementations are `wireFor` (wire.ts), `ProviderFailure` (errors.ts), `createProvider` (provider.ts).

import type { Effort } from '../../protocol/settings.ts'

/** The formats spoken. Fixed for the life of a window. */
export type WireKind = 'openai-responses' | 'openai-chat' | 'anthropic-messages' | 'google-genai'

// ---- what the model is given -------------------------------------------------------------------------------

/** `data` is base64 without a data-URL head. Text must be valid Unicode (no lone surrogates): encoders repair it. */
export type PromptPart = { type: 'text'; text: string } | { type: 'image'; mediaType: string; data: string }

/**
 * What a vendor wants back verbatim. `item` is that vendor's own JSON object; only the wire that made it may read it,
 * and it is sent only on a window of the same wire.
 */
export type ProviderPayload = { wire: WireKind; item: Record<string, unknown> }

/**
 * One item of the window, in reading order: tools, then instructions, then everything else. Instructions and tools
 * come first and are never followed by more of their kind (they are frozen per window).
 * `group` on output and results is the id of the step that made them: consecutive blocks of one group are one
 * assistant message (or one user message of results) on wires that merge them, so a message once sent never changes.
 */
export type PromptBlock =
  | { kind: 'tool'; name: string; description: string; parameters: Record<string, unknown>; strict?: boolean }
  | { kind: 'instructions'; text: string }
  /** Context the harness adds: world state, rules, reminders, hints. */
  | { kind: 'developer'; parts: PromptPart[] }
  | { kind: 'user'; parts: PromptPart[] }
  | (OutputBlock & { group: string })
  /** `name` is the tool's: some vendors want it beside the id. */
  | {
      kind: 'tool_result'
      callId: string
      name: string
      parts: PromptPart[]
      isError: boolean
      group: string
    }

/** What a model produced; comes out of `item.completed` and goes back in as it is, plus its `group`. */
export type OutputBlock =
  /** `phase` is the vendor's word, when it has one: text beside tool calls, or the answer. */
  | { kind: 'assistant'; text: string; phase?: 'commentary' | 'final'; payload?: ProviderPayload }
  /** `text` is for people (may be empty); `payload` is what may be replayed, null when nothing can be. */
  | { kind: 'reasoning'; text: string; payload: ProviderPayload | null }
  /** `argumentsText` is what the model wrote, which may be no JSON at all. */
  | { kind: 'tool_call'; callId: string; name: string; argumentsText: string; payload?: ProviderPayload }
  /** An item run by the vendor (web search, code run…), replayed verbatim. `label` says what it is. */
  | { kind: 'other'; label: string; payload: ProviderPayload }

/** How one window speaks on its wire; chosen once by `windowTraits(model)` and kept with the window. */
export type WindowTraits = {
  /**
   * Whether reasoning is handed back in this window, and on the chat wire under which field. `none`: never sent.
   * `payload`: the vendor's own item (Responses: encrypted reasoning; Messages: signed thinking; Google: thought signatures).
   */
  reasoning: 'none' | 'payload' | 'reasoning_content' | 'reasoning' | 'reasoning_details'
  /** Chat vendors that refuse an assistant message without the field once thinking is on. */
  reasoningOnEveryMessage: boolean
  /** The role of instructions and developer blocks on the chat wire; `user` for what cannot be system in mid-talk. */
  developerRole: 'developer' | 'system' | 'user'
  maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** How thinking is asked for on the Messages wire and on Google's (there `adaptive` is a level). */
  thinking: 'none' | 'adaptive' | 'budget'
  /** The server takes the OpenAI-only fields (`prompt_cache_key`); others may refuse a field they do not know. */
  cacheKey: boolean
  images: boolean
}

/** Where a stored block goes in the body. Only `assembleBody` reads it. */
export type WireSlot =
  | 'tool'
  | 'instructions'
  | 'item' // a whole element of the list (Responses input item, a message)
  | 'assistant' // content of an assistant message, merged by group
  | 'reasoning'
  | 'call'
  | 'result' // content of a user message of results, merged by group

/**
 * A block as it goes over the wire, made once by `encodeBlock`, stored, and never serialised again.
 * `bytes` is the storage form: one line `slot SP group LF`, then the JSON fragment that is sent. `WindowBlock.wireHash`
 * is the sha256 of `bytes`; `decodeWireBlock(bytes)` gives the same WireBlock back.
 */
export type WireBlock = {
  slot: WireSlot
  group: string
  bytes: Uint8Array
  jsonStart: number
  markable: boolean
}

/** Everything of a request but its blocks. Same envelope, same bytes. */
export type Envelope = {
  model: string
  /** Null: the model's own default. One of `ModelInfo.efforts`; each wire says it in its vendor's words. */
  effort: Effort | null
  /** Whether thinking is asked for on wires that have a switch; fixed per window. */
  thinking: boolean
  maxOutputTokens: number
  /** The window id: same prefix, same key. Sent where the vendor has such a field. */
  promptCacheKey: string
  parallelToolCalls: boolean
  /**
   * The vendor's name of its own copy of tools and instructions (`HeadCopies`). The body then names it in their place:
   * in reading order the prompt is the same, and the envelope says where its head is.
   */
  headCopy?: string
  /** Extra top-level fields of the connection's settings (vendor switches). Merged last. */
  extra?: Record<string, unknown>
}

/** One wire format, pure: no socket, no clock. `S` is opaque to callers. */
export type Wire<S = unknown> = {
  readonly kind: WireKind
  /**
   * Null: this block is never sent on this window (reasoning that is not handed back, unsigned thinking, an image
   * the model cannot see is replaced by a sentence instead). Such a block gets no WindowBlock row.
   */
  encodeBlock(block: PromptBlock, traits: WindowTraits): WireBlock | null
  /**
   * The output of one step that may be appended to the window, in order. Drops reasoning without its follower, calls
   * without a name or id, empty text; adds the empty reasoning some vendors insist on. Call it once per step, with the
   * completed items of that step only.
   */
  sendable(output: readonly OutputBlock[], traits: WindowTraits): OutputBlock[]
  /** The bytes whose sha256 is `Step.envelopeHash`. */
  encodeEnvelope(envelope: Envelope, traits: WindowTraits): Uint8Array
  /**
   * Which blocks (indexes) get a cache mark: at most four, [] on wires without marks. `previousCount` is the block count
   * of the window's last request (0 for the first), so that its end stays a readable cache entry.
   */
  planCacheMarks(blocks: readonly WireBlock[], previousCount: number): number[]
  /** The exact request body. Pure function of stored bytes: the same input gives the same bytes for ever. */
  assembleBody(envelope: Uint8Array, blocks: readonly WireBlock[], cacheMarks: readonly number[]): Uint8Array
  start(): S
  /** One parsed server-sent event in, what it means out. Never throws on odd vendor shapes. */
  step(state: S, event: WireEvent): [S, ModelEvent[]]
  /** The body ended. Closes what is complete, then `completed`, or `failed` with stream_cut when the end is missing. */
  finish(state: S): ModelEvent[]
}

/** `event` is the SSE event name or null; `data` the parsed JSON; `[DONE]` arrives as the string. */
export type WireEvent = { event: string | null; data: unknown }

// ---- what the model answers --------------------------------------------------------------------------------

/** Tokens. `inputTokens` includes cached and cache-write tokens; `outputTokens` includes reasoning. */
export type Usage = {
  inputTokens: number
  cachedInputTokens: number
  cacheWriteTokens: number
  outputTokens: number
  reasoningTokens: number
}

export type StopReason =
  | 'end'
  | 'tool_calls'
  | 'max_output'
  | 'stop_sequence'
  | 'refused' // content filter, safety
  | 'paused' // the vendor wants the same request again with what it produced
  | 'context_full'
  | 'other'

/** `item` counts the items of one response from 0 in the order they started. */
export type ModelEvent =
  | { type: 'response.started'; responseId: string | null; model: string | null }
  | { type: 'item.started'; item: number; kind: OutputBlock['kind']; callId?: string; name?: string }
  | { type: 'text.delta'; item: number; text: string }
  | { type: 'reasoning.delta'; item: number; text: string }
  | { type: 'arguments.delta'; item: number; text: string }
  /** The item is whole and will not change: a tool call may start now. */
  | { type: 'item.completed'; item: number; block: OutputBlock }
  /** May come more than once; the last one counts. */
  | { type: 'usage'; usage: Usage }
  | { type: 'completed'; stopReason: StopReason; rawStopReason: string | null; responseId: string | null }
  /** The answer ended badly. `Provider.stream` throws it as ProviderFailure after yielding everything before. */
  | { type: 'failed'; error: ProviderError }

// ---- errors ------------------------------------------------------------------------------------------------

export type ProviderErrorCode =
  | 'provider_auth'
  | 'provider_quota'
  | 'provider_rate_limited'
  | 'provider_overloaded'
  | 'provider_unreachable'
  | 'provider_bad_request'
  | 'provider_protocol'
  | 'provider_policy'
  | 'context_overflow'
  | 'stream_cut'
  | 'model_not_found'

/**
 * A failed request as facts. `retryable`: 408, 409, 429 without a quota, every 5xx, transport errors, cut streams.
 * `message` is the vendor's sentence, one line, at most 1,000 characters, without keys.
 */
export type ProviderError = {
  code: ProviderErrorCode
  message: string
  retryable: boolean
  /** From Retry-After or retry-after-ms. */
  retryAfterMs: number | null
  status: number | null
  requestId: string | null
}

// ---- the edge ----------------------------------------------------------------------------------------------

/** `body` comes from `assembleBody` and is what goes out, byte for byte. */
export type ModelRequest = { body: Uint8Array; model: string }

/** Called synchronously, must not throw. All optional. */
export type StreamHooks = {
  /** Just before the bytes leave. */
  onSent?(sent: { bodySha256: string; bytes: number }): void
  /** The answer's head is there. `requestId` is the vendor's. */
  onHead?(head: { status: number; requestId: string | null }): void
  /** Each piece of the body as received, before parsing. */
  onRaw?(chunk: Uint8Array): void
}

/**
 * One configured connection to a vendor. The iteration ends after `completed`; it throws ProviderFailure (see errors.ts:
 * `isProviderFailure(e)`, `e.error: ProviderError`) on every vendor or transport fault, and the signal's reason when the
 * signal aborts. It never retries: that is the loop's decision. 300 s without a byte is `stream_cut`
 * (`provider_unreachable` before the answer's head).
 */
export type Provider = {
  readonly wire: Wire
  stream(request: ModelRequest, signal: AbortSignal, hooks?: StreamHooks): AsyncIterable<ModelEvent>
  /** Ids the connection's own `/models` lists; throws ProviderFailure. */
  listModels(signal: AbortSignal): Promise<string[]>
  /** Absent where the vendor keeps no copies on demand. */
  readonly headCopies?: HeadCopies
}

/** `tokens` as the vendor counted them; `ttlMs` from now. */
export type HeadCopy = { name: string; tokens: number; ttlMs: number }

/** Copies of a window's tools and instructions at the vendor, each with a time to live. All throw ProviderFailure. */
export type HeadCopies = {
  make(
    head: { model: string; blocks: readonly WireBlock[]; ttlMs: number },
    signal: AbortSignal,
  ): Promise<HeadCopy>
  /** Gives it so much time from now. */
  extend(name: string, ttlMs: number, signal: AbortSignal): Promise<void>
  remove(name: string, signal: AbortSignal): Promise<void>
}

/** What settings hold about a vendor connection. The key is plain text here and exists only in memory. */
export type ProviderConnection = {
  wire: WireKind
  /** Null: the vendor's own address. With the version path (`…/v1`) on OpenAI wires, without on Anthropic's; Google's takes both. */
  baseUrl: string | null
  apiKey: string
  headers?: Record<string, string>
  /** The labelled offline model of the demo. */
  demo?: boolean
}

// ---- the catalogue -----------------------------------------------------------------------------------------

/** Integer micro-dollars per million tokens. */
export type Rates = { input: number; cachedInput: number; cacheWrite: number; output: number }

/** `tiers`: the rates of a whole request whose input is larger than `aboveInputTokens`, ascending. */
export type Prices = Rates & { tiers?: (Rates & { aboveInputTokens: number })[] }

export type ModelInfo = {
  id: string
  label: string
  wire: WireKind
  /** Models of one family may follow each other within a window (same tokenizer, same reasoning payloads). */
  family: string
  /** Tokens of input and output together. */
  contextTokens: number
  /** Share of `contextTokens` the harness fills before a window counts as full (0 to 1). */
  usableShare: number
  maxOutputTokens: number
  /** Those that the model does not refuse, weakest first; [] when it has no such switch. */
  efforts: Effort[]
  /** Null: nothing is said, and the vendor's own default holds. */
  defaultEffort: Effort | null
  /** Null: unknown, shown as such; cost then counts as 0. */
  prices: Prices | null
  supports: { images: boolean; tools: boolean; parallelTools: boolean; reasoning: boolean }
  /** A copy of the window's head is made at the vendor, and paid by the hour. Only where there are such copies. */
  explicitCache: boolean
  /** Where the figures come from: the bundled data package, a person's settings, or a careful guess. */
  source: 'catalogue' | 'settings' | 'guess'
}

/** What a person may change of a model in settings; absent fields keep the catalogue's. */
export type ModelOverride = Partial<Omit<ModelInfo, 'id' | 'wire' | 'source'>>
