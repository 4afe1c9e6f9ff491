// The server's side of Anthropic Messages.
import type { Answer, Emission, SentEvent } from './emission.ts'
import { pieces } from './pieces.ts'
import type { Part } from './scenario.ts'

const STOPS = { max_output: 'max_tokens', refused: 'refusal', stop_sequence: 'stop_sequence' }

export function emitMessages(answer: Answer): Emission {
  const { usage, reply } = answer
  const event = (type: string, fields: Record<string, unknown>): SentEvent => ({
    event: type,
    data: { type, ...fields },
  })
  const given = {
    input_tokens: Math.max(0, usage.input - usage.cached - usage.cacheWrite),
    cache_read_input_tokens: usage.cached,
    cache_creation_input_tokens: usage.cacheWrite,
  }
  const message = {
    id: `msg_${answer.number}`,
    type: 'message',
    role: 'assistant',
    model: answer.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...given, output_tokens: 1 },
  }
  const parts = answer.parts.map((part, index) => [
    event('content_block_start', { index, content_block: blockOf(part, answer, index) }),
    ...deltasOf(part, answer).map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ])
  const calls = answer.parts.some((part) => part.type === 'call')
  const stop = reply.stop === undefined ? (calls ? 'tool_use' : 'end_turn') : STOPS[reply.stop]
  return {
    begin: [event('message_start', { message }), event('ping', {})],
    parts,
    end: [
      event('message_delta', {
        delta: { stop_reason: stop, stop_sequence: null },
        usage: {
          ...given,
          output_tokens: usage.output,
          output_tokens_details: { thinking_tokens: usage.reasoning },
        },
      }),
      event('message_stop', {}),
    ],
    failure: [event('error', { error: reply.streamError })],
  }
}

function blockOf(part: Part, answer: Answer, index: number): Record<string, unknown> {
  switch (part.type) {
    case 'reasoning':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'text':
      return { type: 'text', text: '' }
    case 'call':
      return {
        type: 'tool_use',
        id: part.callId ?? `toolu_${answer.number}_${index}`,
        name: part.name,
        input: {},
      }
  }
}

function deltasOf(part: Part, { deltaChars }: Answer): Record<string, unknown>[] {
  switch (part.type) {
    case 'reasoning':
      return [
        ...pieces(part.text, deltaChars).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: Buffer.from(part.text).toString('base64') },
      ]
    case 'text':
      return pieces(part.text, deltaChars).map((text) => ({ type: 'text_delta', text }))
    case 'call':
      return pieces(part.argumentsText, deltaChars).map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      }))
  }
}
