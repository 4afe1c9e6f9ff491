/**
 * What two models of two threads were given at a place, held against each other by what it says: ids of calls and the
 * time that a command took differ from run to run and say nothing of the work.
 */
import type { RequestBlock, RequestDifference } from '../../protocol/rollout.ts'
import { requestDifference } from './blocks.ts'
import { volatile } from './compare-digest.ts'

type Place = { threadId: string; stepId: string }

/** Bytes by which two blocks that say the same may differ: digits of times. */
const looseBytes = 16

const wordsOf = ({ kind, preview }: RequestBlock): string =>
  `${kind} ${preview.replace(/\b\d+(?:\.\d+)? ?m?s\b/g, '').replace(volatile, '')}`

/** Takes out of both lists what says the same in both, each block as often as it is there. */
export const withoutAlike = (difference: RequestDifference): RequestDifference => {
  const waiting = new Map<string, RequestBlock[]>()
  for (const block of difference.onlyB) {
    const key = wordsOf(block)
    waiting.set(key, [...(waiting.get(key) ?? []), block])
  }
  const alike = new Set<RequestBlock>()
  let tokens = 0
  for (const block of difference.onlyA) {
    const others = waiting.get(wordsOf(block)) ?? []
    const at = others.findIndex(({ bytes }) => Math.abs(bytes - block.bytes) <= looseBytes)
    const [other] = at < 0 ? [] : others.splice(at, 1)
    if (other === undefined) continue
    alike.add(block).add(other)
    tokens += block.tokens
  }
  return {
    ...difference,
    sameBlocks: difference.sameBlocks + alike.size / 2,
    sameTokens: difference.sameTokens + tokens,
    onlyA: difference.onlyA.filter((block) => !alike.has(block)),
    onlyB: difference.onlyB.filter((block) => !alike.has(block)),
  }
}

/** Which blocks the request of one step had that the other's had not. */
export const windowsApart = async (
  source: Parameters<typeof requestDifference>[0],
  a: Place,
  b: Place,
): Promise<RequestDifference> => withoutAlike(await requestDifference(source, a, b))
