/**
 * The frozen head of a window and the envelope around its blocks: instructions and tools are fixed at the first step,
 * in a stable order, so that every later request begins with the same bytes.
 */

import { readFileSync } from 'node:fs'
import { sha256 } from '../../lib/sha256.ts'
import { Effort } from '../../protocol/settings.ts'
import type { Envelope, ModelInfo, PromptBlock, Wire } from '../providers/types.ts'
import type { ToolSpec } from '../tools/types.ts'
import type { NewBlock, WindowFrozen, WindowState } from './types.ts'
import { append, toolHashes } from './window.ts'

/** Tokens of one answer when the catalogue knows no figure. */
const defaultOutputTokens = 32_000

const baseInstructions = readFileSync(new URL('./prompts/base.md', import.meta.url), 'utf8').trim()

const instructions: PromptBlock = { kind: 'instructions', text: baseInstructions }

const toolBlock = ({ name, description, parameters }: ToolSpec): PromptBlock => ({
  kind: 'tool',
  name,
  description,
  parameters,
})

/** The tools that each window was last found to advertise: asked before every request, and they never change. */
const found = new WeakMap<WindowState, readonly ToolSpec[]>()

/** Whether these are the tools that the window advertises: bytes count, not names. */
export const hasTools = (window: WindowState, tools: readonly ToolSpec[]): boolean => {
  if (found.get(window) === tools) return true
  const told = toolHashes(window)
  const isSame =
    told.length === tools.length &&
    tools.every((tool, n) => sha256(JSON.stringify(toolBlock(tool))) === told[n])
  if (isSame) found.set(window, tools)
  return isSame
}

/** Whether the window begins with today's instructions; those of an older version are not carried on. */
export const hasInstructions = (window: WindowState): boolean =>
  window.rows.find(({ kind }) => kind === 'instructions')?.hash === sha256(JSON.stringify(instructions))

/** Freezes the window and appends tools and instructions. */
export const openWindow = (
  window: WindowState,
  wire: Wire,
  frozen: WindowFrozen,
  tools: readonly ToolSpec[],
): NewBlock[] => {
  window.frozen = frozen
  const rows = [
    ...tools.map((tool) => append(window, wire, toolBlock(tool), { reason: 'window_start' })),
    append(window, wire, instructions, { reason: 'window_start' }),
  ]
  return rows.filter((row) => row !== null)
}

/**
 * Makes a window that another program's rollout left ready for today's tools: they are added, and instructions when it
 * has none. Its blocks stay as they are.
 */
export const adoptWindow = (
  window: WindowState,
  wire: Wire,
  traits: WindowFrozen['traits'],
  tools: readonly ToolSpec[],
): NewBlock[] => {
  if (window.frozen?.imported !== true) return []
  window.frozen = { ...window.frozen, traits }
  if (window.rows.some(({ kind }) => kind === 'tool')) return []
  const rows = tools.map((tool) => append(window, wire, toolBlock(tool), { reason: 'window_start' }))
  if (!window.rows.some(({ kind }) => kind === 'instructions'))
    rows.push(append(window, wire, instructions, { reason: 'window_start' }))
  return rows.filter((row) => row !== null)
}

/** What is asked of a model that does not take the word: the strongest it has below, else its weakest. Null: it has none. */
export const nearestEffort = (wanted: Effort, taken: readonly Effort[]): Effort | null => {
  const order = Effort.options
  const ranked = [...taken].sort((a, b) => order.indexOf(a) - order.indexOf(b))
  return ranked.findLast((each) => order.indexOf(each) <= order.indexOf(wanted)) ?? ranked[0] ?? null
}

/** Same window, same effort: same bytes. */
export const envelopeOf = (
  window: WindowState,
  model: ModelInfo,
  effort: Effort | null,
  headCopy: string | null = null,
): Envelope => {
  const share = Math.floor(model.contextTokens / 4)
  return {
    model: model.id,
    effort: effort === null ? model.defaultEffort : nearestEffort(effort, model.efforts),
    thinking: window.frozen?.thinking ?? false,
    // A small model must keep room for its input: never more than a quarter of what it holds.
    maxOutputTokens: Math.min(model.maxOutputTokens ?? defaultOutputTokens, Math.max(share, 1_024)),
    promptCacheKey: window.windowId,
    parallelToolCalls: model.supports.parallelTools,
    ...(headCopy === null ? {} : { headCopy }),
  }
}
