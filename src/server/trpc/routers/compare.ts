/**
 * Doors on two rollouts side by side. Who compares must be allowed to read both. `headA` and `headB` are what the first
 * answer said: lines of the same heads never move.
 */
import { z } from 'zod'
import { DifferenceField, differenceFields, maxCompareLines } from '../../../protocol/compare.ts'
import { StepId, ThreadId } from '../../../protocol/ids.ts'
import type { ThreadProjection } from '../../../protocol/thread.ts'
import { type CompareGiven, comparerOf } from '../../rollouts/compare.ts'
import { windowsApart } from '../../rollouts/compare-windows.ts'
import { rolloutsOf } from '../../rollouts/rollouts.ts'
import type { Store } from '../../store/types.ts'
import { pairDoor, router } from '../base.ts'
import { given } from '../given.ts'

const Pair = z.object({ a: ThreadId, b: ThreadId })
const Head = z.int().min(1)
const Heads = Pair.extend({ headA: Head, headB: Head })

/** How long the figures may be brought up to the log. */
const patienceMs = 20_000

const figuresOf = async (store: Store, thread: ThreadProjection): Promise<CompareGiven> => {
  const rollouts = rolloutsOf(store)
  await rollouts.catchUp(thread.id, { patienceMs: patienceMs })
  const { totals } = await rollouts.skeleton(thread)
  return { thread, head: thread.head, totals }
}

type Places = { pair: { a: ThreadProjection; b: ThreadProjection } }
const places = ({ pair: { a, b } }: Places, { headA, headB }: { headA: number; headB: number }) =>
  [
    { threadId: a.id, head: Math.min(headA, a.head) },
    { threadId: b.id, head: Math.min(headB, b.head) },
  ] as const

export const compareRouter = router({
  get: pairDoor('thread.read')
    .input(Pair)
    .query(async ({ ctx }) => {
      const { a, b } = ctx.pair
      return comparerOf(ctx.store).compare(await figuresOf(ctx.store, a), await figuresOf(ctx.store, b))
    }),

  lines: pairDoor('thread.read')
    .input(
      Heads.extend({
        from: z.int().min(0).default(0),
        limit: z.int().min(1).max(maxCompareLines).default(100),
        only: z.array(DifferenceField).min(1).max(differenceFields.length).optional(),
      }),
    )
    .query(({ ctx, input: { from, limit, only, ...heads } }) =>
      comparerOf(ctx.store).lines(...places(ctx, heads), given({ from, limit, only })),
    ),

  detail: pairDoor('thread.read')
    .input(Heads.extend({ line: z.int().min(0) }))
    .query(({ ctx, input: { line, ...heads } }) => comparerOf(ctx.store).detail(...places(ctx, heads), line)),

  /** Which blocks the request of a step of `a` had that the one of `b` had not, and the other way round. */
  windows: pairDoor('thread.read')
    .input(Pair.extend({ stepA: StepId, stepB: StepId }))
    .query(({ ctx, input: { a, b, stepA, stepB } }) =>
      windowsApart(ctx.store, { threadId: a, stepId: stepA }, { threadId: b, stepId: stepB }),
    ),
})
