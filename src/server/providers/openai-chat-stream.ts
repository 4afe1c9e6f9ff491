// OpenAI Chat Completions: what its chunks mean, over all the servers that speak it. A pure state machine; the
// request's side is openai-chat.ts. This wire has no item events: an item ends when another kind begins, when the next
// call begins, or with the finish reason.
import { classifyStreamError, cutStream } from './errors.ts'
import { argumentsText, count, isCompleteJson, type Json, list, record, text, word } from './fields.ts'
import { mergeReasoningDetails } from './reasoning-details.ts'
import type { ModelEvent, OutputBlock, StopReason, Usage, Wire, WireEvent } from './types.ts'

type OpenText = {
  kind: 'assistant' | 'reasoning'
  item: number
  shown: string
  field: 'reasoning_content' | 'reasoning'
}
type OpenCall = { item: number; index: number | null; callId: string; name: string; shown: string }

type State = {
  responseId: string | null
  begun: boolean
  items: number
  talk: OpenText | null
  calls: readonly OpenCall[]
  /** Ids of calls already given, to tell a repeated one apart. */
  callIds: ReadonlySet<string>
  details: readonly Json[]
  usage: Usage | null
  stop: string | null
  sentinel: boolean
  ended: boolean
}

type Step = [State, ModelEvent[]]

export const openaiChatStream: Pick<Wire, 'start' | 'step' | 'finish'> = {
  start: (): State => ({
    responseId: null,
    begun: false,
    items: 0,
    talk: null,
    calls: [],
    callIds: new Set(),
    details: [],
    usage: null,
    stop: null,
    sentinel: false,
    ended: false,
  }),
  step: (state, event) => step(state as State, event),
  finish: (state) => finish(state as State),
}

function step(state: State, { event, data }: WireEvent): Step {
  if (state.ended) return [state, []]
  if (data === '[DONE]') return [{ ...state, ended: true }, finish({ ...state, sentinel: true })]
  const chunk = record(data)
  if (chunk === null) return [state, []]
  const events: ModelEvent[] = []
  let next = state
  const run = ([after, more]: Step) => {
    next = after
    events.push(...more)
  }
  const failed = event === 'error' || record(chunk.error) !== null || word(chunk.error) !== null
  if (!failed) run(begin(next, chunk))
  const choice = record(list(chunk.choices)[0])
  if (record(choice?.error) !== null) {
    run(fail(next, choice?.error))
    return [next, events]
  }
  // Some servers put the whole message where the delta belongs.
  const delta = record(choice?.delta) ?? record(choice?.message)
  if (delta !== null) run(take(next, delta))
  const stop = word(choice?.finish_reason)
  if (stop !== null && !failed) {
    run(closeAll(next))
    next = { ...next, stop }
  }
  const usage = record(chunk.usage) ?? record(choice?.usage) ?? record(record(chunk.x_groq)?.usage)
  if (usage !== null) {
    next = { ...next, usage: toUsage(usage) }
    if (next.usage !== null) events.push({ type: 'usage', usage: next.usage })
  }
  if (failed) run(fail(next, chunk.error ?? chunk))
  return [next, events]
}

function begin(state: State, chunk: Json): Step {
  const responseId = state.responseId ?? word(chunk.id)
  if (state.begun) return [responseId === state.responseId ? state : { ...state, responseId }, []]
  return [
    { ...state, begun: true, responseId },
    [{ type: 'response.started', responseId, model: word(chunk.model) }],
  ]
}

function take(state: State, delta: Json): Step {
  const events: ModelEvent[] = []
  let next = state
  const run = ([after, more]: Step) => {
    next = after
    events.push(...more)
  }
  const details = list(delta.reasoning_details)
    .map(record)
    .filter((each) => each !== null)
  if (details.length > 0) next = { ...next, details: mergeReasoningDetails(next.details, details) }
  const given = text(delta.reasoning_content)
  run(say(next, 'reasoning', given || text(delta.reasoning), given ? 'reasoning_content' : 'reasoning'))
  if (Array.isArray(delta.content)) {
    // Mistral streams thinking as typed parts of the content.
    for (const part of delta.content.map(record)) {
      const thought = list(part?.thinking).map((each) => text(record(each)?.text))
      run(say(next, 'reasoning', thought.join('') || text(part?.thinking), 'reasoning_content'))
      run(say(next, 'assistant', text(part?.text), 'reasoning'))
    }
  } else run(say(next, 'assistant', text(delta.content), 'reasoning'))
  run(say(next, 'assistant', text(delta.refusal), 'reasoning'))
  for (const call of list(delta.tool_calls).map(record)) if (call !== null) run(takeCall(next, call))
  return [next, events]
}

function say(state: State, kind: OpenText['kind'], piece: string, field: OpenText['field']): Step {
  if (piece === '') return [state, []]
  const events: ModelEvent[] = []
  let next = state
  if (state.talk?.kind !== kind || state.calls.length > 0) {
    const [closed, more] = closeAll(state)
    events.push(...more, { type: 'item.started', item: closed.items, kind })
    next = {
      ...closed,
      items: closed.items + 1,
      talk: { kind, item: closed.items, shown: '', field },
    }
  }
  const talk = next.talk
  if (talk === null) return [next, events]
  events.push({ type: kind === 'assistant' ? 'text.delta' : 'reasoning.delta', item: talk.item, text: piece })
  return [{ ...next, talk: { ...talk, shown: talk.shown + piece } }, events]
}

function takeCall(state: State, call: Json): Step {
  const fn = record(call.function) ?? {}
  const id = text(call.id)
  const name = text(fn.name)
  const piece = argumentsText(fn.arguments)
  const index = typeof call.index === 'number' ? call.index : null
  const found = findCall(state, index, id, name, piece)
  if (found !== undefined) return extend(state, found, id, name, piece)
  // A call's arguments are whole once the next call begins.
  const [closed, events] = closeAll(state)
  const callId = uniqueId(closed, id || `call_${closed.responseId ?? 'response'}_${closed.items}`)
  const opened: OpenCall = { item: closed.items, index, callId, name, shown: piece }
  events.push({ type: 'item.started', item: opened.item, kind: 'tool_call', callId, name })
  if (piece !== '') events.push({ type: 'arguments.delta', item: opened.item, text: piece })
  return [
    {
      ...closed,
      items: closed.items + 1,
      calls: [opened],
      callIds: new Set(closed.callIds).add(callId),
    },
    events,
  ]
}

/** The open call this delta continues; undefined when it begins another one. */
function findCall(
  state: State,
  index: number | null,
  id: string,
  name: string,
  piece: string,
): OpenCall | undefined {
  const open = state.calls.find((call) => (index === null ? true : call.index === index))
  if (open === undefined) return undefined
  // Most deltas are a piece and nothing else: looking at the whole of the arguments for each takes the square of the time.
  if (id !== '' && id !== open.callId) return name !== '' || isCompleteJson(open.shown) ? undefined : open
  // The same name with complete arguments again: a second call of a server that numbers every call alike.
  if (id === '' && name !== '' && piece !== '' && isCompleteJson(open.shown)) return undefined
  return open
}

function extend(state: State, open: OpenCall, id: string, name: string, piece: string): Step {
  const next: OpenCall = {
    ...open,
    callId: open.callId || id,
    name: open.name || name,
    shown: open.shown + piece,
  }
  const calls = state.calls.map((call) => (call === open ? next : call))
  const events: ModelEvent[] = piece === '' ? [] : [{ type: 'arguments.delta', item: open.item, text: piece }]
  return [{ ...state, calls }, events]
}

function uniqueId(state: State, id: string): string {
  let unique = id
  for (let n = 2; state.callIds.has(unique); n += 1) unique = `${id}_${n}`
  return unique
}

function closeAll(state: State): Step {
  const events: ModelEvent[] = []
  const talk = state.talk
  if (talk !== null) {
    const block: OutputBlock =
      talk.kind === 'assistant'
        ? { kind: 'assistant', text: talk.shown }
        : { kind: 'reasoning', text: talk.shown, payload: { wire: 'openai-chat', item: replay(talk, state) } }
    events.push({ type: 'item.completed', item: talk.item, block })
  }
  for (const call of state.calls)
    events.push({
      type: 'item.completed',
      item: call.item,
      block: {
        kind: 'tool_call',
        callId: call.callId,
        name: call.name,
        argumentsText: call.shown.trim() === '' ? '{}' : call.shown,
      },
    })
  let items = state.items
  if (talk?.kind !== 'reasoning' && state.details.length > 0) {
    // Reasoning that has no words, only what must be handed back.
    const payload = { wire: 'openai-chat' as const, item: { reasoning_details: state.details } }
    events.push({ type: 'item.started', item: items, kind: 'reasoning' })
    events.push({ type: 'item.completed', item: items, block: { kind: 'reasoning', text: '', payload } })
    items += 1
  }
  return [{ ...state, talk: null, calls: [], details: [], items }, events]
}

function replay(talk: OpenText, state: State): Json {
  return {
    [talk.field]: talk.shown,
    ...(state.details.length > 0 ? { reasoning_details: state.details } : {}),
  }
}

function finish(state: State): ModelEvent[] {
  if (state.ended) return []
  if (state.stop === null && !state.sentinel)
    return [{ type: 'failed', error: cutStream('the connection ended before the answer did') }]
  const [closed, events] = closeAll(state)
  events.push({
    type: 'completed',
    stopReason: stopReason(closed),
    rawStopReason: closed.stop,
    responseId: closed.responseId,
  })
  return events
}

/** Several servers say `stop` after tool calls. */
function stopReason(state: State): StopReason {
  switch (state.stop) {
    case 'length':
    case 'max_tokens':
      return 'max_output'
    case 'content_filter':
      return 'refused'
    case 'model_length':
      return 'context_full'
    case 'stop':
    case 'tool_calls':
    case 'function_call':
    case 'eos':
    case null:
      return state.callIds.size > 0 ? 'tool_calls' : 'end'
    default:
      return 'other'
  }
}

function toUsage(usage: Json): Usage {
  const given = record(usage.prompt_tokens_details)
  const inputTokens = count(usage.prompt_tokens)
  const reasoningTokens = count(record(usage.completion_tokens_details)?.reasoning_tokens)
  const answered = count(usage.completion_tokens)
  // xAI counts reasoning beside the completion, not within it; the total tells.
  const beside = count(usage.total_tokens) === inputTokens + answered + reasoningTokens
  return {
    inputTokens,
    cachedInputTokens:
      count(given?.cached_tokens) || count(usage.prompt_cache_hit_tokens) || count(usage.cached_tokens),
    cacheWriteTokens: count(given?.cache_write_tokens) || count(usage.cache_creation_input_tokens),
    outputTokens: beside ? answered + reasoningTokens : answered,
    reasoningTokens,
  }
}

function fail(state: State, error: unknown): Step {
  return [{ ...state, ended: true }, [{ type: 'failed', error: classifyStreamError(error) }]]
}
