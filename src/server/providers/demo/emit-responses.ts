// The server's side of OpenAI Responses.
import type { Answer, Emission, SentEvent } from './emission.ts'
import { pieces } from './pieces.ts'
import type { Part } from './scenario.ts'

type Item = Record<string, unknown>

export function emitResponses(answer: Answer): Emission {
  let sequence = 0
  const event = (type: string, fields: Item): SentEvent => ({
    event: type,
    data: { type, sequence_number: sequence++, ...fields },
  })
  const output: Item[] = []
  const begin = ['response.created', 'response.in_progress'].map((type) =>
    event(type, { response: response(answer, 'in_progress', []) }),
  )
  const parts = answer.parts.map((part, at) => {
    const { events, item } = emitItem(part, at, answer, event)
    output.push(item)
    return events
  })
  const status = answer.reply.stop === undefined ? 'completed' : 'incomplete'
  const end = [event(`response.${status}`, { response: response(answer, status, output) })]
  const error = answer.reply.streamError
  const failure = [event('error', { code: error?.type, message: error?.message, param: null })]
  return { begin, parts, end, failure }
}

type Make = (type: string, fields: Item) => SentEvent

function emitItem(part: Part, at: number, answer: Answer, event: Make): { events: SentEvent[]; item: Item } {
  const kind = { reasoning: 'rs', text: 'msg', call: 'fc' }[part.type]
  const id = `${kind}_${answer.number}_${at}`
  const place = { item_id: id, output_index: at }
  const open: Item = itemOf(part, id, answer, at, false)
  const item: Item = itemOf(part, id, answer, at, true)
  const added = event('response.output_item.added', { output_index: at, item: open })
  const done = () => event('response.output_item.done', { output_index: at, item })
  if (part.type === 'call') {
    const deltas = pieces(part.argumentsText, answer.deltaChars).map((delta) =>
      event('response.function_call_arguments.delta', { ...place, delta }),
    )
    const whole = event('response.function_call_arguments.done', {
      ...place,
      name: part.name,
      arguments: part.argumentsText,
    })
    return { events: [added, ...deltas, whole, done()], item }
  }
  if (part.type === 'reasoning') {
    const spot = { ...place, summary_index: 0 }
    const events = [
      added,
      event('response.reasoning_summary_part.added', { ...spot, part: { type: 'summary_text', text: '' } }),
      ...pieces(part.text, answer.deltaChars).map((delta) =>
        event('response.reasoning_summary_text.delta', { ...spot, delta }),
      ),
      event('response.reasoning_summary_text.done', { ...spot, text: part.text }),
      event('response.reasoning_summary_part.done', {
        ...spot,
        part: { type: 'summary_text', text: part.text },
      }),
      done(),
    ]
    return { events, item }
  }
  const spot = { ...place, content_index: 0 }
  const content = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] })
  const events = [
    added,
    event('response.content_part.added', { ...spot, part: content('') }),
    ...pieces(part.text, answer.deltaChars).map((delta) =>
      event('response.output_text.delta', { ...spot, delta, logprobs: [] }),
    ),
    event('response.output_text.done', { ...spot, text: part.text, logprobs: [] }),
    event('response.content_part.done', { ...spot, part: content(part.text) }),
    done(),
  ]
  return { events, item }
}

function itemOf(part: Part, id: string, answer: Answer, at: number, whole: boolean): Item {
  const status = whole ? 'completed' : 'in_progress'
  switch (part.type) {
    case 'reasoning':
      return {
        id,
        type: 'reasoning',
        summary: whole ? [{ type: 'summary_text', text: part.text }] : [],
        encrypted_content: whole ? Buffer.from(part.text).toString('base64') : '',
      }
    case 'text': {
      const content = [{ type: 'output_text', text: part.text, annotations: [], logprobs: [] }]
      return { id, type: 'message', role: 'assistant', status, content: whole ? content : [] }
    }
    case 'call':
      return {
        id,
        type: 'function_call',
        status,
        call_id: part.callId ?? `call_${answer.number}_${at}`,
        name: part.name,
        arguments: whole ? part.argumentsText : '',
      }
  }
}

function response(answer: Answer, status: string, output: Item[]): Item {
  const { usage, reply } = answer
  const reason = reply.stop === 'refused' ? 'content_filter' : 'max_output_tokens'
  return {
    id: `resp_${answer.number}`,
    object: 'response',
    created_at: 0,
    status,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason } : null,
    model: answer.model,
    output,
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    usage:
      status === 'in_progress'
        ? null
        : {
            input_tokens: usage.input,
            input_tokens_details: { cached_tokens: usage.cached },
            output_tokens: usage.output,
            output_tokens_details: { reasoning_tokens: usage.reasoning },
            total_tokens: usage.input + usage.output,
          },
  }
}
