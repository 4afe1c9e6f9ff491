/**
 * Doors on rollouts: the skeleton, rows by filter and place, one step in full, what its request consisted of.
 */
import { z } from 'zod'
import { ProjectId, StepId, ThreadId, WindowId } from '../../../protocol/ids.ts'
import { maxRowsPerAnswer, RolloutFilter, RolloutPlace } from '../../../protocol/rollout.ts'
import { ThreadStatus } from '../../../protocol/thread.ts'
import { blockText, handOverDifference, requestBlocks, requestDifference } from '../../rollouts/blocks.ts'
import { rolloutsOf } from '../../rollouts/rollouts.ts'
import { router, teamDoor, threadDoor } from '../base.ts'
import { given } from '../given.ts'

const OneThread = z.object({ threadId: ThreadId })
const OneStep = OneThread.extend({ stepId: StepId })
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

  step: threadDoor('thread.read')
    .input(OneStep)
    .query(({ ctx, input: { threadId, stepId } }) => rolloutsOf(ctx.store).step(threadId, stepId)),

  /** Blocks of a step's request, with the beginning of what each says. */
  blocks: threadDoor('thread.read')
    .input(
      OneStep.extend({
        from: z.int().min(0).default(0),
        limit: z.int().min(1).max(maxRowsPerAnswer).default(100),
      }),
    )
    .query(({ ctx, input: { threadId, stepId, from, limit } }) =>
      requestBlocks(ctx.store, { threadId, stepId }, { from, limit }),
    ),

  /** A part of what one block says. */
  block: threadDoor('thread.read')
    .input(
      OneStep.extend({
        idx: z.int().min(0),
        offsetChars: z.int().min(0).default(0),
        limitChars: z.int().min(1).max(200_000).default(20_000),
      }),
    )
    .query(({ ctx, input: { threadId, stepId, idx, offsetChars, limitChars } }) =>
      blockText(ctx.store, { threadId, stepId, idx }, { offset: offsetChars, limit: limitChars }),
    ),

  /** Two steps of one thread. */
  difference: threadDoor('thread.read')
    .input(OneThread.extend({ a: StepId, b: StepId }))
    .query(({ ctx, input: { threadId, a, b } }) =>
      requestDifference(ctx.store, { threadId, stepId: a }, { threadId, stepId: b }),
    ),

  /** Of a window that another one came before. */
  handOver: threadDoor('thread.read')
    .input(OneThread.extend({ windowId: WindowId }))
    .query(async ({ ctx, input: { threadId, windowId } }) => {
      await rolloutsOf(ctx.store).catchUp(threadId, { patienceMs: 5_000 })
      return handOverDifference(ctx.store, threadId, windowId)
    }),

  picture: threadDoor('thread.read')
    .input(OneThread)
    .query(({ ctx, input }) => rolloutsOf(ctx.store).picture(input.threadId)),

  /** Rollouts that the caller sees, the ones changed last first. */
  list: teamDoor('thread.list')
    .input(
      z.object({
        projectId: ProjectId.optional(),
        imported: z.boolean().optional(),
        status: ThreadStatus.optional(),
        verdict: z.string().max(50).optional(),
        labelId: z.string().max(100).optional(),
        text: z.string().min(1).max(200).optional(),
        cursor: z
          .string()
          .regex(/^\d{1,15}_thr_[0-9a-f-]{36}$/, 'was not given out here')
          .optional(),
        limit: z.int().min(1).max(100).default(50),
      }),
    )
    .query(async ({ ctx, input: { cursor, limit, ...filter } }) => {
      const [at = '', ...id] = cursor?.split('_') ?? []
      const found = await ctx.store.rollouts.list({
        ...given(filter),
        visibleTo: ctx.actor.userId,
        after: cursor === undefined ? null : { updatedAt: Number(at), threadId: id.join('_') },
        limit: limit + 1,
      })
      const rollouts = found.slice(0, limit)
      const last = rollouts.at(-1)
      return { rollouts, cursor: found.length > limit && last ? `${last.updatedAt}_${last.threadId}` : null }
    }),
})
