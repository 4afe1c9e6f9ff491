// What the wires look like from the server's side: a reply becomes the events that the official SDKs expect.
// Ids are made from the answer's number, so that a run of a script is the same every time.
import type { WireKind } from '../types.ts'
import type { Answer, Emission, SentEvent } from './emission.ts'
import { emitChat } from './emit-chat.ts'
import { emitGoogle } from './emit-google.ts'
import { emitMessages } from './emit-messages.ts'
import { emitResponses } from './emit-responses.ts'

export function emit(wire: WireKind, answer: Answer): Emission {
  switch (wire) {
    case 'openai-responses':
      return emitResponses(answer)
    case 'openai-chat':
      return emitChat(answer)
    case 'anthropic-messages':
      return emitMessages(answer)
    case 'google-genai':
      return emitGoogle(answer)
  }
}

export function wireText({ event, data }: SentEvent): string {
  const line = `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
  return event === null ? line : `event: ${event}\n${line}`
}
