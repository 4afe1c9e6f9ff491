// Google's generateContent stream: what its chunks mean. A pure state machine; the request's side is google-genai.ts.
// A chunk holds parts, not deltas of known items: text that follows text of its kind is one item. A thought signature
// belongs to the very part it came on, so signed parts are kept apart and go back as they came.
import { classifyStreamError, cutStream } from './errors.ts'
import { count, type Json, list, record, text, word } from './fields.ts'
import { joinArguments } from './google-partial-args.ts'
import type { ModelEvent, OutputBlock, ProviderPayload, StopReason, Usage, Wire, WireEvent } from './types.ts'

/** Text or thought under way. `parts` is what goes back: unsigned text joined, signed parts alone. */
type Said = { kind: 'assistant' | 'reasoning'; item: number; shown: string; parts: Json[]; signed: boolean }
/** A call whose arguments come in pieces. */
type Calling = {
  item: number
  name: string
  id: string
  args: Json
  pieces: readonly Json[]
  signature: string | null
}

type State = {
  responseId: string | null
  begun: boolean
  items: number
  said: Said | null
  calling: Calling | null
  calls: number
  usage: Json
  stop: string | null
  blocked: boolean
  ended: boolean
}

type Step = [State, ModelEvent[]]

export const googleGenaiStream: Pick<Wire, 'start' | 'step' | 'finish'> = {
  start: (): State => ({
    responseId: null,
    begun: false,
    items: 0,
    said: null,
    calling: null,
    calls: 0,
    usage: {},
    stop: null,
    blocked: false,
    ended: false,
  }),
  step: (state, event) => step(state as State, event),
  finish(state) {
    const last = state as State
    if (last.ended) return []
    // No event says goodbye: the reason to stop is the only sign that the answer is whole.
    if (last.stop === null || last.calling !== null)
      return [{ type: 'failed', error: cutStream('the connection ended before the answer did') }]
    const [closed, events] = closeSaid(last)
    return [
      ...events,
      {
        type: 'completed',
        stopReason: stopReason(closed),
        rawStopReason: closed.stop,
        responseId: closed.responseId,
      },
    ]
  },
}

function step(before: State, { data }: WireEvent): Step {
  const chunk = record(data)
  if (chunk === null || before.ended) return [before, []]
  const error = record(chunk.error)
  if (error !== null)
    return [{ ...before, ended: true }, [{ type: 'failed', error: classifyStreamError(error) }]]
  const events: ModelEvent[] = []
  let state = before
  if (!state.begun) {
    const responseId = word(chunk.responseId)
    state = { ...state, begun: true, responseId }
    events.push({ type: 'response.started', responseId, model: word(chunk.modelVersion) })
  }
  const candidate = record(list(chunk.candidates)[0])
  for (const each of list(record(candidate?.content)?.parts)) {
    const part = record(each)
    if (part === null) continue
    const [next, meant] = take(state, part)
    state = next
    events.push(...meant)
  }
  const usage = record(chunk.usageMetadata)
  if (usage !== null) {
    // Each chunk counts anew; what the prompt took is not always said again.
    const { promptTokenCount, cachedContentTokenCount } = state.usage
    state = { ...state, usage: { promptTokenCount, cachedContentTokenCount, ...usage } }
    events.push({ type: 'usage', usage: toUsage(state.usage) })
  }
  const refused = word(record(chunk.promptFeedback)?.blockReason)
  if (refused !== null) state = { ...state, stop: refused, blocked: true }
  const stop = word(candidate?.finishReason)
  if (stop !== null && stop !== 'FINISH_REASON_UNSPECIFIED') state = { ...state, stop }
  return [state, events]
}

function take(state: State, part: Json): Step {
  if (typeof part.text === 'string') return say(state, part, part.text)
  const call = record(part.functionCall)
  if (call !== null) return takeCall(state, part, call)
  const label = Object.keys(part).find((key) => key !== 'thoughtSignature' && key !== 'thought')
  if (label === undefined) return signatureAlone(state, part)
  const [closed, events] = closeSaid(state)
  const item = closed.items
  const payload: ProviderPayload = { wire: 'google-genai', item: part }
  return [
    { ...closed, items: item + 1 },
    [
      ...events,
      { type: 'item.started', item, kind: 'other' },
      { type: 'item.completed', item, block: { kind: 'other', label, payload } },
    ],
  ]
}

function say(state: State, part: Json, piece: string): Step {
  const kind = part.thought === true ? 'reasoning' : 'assistant'
  const signature = word(part.thoughtSignature)
  if (piece === '' && signature === null) return [state, []]
  // An empty text that bears a signature ends what was said, whatever kind that was; alone it is an item of its own.
  if (piece === '' && state.said === null) return signatureAlone(state, part)
  const events: ModelEvent[] = []
  let next = state
  if (next.said !== null && next.said.kind !== kind && piece !== '') {
    const [closed, meant] = closeSaid(next)
    next = closed
    events.push(...meant)
  }
  let said = next.said
  if (said === null) {
    said = { kind, item: next.items, shown: '', parts: [], signed: false }
    next = { ...next, items: next.items + 1 }
    events.push({ type: 'item.started', item: said.item, kind })
  }
  const type = said.kind === 'reasoning' ? 'reasoning.delta' : 'text.delta'
  if (piece !== '') events.push({ type, item: said.item, text: piece })
  said = {
    ...said,
    shown: said.shown + piece,
    parts: signature === null ? joined(said.parts, part, piece) : [...said.parts, part],
    signed: said.signed || signature !== null,
  }
  return [{ ...next, said }, events]
}

function joined(parts: readonly Json[], part: Json, piece: string): Json[] {
  const last = parts.at(-1)
  if (last === undefined || last.thoughtSignature !== undefined) return [...parts, part]
  return [...parts.slice(0, -1), { ...last, text: text(last.text) + piece }]
}

function signatureAlone(state: State, part: Json): Step {
  if (word(part.thoughtSignature) === null) return [state, []]
  const [closed, events] = closeSaid(state)
  const item = closed.items
  const payload: ProviderPayload = { wire: 'google-genai', item: { parts: [part] } }
  return [
    { ...closed, items: item + 1 },
    [
      ...events,
      { type: 'item.started', item, kind: 'reasoning' },
      { type: 'item.completed', item, block: { kind: 'reasoning', text: '', payload } },
    ],
  ]
}

function closeSaid(state: State): Step {
  const { said } = state
  if (said === null) return [state, []]
  const payload: ProviderPayload | null = said.signed
    ? { wire: 'google-genai', item: { parts: said.parts } }
    : null
  const block: OutputBlock =
    said.kind === 'reasoning'
      ? { kind: 'reasoning', text: said.shown, payload }
      : { kind: 'assistant', text: said.shown, ...(payload === null ? {} : { payload }) }
  return [{ ...state, said: null }, [{ type: 'item.completed', item: said.item, block }]]
}

/** A call is whole at once, unless the server was asked for pieces; then a part without `willContinue` ends it. */
function takeCall(before: State, part: Json, call: Json): Step {
  const [closed, events] = closeSaid(before)
  const begun = closed.calling ?? {
    item: closed.items,
    name: text(call.name),
    id: text(call.id),
    args: record(call.args) ?? {},
    pieces: [],
    signature: word(part.thoughtSignature),
  }
  const isNew = closed.calling === null
  const { item, name, id, args, signature } = begun
  if (isNew) events.push({ type: 'item.started', item, kind: 'tool_call', callId: id, name })
  const state = isNew ? { ...closed, items: item + 1 } : closed
  const more = list(call.partialArgs).map((piece) => record(piece) ?? {})
  const pieces = [...begun.pieces, ...more]
  if (call.willContinue === true) return [{ ...state, calling: { ...begun, pieces } }, events]
  const whole = joinArguments(args, pieces)
  const argumentsText = JSON.stringify(whole)
  const signed = {
    functionCall: { name, args: whole, ...(id === '' ? {} : { id }) },
    thoughtSignature: signature,
  }
  const payload: ProviderPayload | null = signature === null ? null : { wire: 'google-genai', item: signed }
  events.push(
    { type: 'arguments.delta', item, text: argumentsText },
    {
      type: 'item.completed',
      item,
      block: { kind: 'tool_call', callId: id, name, argumentsText, ...(payload === null ? {} : { payload }) },
    },
  )
  return [{ ...state, calling: null, calls: state.calls + 1 }, events]
}

/** Thoughts are counted beside the answer, what the vendor's own tools read beside the prompt. */
function toUsage(usage: Json): Usage {
  const thoughts = count(usage.thoughtsTokenCount)
  return {
    inputTokens: count(usage.promptTokenCount) + count(usage.toolUsePromptTokenCount),
    cachedInputTokens: count(usage.cachedContentTokenCount),
    cacheWriteTokens: 0,
    outputTokens: count(usage.candidatesTokenCount) + thoughts,
    reasoningTokens: thoughts,
  }
}

const REFUSED = /SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|LANGUAGE/

function stopReason({ stop, blocked, calls }: State): StopReason {
  if (blocked) return 'refused'
  if (stop === 'STOP') return calls > 0 ? 'tool_calls' : 'end'
  if (stop === 'MAX_TOKENS') return 'max_output'
  return REFUSED.test(stop ?? '') ? 'refused' : 'other'
}
