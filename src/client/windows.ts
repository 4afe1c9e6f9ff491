/**
 * What fills a window, put into words and shares: groups of blocks, how full it is, how far estimates were off. Pure; it
 * knows no component and asks nobody.
 */
import { own } from '../lib/own.ts'
import type { WindowBlockRow } from '../protocol/thread.ts'
import type { StepView } from '../protocol/view.ts'

/** In the order in which a window begins and grows. */
export const blockGroups = [
  'tools',
  'instructions',
  'hint',
  'rules',
  'world',
  'pinned',
  'plan',
  'messages',
  'answers',
  'thinking',
  'calls',
  'results',
  'told',
] as const
export type BlockGroup = (typeof blockGroups)[number]

const groupOfKind: Record<string, BlockGroup> = {
  tool: 'tools',
  instructions: 'instructions',
  'world:hint': 'hint',
  hint: 'hint',
  'world:rules': 'rules',
  rules: 'rules',
  'world:plan': 'plan',
  plan: 'plan',
  user: 'messages',
  assistant: 'answers',
  reasoning: 'thinking',
  tool_call: 'calls',
  tool_result: 'results',
}

const groupOfReason: Record<string, BlockGroup> = {
  hint: 'hint',
  hand_over: 'hint',
  rules: 'rules',
  plan: 'plan',
  pinned: 'pinned',
}

/** Which heap a block belongs on. What a person pinned counts as pinned, whatever it is. */
export function groupOf({ kind, reason }: Pick<WindowBlockRow, 'kind' | 'reason'>): BlockGroup {
  if (reason === 'pinned') return 'pinned'
  const known = own(groupOfKind, kind)
  if (known !== undefined) return known
  if (kind.startsWith('world:')) return 'world'
  return own(groupOfReason, reason) ?? 'told'
}

export type Heap<Block> = {
  group: BlockGroup
  blocks: Block[]
  count: number
  tokens: number
  /** Of all tokens, from 0 to 1. */
  share: number
}

type Weighed = Pick<WindowBlockRow, 'kind' | 'reason' | 'tokens'> & { count?: number | undefined }

/** Blocks by group, in the order of the window; groups without blocks are left out. */
export function heapsOf<Block extends Weighed>(blocks: readonly Block[]): Heap<Block>[] {
  const heaps = new Map<BlockGroup, Heap<Block>>()
  let all = 0
  for (const block of blocks) {
    const group = groupOf(block)
    const heap = heaps.get(group) ?? { group, blocks: [], count: 0, tokens: 0, share: 0 }
    heap.blocks.push(block)
    heap.count += block.count ?? 1
    heap.tokens += block.tokens
    all += block.tokens
    heaps.set(group, heap)
  }
  return blockGroups.flatMap((group) => {
    const heap = heaps.get(group)
    return heap === undefined ? [] : [{ ...heap, share: all === 0 ? 0 : heap.tokens / all }]
  })
}

export type Fill = {
  used: number
  cached: number
  remaining: number
  limit: number
  /** Of the limit, from 0 to 1. */
  share: number
  cachedShare: number
  percent: number
  level: 'calm' | 'near' | 'full'
}

/** From this share of the limit on a new window is near. */
const nearShare = 0.8

/** How full a window is. `cached` tokens are part of `used`. */
export function fillOf(used: number, limit: number, cached: number): Fill {
  const share = limit <= 0 ? 0 : Math.min(1, used / limit)
  return {
    used,
    cached: Math.min(cached, used),
    remaining: Math.max(0, limit - used),
    limit,
    share,
    cachedShare: limit <= 0 ? 0 : Math.min(share, cached / limit),
    percent: Math.round(share * 100),
    level: used >= limit ? 'full' : share >= nearShare ? 'near' : 'calm',
  }
}

export type StepFigures = {
  input: number
  cached: number
  /** Of the input, from 0 to 1. */
  cachedShare: number
  /** Estimate less truth, as a share of the truth; null when either is not known. */
  drift: number | null
}

/** Figures of the newest step that the provider counted; null before the first. */
export function lastStepOf(steps: Iterable<StepView>): StepFigures | null {
  let newest: StepView | undefined
  for (const step of steps)
    if (step.status?.value === 'completed' && (step.usage?.input ?? 0) > 0) newest = step
  if (newest?.usage === undefined) return null
  const { input, cachedInput } = newest.usage
  const estimated = newest.estimatedTokens
  return {
    input,
    cached: cachedInput,
    cachedShare: cachedInput / input,
    drift: estimated === undefined || estimated === 0 ? null : estimated / input - 1,
  }
}
