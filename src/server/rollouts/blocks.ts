/**
 * What a request consisted of, block by block: why each is there, whether it is new, whether the provider had it in its
 * cache; the words of one; what two requests have in common.
 */
import { Fault } from '../../protocol/error.ts'
import type {
  HandOverDifference,
  RequestBlock,
  RequestBlocks,
  RequestBlockText,
  RequestDifference,
} from '../../protocol/rollout.ts'
import { previewBytes, wirePreview } from '../providers/wire-preview.ts'
import { wireText } from '../providers/wire-text.ts'
import type { BlockInList, Store, StoredStep } from '../store/types.ts'
import { type Kept, keptStep, noStep } from './request.ts'

type Source = Pick<Store, 'windows' | 'blobs' | 'rollouts' | 'log'>

/** Blocks that an answer with differences names of each side. */
const namedBlocks = 500

/** How many blocks from the beginning a request shares with the step before, and how many the provider had cached. */
export type Prefixes = { newFrom: number; cachedTo: number }

/** A cache holds beginnings of earlier requests: what the provider counted ends near one of these places. */
const nearTokens = 0.06

const placeOfTokens = (blocks: readonly BlockInList[], tokens: number): number => {
  let sum = 0
  for (const [at, block] of blocks.entries()) {
    sum += block.tokens
    if (sum > tokens) return at
  }
  return blocks.length
}

/**
 * `list` are the request's blocks. Before there is a count of the provider's, what was marked or sent before is thought
 * to be cached.
 */
export const prefixesOf = (
  list: readonly BlockInList[],
  step: StoredStep,
  before: StoredStep | null,
): Prefixes => {
  const newFrom = Math.min(before?.blockCount ?? 0, list.length)
  const usage = step.end?.usage
  if (!usage || usage.input === 0) {
    const lastMark = step.cacheMarks.filter((mark) => mark < newFrom).at(-1)
    return { newFrom, cachedTo: lastMark === undefined ? newFrom : lastMark + 1 }
  }
  if (usage.cachedInput <= 0) return { newFrom, cachedTo: 0 }
  const total = list.reduce((sum, { tokens }) => sum + tokens, 0)
  const cachedTokens = (usage.cachedInput / usage.input) * total
  const counted = usage.cachedInput >= usage.input ? list.length : placeOfTokens(list, cachedTokens)
  const near = [newFrom, ...(before?.cacheMarks ?? []).map((mark) => mark + 1)]
    .filter((place) => place > 0 && place <= list.length)
    .map((place) => {
      const tokens = list.slice(0, place).reduce((sum, block) => sum + block.tokens, 0)
      return { place, away: Math.abs(tokens - cachedTokens) }
    })
    .sort((a, b) => a.away - b.away)[0]
  return { newFrom, cachedTo: near && near.away <= nearTokens * total ? near.place : counted }
}

/** The step that was asked before this one in its window; null for the window's first. */
export const stepBefore = async (source: Source, step: StoredStep): Promise<StoredStep | null> =>
  source.windows.before(step.windowId, step.stepId)

const toBlocks = async (
  source: Source,
  windowId: string,
  list: readonly BlockInList[],
  { newFrom, cachedTo }: Prefixes,
): Promise<RequestBlock[]> => {
  const heads = await source.windows.headsAt(
    windowId,
    list.map(({ idx }) => idx),
    previewBytes,
  )
  return list.map(({ idx, kind, tokens, reason, itemId, callId, hash, bytes }) => ({
    idx,
    kind,
    tokens,
    reason,
    itemId,
    callId,
    hash,
    bytes,
    preview: wirePreview(heads.get(idx) ?? new Uint8Array()),
    isNew: idx >= newFrom,
    cached: idx < cachedTo,
  }))
}

const kept = async (source: Source, threadId: string, stepId: string): Promise<Kept | null> => {
  const found = await keptStep(source, threadId, stepId)
  // A step that is in the log alone has no blocks; one that is nowhere is not found.
  if (!found && !(await source.rollouts.ofKey(threadId, stepId))) throw noStep()
  return found
}

export type StepPlace = { threadId: string; stepId: string }

/** Blocks of a step's request from a place on, at most `limit`. */
export const requestBlocks = async (
  source: Source,
  { threadId, stepId }: StepPlace,
  { from, limit }: { from: number; limit: number },
): Promise<RequestBlocks> => {
  const found = await kept(source, threadId, stepId)
  if (!found) return { blocks: [], total: 0, next: null }
  const { step } = found
  const list = await source.windows.list(step.windowId, step.blockCount)
  const prefixes = prefixesOf(list, step, await stepBefore(source, step))
  const blocks = await toBlocks(source, step.windowId, list.slice(from, from + limit), prefixes)
  return { blocks, total: list.length, next: from + limit < list.length ? from + limit : null }
}

/** A part of what one block says: `offset` and `limit` count UTF-16 units. */
export const blockText = async (
  source: Source,
  { threadId, stepId, idx }: StepPlace & { idx: number },
  { offset, limit }: { offset: number; limit: number },
): Promise<RequestBlockText> => {
  const found = await kept(source, threadId, stepId)
  const row =
    found && idx < found.step.blockCount
      ? (await source.windows.blocks(found.step.windowId, idx, idx + 1))[0]
      : undefined
  if (!row)
    throw new Fault('not_found', 'The request of this step has no such block.', 'Choose one from the list.')
  const { content, text, images } = wireText(row.wire)
  const from = Math.min(offset, text.length)
  // Half of a pair at the end is left for the next part.
  const cut = text.slice(from, from + limit)
  const part = cut.length > 1 && from + limit < text.length ? cut.replace(/[\uD800-\uDBFF]$/, '') : cut
  const end = from + part.length
  const speaks = ['assistant', 'user', 'developer', 'instructions', 'reasoning', 'world']
  return {
    content: content === 'text' && speaks.includes(row.kind.split(':')[0] ?? '') ? 'markdown' : content,
    text: part.toWellFormed(),
    offset: from,
    nextOffset: end < text.length ? end : null,
    totalChars: text.length,
    images: images.slice(0, 100),
  }
}

const tokensOf = (list: readonly BlockInList[]): number => list.reduce((sum, { tokens }) => sum + tokens, 0)

/** What one list has and the other has not, each block as often as it is there. */
const without = (list: readonly BlockInList[], other: readonly BlockInList[]): BlockInList[] => {
  const count = new Map<string, number>()
  const keyOf = ({ kind, hash }: BlockInList): string => `${kind} ${hash}`
  for (const block of other) count.set(keyOf(block), (count.get(keyOf(block)) ?? 0) + 1)
  return list.filter((block) => {
    const left = count.get(keyOf(block)) ?? 0
    if (left > 0) count.set(keyOf(block), left - 1)
    return left === 0
  })
}

type Side = { step: StoredStep; list: BlockInList[]; prefixes: Prefixes }

const sideOf = async (source: Source, threadId: string, stepId: string): Promise<Side | null> => {
  const found = await kept(source, threadId, stepId)
  if (!found) return null
  const { step } = found
  const list = await source.windows.list(step.windowId, step.blockCount)
  return { step, list, prefixes: prefixesOf(list, step, await stepBefore(source, step)) }
}

const named = (source: Source, side: Side | null, list: BlockInList[]): Promise<RequestBlock[]> =>
  side === null
    ? Promise.resolve([])
    : toBlocks(source, side.step.windowId, list.slice(0, namedBlocks), side.prefixes)

/** The request of one step against another's, which may be of another thread. */
export const requestDifference = async (
  source: Source,
  a: { threadId: string; stepId: string },
  b: { threadId: string; stepId: string },
): Promise<RequestDifference> => {
  const [left, right] = await Promise.all([
    sideOf(source, a.threadId, a.stepId),
    sideOf(source, b.threadId, b.stepId),
  ])
  const listA = left?.list ?? []
  const listB = right?.list ?? []
  const onlyA = without(listA, listB)
  const onlyB = without(listB, listA)
  return {
    a: { stepId: a.stepId, blocks: listA.length, tokens: tokensOf(listA) },
    b: { stepId: b.stepId, blocks: listB.length, tokens: tokensOf(listB) },
    sameTokens: tokensOf(listA) - tokensOf(onlyA),
    sameBlocks: listA.length - onlyA.length,
    onlyA: await named(source, left, onlyA),
    onlyB: await named(source, right, onlyB),
    cut: onlyA.length > namedBlocks || onlyB.length > namedBlocks,
  }
}

/** What a window was given of the one before it, what stayed behind, what is pinned. */
export const handOverDifference = async (
  source: Source,
  threadId: string,
  windowId: string,
): Promise<HandOverDifference> => {
  const row = await source.rollouts.ofKey(threadId, windowId)
  const opened = row && (await source.log.at(threadId, [row.seq]))[0]
  if (opened?.type !== 'window.opened' || opened.body.fromWindowId === undefined)
    throw new Fault(
      'not_found',
      'No hand-over led to this window.',
      'Choose a window that another one came before.',
    )
  const { fromWindowId, reason, given, givenBlob, pinned, blocks } = opened.body
  const old = await source.windows.get(fromWindowId)
  const [before, after] = await Promise.all([
    old?.threadId === threadId ? source.windows.list(fromWindowId, maxBlocks) : [],
    source.windows.list(windowId, blocks),
  ])
  const left = without(before, after)
  const whole =
    givenBlob === undefined
      ? (given ?? [])
      : (JSON.parse(Buffer.from(await source.blobs.of(threadId).get(givenBlob)).toString()) as NonNullable<
          typeof given
        >)
  return {
    fromWindowId,
    toWindowId: windowId,
    reason,
    given: whole.slice(0, maxGiven),
    left: await toBlocks(source, fromWindowId, left.slice(0, namedBlocks), {
      newFrom: maxBlocks,
      cachedTo: 0,
    }),
    leftTotal: { blocks: left.length, tokens: tokensOf(left) },
    pinned: pinned ?? [],
  }
}

/** More than any window has. */
const maxBlocks = 2_147_483_647
const maxGiven = 1_000
