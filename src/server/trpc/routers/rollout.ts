/**
 * Doors on rollouts: the skeleton, rows by filter and place, one step in full, what its request consisted of.
 */
import { z } from 'zod'
import { ThreadId } from '../../../protocol/ids.ts'
import { maxRowsPerAnswer, RolloutFilter, RolloutPlace } from '../../../protocol/rollout.ts'
import { rolloutsOf } from '../../rollouts/rollouts.ts'
import { router, threadDoor } from '../base.ts'
import { given } from '../given.ts'

const OneThread = z.object({ threadId: ThreadId })
const Filter = RolloutFilter.default({})

export const rolloutRouter = router({
  skeleton: threadDoor('thread.read')
    .input(OneThread)
    .query(({ ctx }) => rolloutsOf(ctx.store).skeleton(ctx.thread)),

  rows: threadDoor('thread.read')
    .input(
      OneThread.extend({
        filter: Filter,
        from: z.int().min(0).default(0),
        limit: z.int().min(1).max(maxRowsPerAnswer).default(100),
      }),
    )
    .query(({ ctx, input: { threadId, filter, from, limit } }) =>
      rolloutsOf(ctx.store).rows(threadId, given(filter), from, limit),
    ),

  locate: threadDoor('thread.read')
    .input(OneThread.extend({ place: RolloutPlace, filter: Filter }))
    .query(({ ctx, input: { threadId, place, filter } }) =>
      rolloutsOf(ctx.store).locate(threadId, place, given(filter)),
    ),
})
