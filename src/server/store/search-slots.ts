/**
 * Slots: stretches of a thread's log, or of an owner's time, that stand as terms in the inverted indexes beside words
 * and letters. The same names as the function `search_slots` of the database gives.
 */
import { createHash } from 'node:crypto'
import type { SearchPlace } from './types.ts'

/** What one walk covers; of an owner all threads, or these alone. */
export type PlanScope =
  | { type: 'thread'; threadId: string }
  | { type: 'owner'; ownerId: string; threadIds?: string[] }

/** Lengths as powers of two: of seqs in a thread, of seconds for an owner. */
const shifts = { thread: [11, 15, 19], owner: [12, 16, 20, 24] }
/** More terms than this cost more than longer slots. */
const maxSlots = 24

/** Where something stands in its scope, as slots count: a seq, or seconds. */
export const coordinateOf = ({ type }: PlanScope, { seq, at }: SearchPlace): number =>
  type === 'thread' ? seq : Math.floor(at / 1_000)

export type Window = {
  slots: string[]
  /** The last coordinate on the far side that the slots cover. */
  far: number
  /** Where the rest begins behind the slots, exclusively. */
  after: SearchPlace
}

/** The slots that cover everything between two coordinates, `from` being where the search stands. */
export const windowOf = (scope: PlanScope, from: number, to: number): Window => {
  const id = scope.type === 'thread' ? scope.threadId : scope.ownerId
  const lengths = shifts[scope.type]
  const span = (shift: number): [number, number] => [
    Math.floor(Math.min(from, to) / 2 ** shift),
    Math.floor(Math.max(from, to) / 2 ** shift),
  ]
  const shift =
    lengths.find((each) => span(each)[1] - span(each)[0] < maxSlots) ?? lengths[lengths.length - 1] ?? 0
  const [first, last] = span(shift)
  const hash = createHash('md5').update(id).digest('hex').slice(0, 8)
  const isBack = to < from
  const far = isBack ? first * 2 ** shift : (last + 1) * 2 ** shift - 1
  return {
    slots: Array.from(
      { length: last - first + 1 },
      (_, n) => `\u0001${scope.type === 'thread' ? 't' : 'o'}${shift}${hash}.${first + n}`,
    ),
    far,
    after:
      scope.type === 'thread'
        ? { at: 0, threadId: scope.threadId, seq: far }
        : { at: (isBack ? far : far + 1) * 1_000, threadId: '', seq: 0 },
  }
}
