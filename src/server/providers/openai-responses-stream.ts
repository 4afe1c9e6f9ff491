// OpenAI Responses: what its server-sent events mean. A pure state machine; the request's side is openai-responses.ts.
// Items are known by their output_index, since some servers change an item's id between events. The `done` item is
// the truth; deltas are what a person sees meanwhile.
import { classifyStreamError, cutStream } from './errors.ts'
import { argumentsText, count, type Json, list, record, text, word } from './fields.ts'
import type { ModelEvent, OutputBlock, StopReason, Usage, Wire, WireEvent } from './types.ts'

type Open = { item: number; kind: OutputBlock['kind']; shown: string; parts: number }

type State = {
  responseId: string | null
  begun: boolean
  items: number
  open: ReadonlyMap<string, Open>
  done: ReadonlySet<string>
  calls: number
  ended: boolean
}

type Step = [State, ModelEvent[]]

export const openaiResponsesStream: Pick<Wire, 'start' | 'step' | 'finish'> = {
  start: (): State => ({
    responseId: null,
    begun: false,
    items: 0,
    open: new Map(),
    done: new Set(),
    calls: 0,
    ended: false,
  }),
  step: (state, event) => step(state as State, event),
  finish: (state) =>
    (state as State).ended
      ? []
      : [{ type: 'failed', error: cutStream('the connection ended before the answer did') }],
}

function step(state: State, { event, data }: WireEvent): Step {
  const fields = record(data)
  if (fields === null || state.ended) return [state, []]
  const type = word(fields.type) ?? event ?? ''
  switch (type) {
    case 'response.created':
    case 'response.queued':
    case 'response.in_progress':
      return begin(state, record(fields.response))
    case 'response.output_item.added':
      return added(state, fields)
    case 'response.output_text.delta':
    case 'response.refusal.delta':
      return delta(state, fields, 'assistant')
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      return delta(state, fields, 'reasoning')
    case 'response.reasoning_summary_part.added':
      return nextPart(state, fields)
    case 'response.function_call_arguments.delta':
    case 'response.custom_tool_call_input.delta':
      return delta(state, fields, 'tool_call')
    case 'response.output_item.done':
      return done(state, keyOf(fields), record(fields.item))
    case 'response.completed':
    case 'response.incomplete':
    case 'response.done':
      return complete(state, record(fields.response) ?? {})
    case 'response.failed':
    case 'error':
      return fail(state, fields)
    default:
      return record(fields.error) !== null && type === '' ? fail(state, fields) : [state, []]
  }
}

function begin(state: State, response: Json | null): Step {
  if (state.begun) return [state, []]
  const responseId = word(response?.id)
  return [
    { ...state, begun: true, responseId },
    [{ type: 'response.started', responseId, model: word(response?.model) }],
  ]
}

function keyOf(fields: Json): string {
  return typeof fields.output_index === 'number' ? `#${fields.output_index}` : (word(fields.item_id) ?? '#0')
}

function kindOf(item: Json | null): OutputBlock['kind'] {
  switch (item?.type) {
    case 'message':
      return 'assistant'
    case 'reasoning':
      return 'reasoning'
    case 'function_call':
    case 'custom_tool_call':
      return 'tool_call'
    default:
      return 'other'
  }
}

function added(state: State, fields: Json): Step {
  const item = record(fields.item)
  return open(state, keyOf(fields), kindOf(item), item)
}

function open(state: State, key: string, kind: OutputBlock['kind'], item: Json | null): Step {
  if (state.open.has(key) || state.done.has(key)) return [state, []]
  const next: Open = { item: state.items, kind, shown: '', parts: 0 }
  const callId = word(item?.call_id)
  const name = word(item?.name)
  const started: ModelEvent = {
    type: 'item.started',
    item: next.item,
    kind,
    ...(kind === 'tool_call' && callId !== null ? { callId } : {}),
    ...(kind === 'tool_call' && name !== null ? { name } : {}),
  }
  return [{ ...state, items: state.items + 1, open: new Map(state.open).set(key, next) }, [started]]
}

function delta(state: State, fields: Json, kind: OutputBlock['kind']): Step {
  const key = keyOf(fields)
  const piece = text(fields.delta)
  if (piece === '' || state.done.has(key)) return [state, []]
  const [opened, events] = open(state, key, kind, null)
  const current = opened.open.get(key)
  if (current === undefined || current.kind !== kind) return [opened, events]
  return [show(opened, key, current, piece), [...events, deltaEvent(current, piece)]]
}

function show(state: State, key: string, current: Open, piece: string): State {
  return { ...state, open: new Map(state.open).set(key, { ...current, shown: current.shown + piece }) }
}

function deltaEvent(current: Open, piece: string): ModelEvent {
  if (current.kind === 'reasoning') return { type: 'reasoning.delta', item: current.item, text: piece }
  if (current.kind === 'tool_call') return { type: 'arguments.delta', item: current.item, text: piece }
  return { type: 'text.delta', item: current.item, text: piece }
}

/** A blank line between the parts of a reasoning summary. */
function nextPart(state: State, fields: Json): Step {
  const key = keyOf(fields)
  const current = state.open.get(key)
  if (current === undefined || current.shown === '') return [state, []]
  return [show(state, key, current, '\n\n'), [deltaEvent(current, '\n\n')]]
}

function done(state: State, key: string, item: Json | null): Step {
  if (item === null || state.done.has(key)) return [state, []]
  const [opened, events] = open(state, key, kindOf(item), item)
  const current = opened.open.get(key)
  if (current === undefined) return [opened, events]
  const block = toBlock(item, current)
  const final = shownText(block)
  // What the deltas left out is shown before the item closes.
  if (final.length > current.shown.length && final.startsWith(current.shown))
    events.push(deltaEvent(current, final.slice(current.shown.length)))
  events.push({ type: 'item.completed', item: current.item, block })
  const rest = new Map(opened.open)
  rest.delete(key)
  const calls = opened.calls + (block.kind === 'tool_call' ? 1 : 0)
  return [{ ...opened, open: rest, done: new Set(opened.done).add(key), calls }, events]
}

function shownText(block: OutputBlock): string {
  if (block.kind === 'assistant' || block.kind === 'reasoning') return block.text
  return block.kind === 'tool_call' ? block.argumentsText : ''
}

function toBlock(item: Json, current: Open): OutputBlock {
  switch (kindOf(item)) {
    case 'assistant': {
      const said = list(item.content).map((part) => text(record(part)?.text) || text(record(part)?.refusal))
      const phase =
        item.phase === 'commentary' ? 'commentary' : item.phase === 'final_answer' ? 'final' : null
      return {
        kind: 'assistant',
        text: said.join('') || current.shown,
        ...(phase === null ? {} : { phase }),
        ...(phase === null
          ? {}
          : { payload: { wire: 'openai-responses', item: { phase: item.phase as string } } }),
      }
    }
    case 'reasoning':
      return reasoningBlock(item, current)
    case 'tool_call':
      return {
        kind: 'tool_call',
        callId: word(item.call_id) ?? word(item.id) ?? '',
        name: text(item.name),
        argumentsText: argumentsText(item.arguments ?? item.input) || current.shown,
      }
    default:
      return {
        kind: 'other',
        label: word(item.type) ?? 'item',
        payload: { wire: 'openai-responses', item },
      }
  }
}

function reasoningBlock(item: Json, current: Open): OutputBlock {
  const texts = (value: unknown) => list(value).map((part) => text(record(part)?.text))
  const summary = texts(item.summary).join('\n\n')
  const { status: _status, ...replayed } = item
  const canReplay = typeof item.encrypted_content === 'string' || list(item.content).length > 0
  return {
    kind: 'reasoning',
    text: summary || texts(item.content).join('') || current.shown,
    payload: canReplay
      ? { wire: 'openai-responses', item: { ...replayed, summary: list(item.summary) } }
      : null,
  }
}

function complete(state: State, response: Json): Step {
  const events: ModelEvent[] = []
  let next = state
  const run = ([after, more]: Step) => {
    next = after
    events.push(...more)
  }
  run(begin(next, response))
  // Items whose `done` never came are taken from the final object.
  list(response.output).forEach((item, at) => {
    run(done(next, `#${at}`, record(item)))
  })
  const usage = record(response.usage)
  if (usage !== null) events.push({ type: 'usage', usage: toUsage(usage) })
  const reason = word(record(response.incomplete_details)?.reason)
  events.push({
    type: 'completed',
    stopReason: stopReason(next, reason),
    rawStopReason: reason ?? word(response.status),
    responseId: word(response.id) ?? next.responseId,
  })
  return [{ ...next, ended: true }, events]
}

function stopReason(state: State, reason: string | null): StopReason {
  if (reason === 'max_output_tokens' || reason === 'max_tokens') return 'max_output'
  if (reason === 'content_filter') return 'refused'
  if (reason !== null) return 'other'
  return state.calls > 0 ? 'tool_calls' : 'end'
}

function toUsage(usage: Json): Usage {
  const given = record(usage.input_tokens_details)
  return {
    inputTokens: count(usage.input_tokens),
    cachedInputTokens: count(given?.cached_tokens),
    cacheWriteTokens: count(given?.cache_write_tokens),
    outputTokens: count(usage.output_tokens),
    reasoningTokens: count(record(usage.output_tokens_details)?.reasoning_tokens),
  }
}

function fail(state: State, fields: Json): Step {
  const response = record(fields.response)
  const events: ModelEvent[] = []
  const usage = record(response?.usage)
  if (usage !== null) events.push({ type: 'usage', usage: toUsage(usage) })
  const error = record(fields.error) ?? record(response?.error) ?? fields
  events.push({ type: 'failed', error: classifyStreamError(error) })
  return [{ ...state, ended: true }, events]
}
