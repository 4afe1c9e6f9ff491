// The server's side of Google's generateContent: every event is a chunk of one candidate.
import { record } from '../fields.ts'
import type { Answer, Emission, SentEvent } from './emission.ts'
import { pieces } from './pieces.ts'
import type { Part } from './scenario.ts'

const STOPS = { max_output: 'MAX_TOKENS', refused: 'SAFETY', stop_sequence: 'STOP' }

export function emitGoogle(answer: Answer): Emission {
  const { usage, reply } = answer
  const head = { modelVersion: answer.model, responseId: `resp_${answer.number}` }
  const chunk = (parts: unknown[], more: Record<string, unknown> = {}): SentEvent => ({
    event: null,
    data: { candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }], ...head },
  })
  const finishReason = reply.stop === undefined ? 'STOP' : STOPS[reply.stop]
  const end = chunk([{ text: '' }], { finishReason })
  const usageMetadata = {
    promptTokenCount: usage.input,
    cachedContentTokenCount: usage.cached,
    candidatesTokenCount: Math.max(0, usage.output - usage.reasoning),
    thoughtsTokenCount: usage.reasoning,
    totalTokenCount: usage.input + usage.output,
  }
  return {
    begin: [],
    parts: answer.parts.map((part) => partsFor(part, answer).map((each) => chunk([each]))),
    end: [{ ...end, data: { ...record(end.data), usageMetadata } }],
    failure: [
      {
        event: null,
        data: { error: { code: 503, status: reply.streamError?.type, message: reply.streamError?.message } },
      },
    ],
  }
}

/** The first call of an answer bears a signature, as the vendor's do; thoughts bear theirs at their end. */
function partsFor(part: Part, answer: Answer): Record<string, unknown>[] {
  switch (part.type) {
    case 'reasoning':
      return pieces(part.text, answer.deltaChars).map((text) => ({ text, thought: true }))
    case 'text':
      return pieces(part.text, answer.deltaChars).map((text) => ({ text }))
    case 'call': {
      const isFirst = answer.parts.find((each) => each.type === 'call') === part
      return [
        {
          functionCall: {
            name: part.name,
            args: argumentsOf(part.argumentsText),
            id: part.callId ?? `call_${answer.number}_${answer.parts.indexOf(part)}`,
          },
          ...(isFirst ? { thoughtSignature: signatureOf(answer) } : {}),
        },
      ]
    }
  }
}

function signatureOf(answer: Answer): string {
  return Buffer.from(`thought of answer ${answer.number}`).toString('base64')
}

/** This wire knows no arguments that are not an object. */
function argumentsOf(written: string): unknown {
  try {
    return record(JSON.parse(written)) ?? { value: written }
  } catch {
    return { value: written }
  }
}
