/** Tokens and money in the log's words. */
import type { Usage } from '../../protocol/event.ts'
import type { Usage as WireUsage } from '../providers/types.ts'

/** The provider's figures in the log's words. */
export const toUsage = (usage: WireUsage): Usage => ({
  input: usage.inputTokens,
  cachedInput: usage.cachedInputTokens,
  cacheWrite: usage.cacheWriteTokens,
  output: usage.outputTokens,
  reasoning: usage.reasoningTokens,
})

/** Adds costs; unknown plus anything is unknown only when both are. */
export const addCost = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : a + b
