/** What is known of a model that a file names: its size and its prices. Knows no file. */
import type { Usage } from '../../../protocol/event.ts'
import { costMicros, modelInfo } from '../../providers/catalogue.ts'
import type { ModelInfo, WireKind } from '../../providers/types.ts'

const known = new Map<string, ModelInfo>()
const maxKnown = 200

const wireOf = (name: string): WireKind =>
  /claude/i.test(name) ? 'anthropic-messages' : /gemini/i.test(name) ? 'google-genai' : 'openai-responses'

/** Programs put the vendor in front: `openai/gpt-5`. */
const infoOf = (model: string): ModelInfo => {
  const name = model.split('/').at(-1) ?? model
  const found = known.get(name)
  if (found !== undefined) return found
  const info = modelInfo({ wire: wireOf(name), baseUrl: null }, name || 'unknown')
  if (known.size >= maxKnown) known.clear()
  known.set(name, info)
  return info
}

/** Tokens that the model takes. */
export const contextOf = (model: string): number => infoOf(model).contextTokens

/** Micro-dollars at the vendor's public prices; null when these are not known. */
export const priceOf = (model: string, usage: Usage): number | null => {
  const { prices } = infoOf(model)
  return prices === null
    ? null
    : costMicros(prices, {
        inputTokens: usage.input,
        cachedInputTokens: usage.cachedInput,
        cacheWriteTokens: usage.cacheWrite,
        outputTokens: usage.output,
        reasoningTokens: usage.reasoning,
      })
}
