// The wire formats by name.
import { anthropicMessages } from './anthropic-messages.ts'
import { googleGenai } from './google-genai.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import type { Wire, WireKind } from './types.ts'

export function wireFor(kind: WireKind): Wire {
  switch (kind) {
    case 'openai-responses':
      return openaiResponses
    case 'openai-chat':
      return openaiChat
    case 'anthropic-messages':
      return anthropicMessages
    case 'google-genai':
      return googleGenai
  }
}
