/**
 * How full a window is. The provider's own count of the last request is the truth; only what came after it is estimated.
 */
import type { ModelInfo, PromptBlock, PromptPart } from '../providers/types.ts'
import type { WindowState } from './types.ts'

/** Bytes of text per token: a careful average over prose and code in the vendors' tokenizers. */
const bytesPerToken = 4
/** Tokens of one picture: what a 1.15 megapixel picture costs on the dearest wire. */
const imageTokens = 1_600
/** What a wire puts around each block (role, separators). */
const blockTokens = 4

const textTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesPerToken)

const partTokens = (parts: readonly PromptPart[]): number =>
  parts.reduce((sum, part) => sum + (part.type === 'text' ? textTokens(part.text) : imageTokens), 0)

/** Estimated tokens of one block. */
export const estimateTokens = (block: PromptBlock): number => {
  switch (block.kind) {
    case 'tool':
      return blockTokens + textTokens(block.name + block.description + JSON.stringify(block.parameters))
    case 'instructions':
      return blockTokens + textTokens(block.text)
    case 'developer':
    case 'user':
    case 'tool_result':
      return blockTokens + partTokens(block.parts)
    case 'assistant':
      return blockTokens + textTokens(block.text)
    case 'tool_call':
      return blockTokens + textTokens(block.name + block.argumentsText)
    case 'reasoning':
      return (
        blockTokens + textTokens(block.payload === null ? block.text : JSON.stringify(block.payload.item))
      )
    case 'other':
      return blockTokens + textTokens(JSON.stringify(block.payload.item))
  }
}

export type Budget = {
  /** Tokens that the next request would be given. */
  used: number
  /** Tokens that may be used before the window counts as full. */
  limit: number
  remaining: number
  full: boolean
}

/** Asked before every model request, not only between turns: one long turn can fill a window alone. */
export const budgetOf = (window: WindowState, model: ModelInfo): Budget => {
  const counted = window.lastRequest?.contextTokens ?? null
  const used = counted === null ? window.tokens : counted + window.tokensSince
  const limit = Math.floor(model.contextTokens * model.usableShare)
  return { used, limit, remaining: Math.max(0, limit - used), full: used >= limit }
}
