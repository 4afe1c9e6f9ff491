// Anthropic Messages: what its server-sent events mean. A pure state machine; the request's side is
// anthropic-messages.ts. Items are content blocks, known by their index; usage grows over the stream and the last
// figure of each field counts.
import { classifyStreamError, cutStream } from './errors.ts'
import { count, isCompleteJson, type Json, record, text, word } from './fields.ts'
import type { ModelEvent, OutputBlock, StopReason, Usage, Wire, WireEvent } from './types.ts'

type Open = {
  item: number
  kind: OutputBlock['kind']
  block: Json
  /** Text, thinking or argument text so far. */
  shown: string
  signature: string
}

type State = {
  responseId: string | null
  begun: boolean
  items: number
  open: ReadonlyMap<string, Open>
  calls: number
  usage: Json
  stop: string | null
  ended: boolean
}

type Step = [State, ModelEvent[]]

export const anthropicMessagesStream: Pick<Wire, 'start' | 'step' | 'finish'> = {
  start: (): State => ({
    responseId: null,
    begun: false,
    items: 0,
    open: new Map(),
    calls: 0,
    usage: {},
    stop: null,
    ended: false,
  }),
  step: (state, event) => step(state as State, event),
  finish(state) {
    const last = state as State
    if (last.ended) return []
    // The reason to stop had come and every block was closed: only the farewell is missing.
    if (last.stop !== null && last.open.size === 0) return complete(last)[1]
    return [{ type: 'failed', error: cutStream('the connection ended before the answer did') }]
  },
}

function step(state: State, { event, data }: WireEvent): Step {
  const fields = record(data)
  if (fields === null || state.ended) return [state, []]
  const key = typeof fields.index === 'number' ? `${fields.index}` : ''
  switch (word(fields.type) ?? event) {
    case 'message_start':
      return begin(state, record(fields.message))
    case 'content_block_start':
      return open(state, key, record(fields.content_block) ?? {})
    case 'content_block_delta':
      return delta(state, key, record(fields.delta) ?? {})
    case 'content_block_stop':
      return close(state, key)
    case 'message_delta':
      return messageDelta(state, fields)
    case 'message_stop':
      return complete(state)
    case 'error':
      return [
        { ...state, ended: true },
        [{ type: 'failed', error: classifyStreamError(record(fields.error) ?? fields) }],
      ]
    default:
      return [state, []]
  }
}

function begin(state: State, message: Json | null): Step {
  const usage = merged(state.usage, record(message?.usage))
  if (state.begun) return [{ ...state, usage }, []]
  const responseId = word(message?.id)
  return [
    { ...state, begun: true, responseId, usage },
    [
      { type: 'response.started', responseId, model: word(message?.model) },
      { type: 'usage', usage: toUsage(usage) },
    ],
  ]
}

function open(state: State, key: string, block: Json): Step {
  const kind = kindOf(block)
  const current: Open = { item: state.items, kind, block, shown: '', signature: text(block.signature) }
  const started: ModelEvent = {
    type: 'item.started',
    item: current.item,
    kind,
    ...(kind === 'tool_call' ? { callId: text(block.id), name: text(block.name) } : {}),
  }
  const next = { ...state, items: state.items + 1, open: new Map(state.open).set(key, current) }
  const given = kind === 'assistant' ? text(block.text) : kind === 'reasoning' ? text(block.thinking) : ''
  if (given === '') return [next, [started]]
  const [shown, events] = show(next, key, current, given)
  return [shown, [started, ...events]]
}

function kindOf(block: Json): OutputBlock['kind'] {
  switch (block.type) {
    case 'text':
      return 'assistant'
    case 'thinking':
    case 'redacted_thinking':
      return 'reasoning'
    case 'tool_use':
      return 'tool_call'
    default:
      return 'other'
  }
}

function delta(state: State, key: string, fields: Json): Step {
  const current = state.open.get(key)
  if (current === undefined) return [state, []]
  switch (fields.type) {
    case 'text_delta':
      return show(state, key, current, text(fields.text))
    case 'thinking_delta':
      return show(state, key, current, text(fields.thinking))
    case 'input_json_delta':
      return show(state, key, current, text(fields.partial_json))
    case 'signature_delta':
      return [replace(state, key, { ...current, signature: current.signature + text(fields.signature) }), []]
    case 'compaction_delta': {
      const content = text(current.block.content) + text(fields.content)
      return [replace(state, key, { ...current, block: { ...current.block, content } }), []]
    }
    default:
      return [state, []]
  }
}

function show(state: State, key: string, current: Open, piece: string): Step {
  if (piece === '') return [state, []]
  const next = replace(state, key, { ...current, shown: current.shown + piece })
  const { item } = current
  switch (current.kind) {
    case 'assistant':
      return [next, [{ type: 'text.delta', item, text: piece }]]
    case 'reasoning':
      return [next, [{ type: 'reasoning.delta', item, text: piece }]]
    case 'tool_call':
      return [next, [{ type: 'arguments.delta', item, text: piece }]]
    default:
      return [next, []]
  }
}

function replace(state: State, key: string, current: Open): State {
  return { ...state, open: new Map(state.open).set(key, current) }
}

function close(state: State, key: string): Step {
  const current = state.open.get(key)
  if (current === undefined) return [state, []]
  const rest = new Map(state.open)
  rest.delete(key)
  const calls = state.calls + (current.kind === 'tool_call' ? 1 : 0)
  return [
    { ...state, open: rest, calls },
    [{ type: 'item.completed', item: current.item, block: toBlock(current) }],
  ]
}

function toBlock(current: Open): OutputBlock {
  const { block, shown } = current
  switch (current.kind) {
    case 'assistant':
      return { kind: 'assistant', text: shown }
    case 'reasoning':
      return { kind: 'reasoning', text: shown, payload: reasoningPayload(current) }
    case 'tool_call':
      return {
        kind: 'tool_call',
        callId: text(block.id),
        name: text(block.name),
        argumentsText: shown || JSON.stringify(record(block.input) ?? {}),
      }
    default: {
      const input = shown !== '' && isCompleteJson(shown) ? { input: JSON.parse(shown) as unknown } : {}
      return {
        kind: 'other',
        label: word(block.type) ?? 'block',
        payload: { wire: 'anthropic-messages', item: { ...block, ...input } },
      }
    }
  }
}

/** Null without a signature: such thinking is for people only. */
function reasoningPayload(current: Open): { wire: 'anthropic-messages'; item: Json } | null {
  if (current.block.type === 'redacted_thinking')
    return word(current.block.data) === null ? null : { wire: 'anthropic-messages', item: current.block }
  if (current.signature === '') return null
  return {
    wire: 'anthropic-messages',
    item: { type: 'thinking', thinking: current.shown, signature: current.signature },
  }
}

function messageDelta(state: State, fields: Json): Step {
  const usage = merged(state.usage, record(fields.usage))
  const stop = word(record(fields.delta)?.stop_reason) ?? state.stop
  return [{ ...state, usage, stop }, [{ type: 'usage', usage: toUsage(usage) }]]
}

function merged(usage: Json, more: Json | null): Json {
  const given = Object.entries(more ?? {}).filter(([, value]) => value !== null && value !== undefined)
  return { ...usage, ...Object.fromEntries(given) }
}

function toUsage(usage: Json): Usage {
  const cached = count(usage.cache_read_input_tokens)
  const written = count(usage.cache_creation_input_tokens)
  return {
    inputTokens: count(usage.input_tokens) + cached + written,
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    outputTokens: count(usage.output_tokens),
    reasoningTokens: count(record(usage.output_tokens_details)?.thinking_tokens),
  }
}

function complete(state: State): Step {
  const completed: ModelEvent = {
    type: 'completed',
    stopReason: stopReason(state),
    rawStopReason: state.stop,
    responseId: state.responseId,
  }
  return [{ ...state, ended: true }, [completed]]
}

function stopReason(state: State): StopReason {
  switch (state.stop) {
    case 'end_turn':
      return state.calls > 0 ? 'tool_calls' : 'end'
    case 'tool_use':
      return 'tool_calls'
    case 'max_tokens':
      return 'max_output'
    case 'stop_sequence':
      return 'stop_sequence'
    case 'pause_turn':
      return 'paused'
    case 'refusal':
      return 'refused'
    case 'model_context_window_exceeded':
      return 'context_full'
    case null:
      return state.calls > 0 ? 'tool_calls' : 'end'
    default:
      return 'other'
  }
}
