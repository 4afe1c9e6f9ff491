/**
 * How full a window is. The provider's own count of the last request is the truth; only what came after it is estimated,
 * times a factor that the thread's own requests teach.
 */
import type { ModelInfo, PromptBlock, PromptPart } from '../providers/types.ts'
import { pictureTokens } from './picture-tokens.ts'
import { type TokenScale, tokenScale } from './token-scale.ts'
import { countTokens, type DeclaredTool, toolNames, toolTypeText } from './tokens.ts'
import type { Learned, WindowState } from './types.ts'

/** Characters of encrypted reasoning and of signatures for one token that they stand for. */
const opaqueCharsPerToken = 6

/** Estimated tokens of one block, made once when it is appended. `scale` is the window's (`scaleOf`). */
export const estimateTokens = (block: PromptBlock, scale: TokenScale): number => {
  const count = (text: string): number => countTokens(text, scale.encoding) * scale.text
  const parts = (given: readonly PromptPart[]): number =>
    given.reduce(
      (sum, part) => sum + (part.type === 'text' ? count(part.text) : pictureTokens(part.data, scale.family)),
      0,
    )
  return Math.ceil(tokensOf(block, scale, count, parts))
}

const tokensOf = (
  block: PromptBlock,
  scale: TokenScale,
  count: (text: string) => number,
  parts: (given: readonly PromptPart[]) => number,
): number => {
  switch (block.kind) {
    case 'tool': {
      const { name, description, parameters } = block
      const text = toolText[scale.form]({ name, description, parameters })
      return scale.tool + countTokens(text, scale.encoding) * scale.schema
    }
    case 'instructions':
      return scale.message + count(block.text)
    case 'developer':
    case 'user':
      return scale.message + parts(block.parts)
    case 'assistant':
      return scale.answer + count(block.text)
    case 'tool_result':
      return scale.result + parts(block.parts)
    case 'tool_call':
      return scale.call + count(block.name) + count(block.argumentsText)
    case 'reasoning':
      return block.payload === null ? count(block.text) : payloadTokens(block.payload.item, count)
    case 'other':
      return scale.message + payloadTokens(block.payload.item, count)
  }
}

const toolText = {
  types: toolTypeText,
  names: toolNames,
  json: (tool: DeclaredTool) => JSON.stringify(tool),
}

/** Strings of a vendor's item; those without a space in so many characters are not text but sealed. */
const payloadTokens = (value: unknown, count: (text: string) => number): number => {
  if (typeof value === 'string')
    return /^\S{200,}$/.test(value) ? value.length / opaqueCharsPerToken : count(value)
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, each) => sum + payloadTokens(each, count), 0)
}

/** How the window's model counts; before the window is open, how an unknown one does. */
export const scaleOf = ({ frozen }: Pick<WindowState, 'frozen'>): TokenScale =>
  // A family may bear a name of a person's choice; then the model's own may tell.
  frozen === null ? tokenScale('', '') : tokenScale(`${frozen.family}/${frozen.model}`, frozen.wire)

/** What stands in every request of the window beside its blocks. Windows always declare tools. */
const aroundBlocks = (window: Pick<WindowState, 'frozen'>): number => {
  const { request, tools, thinking } = scaleOf(window)
  return request + tools + (window.frozen?.thinking ? thinking : 0)
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
  const estimated = counted === null ? window.tokens + aroundBlocks(window) : window.tokensSince
  const used = (counted ?? 0) + Math.round(estimated * learnedFactor(learnedOf(window)))
  const limit = Math.floor(model.contextTokens * model.usableShare)
  return { used, limit, remaining: Math.max(0, limit - used), full: used >= limit }
}

export const nothingLearned: Learned = { estimated: 0, counted: 0 }

/** Fewer estimated tokens tell nothing: constants of the chat template outweigh them. */
const leastObserved = 200
/** A request further off than this was not what it seemed: thoughts were dropped, the vendor cut or added something. */
const furthestFactor = 2
/** What an observation still weighs after the next one: the newest text is the likest to what comes. */
const memory = 0.7

/** Before its first answer a window knows what the ones before it taught. */
export const learnedOf = ({ learned, frozen }: Pick<WindowState, 'learned' | 'frozen'>): Learned =>
  learned.estimated > 0 ? learned : (frozen?.learned ?? nothingLearned)

/** What the thread's requests were counted at for one token of estimate. 1 until something was observed. */
const learnedFactor = ({ estimated, counted }: Learned): number => (estimated === 0 ? 1 : counted / estimated)

/** Takes in that so many estimated tokens were counted as so many. */
export const learn = (before: Learned, estimated: number, counted: number): Learned => {
  const ratio = counted / estimated
  if (estimated < leastObserved || ratio > furthestFactor || ratio < 1 / furthestFactor) return before
  return {
    estimated: before.estimated * memory + estimated,
    counted: before.counted * memory + counted,
  }
}

/**
 * What the answer of a request teaches: the first is held against all that stood in it, each later one against what was
 * added since the one before. To be asked before the window is settled.
 */
export const learnedFrom = (window: WindowState, inputTokens: number): Learned => {
  const { lastRequest, tokensSince } = window
  const learned = learnedOf(window)
  if (lastRequest === null) return learn(learned, tokensSince + aroundBlocks(window), inputTokens)
  if (lastRequest.contextTokens === null) return learned
  return learn(learned, tokensSince, inputTokens - lastRequest.contextTokens)
}

/** What a window teaches that comes from the database: its last answered request, held against its rows. */
export const learnedFromRows = (window: WindowState): Learned => {
  const counted = window.lastRequest?.contextTokens ?? null
  const learned = learnedOf(window)
  return counted === null
    ? learned
    : learn(learned, window.tokens - window.tokensSince + aroundBlocks(window), counted)
}
