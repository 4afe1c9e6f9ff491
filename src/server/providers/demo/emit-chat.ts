// The server's side of OpenAI Chat Completions.
import type { Answer, Emission, SentEvent } from './emission.ts'
import { pieces } from './pieces.ts'

const STOPS = { max_output: 'length', refused: 'content_filter', stop_sequence: 'stop' }

export function emitChat(answer: Answer): Emission {
  const { usage, reply, deltaChars } = answer
  const chunk = (fields: Record<string, unknown>): SentEvent => ({
    event: null,
    data: {
      id: `chatcmpl_${answer.number}`,
      object: 'chat.completion.chunk',
      created: 0,
      model: answer.model,
      ...fields,
    },
  })
  const delta = (value: Record<string, unknown>, stop: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: value, logprobs: null, finish_reason: stop }] })
  let calls = 0
  const parts = answer.parts.map((part, at) => {
    if (part.type === 'reasoning')
      return pieces(part.text, deltaChars).map((reasoning_content) => delta({ reasoning_content }))
    if (part.type === 'text') return pieces(part.text, deltaChars).map((content) => delta({ content }))
    const index = calls++
    const id = part.callId ?? `call_${answer.number}_${at}`
    const begun = { index, id, type: 'function', function: { name: part.name, arguments: '' } }
    return [
      delta({ tool_calls: [begun] }),
      ...pieces(part.argumentsText, deltaChars).map((piece) =>
        delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]
  })
  const stop = reply.stop === undefined ? (calls > 0 ? 'tool_calls' : 'stop') : STOPS[reply.stop]
  const counted = chunk({
    choices: [],
    usage: {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cached },
      completion_tokens_details: { reasoning_tokens: usage.reasoning },
    },
  })
  return {
    begin: [delta({ role: 'assistant', content: '' })],
    parts,
    end: [delta({}, stop), counted, { event: null, data: '[DONE]' }],
    failure: [
      { event: null, data: { error: { ...reply.streamError, param: null, code: reply.streamError?.type } } },
    ],
  }
}
