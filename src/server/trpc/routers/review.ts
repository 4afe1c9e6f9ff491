/**
 * Doors on what people say of rollouts: comments, verdicts, labels, the queue.
 */
import { z } from 'zod'
import { CommentId, ItemId, LabelId, StepId, ThreadId } from '../../../protocol/ids.ts'
import {
  CommentPlace,
  CommentText,
  LabelColour,
  LabelName,
  maxCommentChars,
  reviewHeaps,
  Verdict,
} from '../../../protocol/review.ts'
import { readableReviews } from '../../access/threads.ts'
import { reviewChanges } from '../../rollouts/review-feed.ts'
import { router, teamDoor, threadDoor, whileAllowed } from '../base.ts'
import { drained } from '../drained.ts'
import { given } from '../given.ts'

const OneThread = z.object({ threadId: ThreadId })
const OneComment = OneThread.extend({ commentId: CommentId })
const Version = z.int().min(0).max(1_000_000)
const Description = z.string().trim().max(300)
const Reason = z.string().trim().max(maxCommentChars, `must have at most ${maxCommentChars} characters`)

/** A verdict that asks for something says what; one that accepts may go without words. */
const Judgement = z
  .discriminatedUnion('action', [
    OneThread.extend({ action: z.literal('given'), verdict: Verdict, reason: Reason, baseVersion: Version }),
    OneThread.extend({ action: z.literal('withdrawn'), reason: Reason.default(''), baseVersion: Version }),
    OneThread.extend({ action: z.literal('set_aside'), baseVersion: Version }),
  ])
  .refine((input) => input.action !== 'given' || input.verdict === 'accepted' || input.reason !== '', {
    path: ['reason'],
    message: 'must say why',
  })

export const reviewRouter = router({
  summary: threadDoor('review.read')
    .input(OneThread)
    .query(({ ctx, input }) => ctx.store.reviews.summary(input.threadId)),

  comments: threadDoor('review.read')
    .input(
      OneThread.extend({
        place: CommentPlace.optional(),
        open: z.boolean().optional(),
        after: z
          .string()
          .regex(/^\d{1,6}$/)
          .optional(),
        limit: z.int().min(1).max(100).default(100),
      }),
    )
    .query(({ ctx, input: { threadId, ...query } }) => ctx.store.reviews.comments(threadId, given(query))),

  /** Everything that was done to one comment, newest first. */
  commentChanges: threadDoor('review.read')
    .input(OneComment.extend({ before: Version.optional(), limit: z.int().min(1).max(50).default(30) }))
    .query(({ ctx, input }) =>
      ctx.store.reviews.changes(input.threadId, input.commentId, input.before ?? null, input.limit),
    ),

  comment: threadDoor('review.write')
    .input(
      OneComment.extend({
        text: CommentText,
        on: z.union([
          z.strictObject({ stepId: StepId }),
          z.strictObject({ itemId: ItemId }),
          z.strictObject({ replyTo: CommentId }),
        ]),
      }),
    )
    .mutation(({ ctx, input }) => ctx.store.reviews.comment({ ...input, authorId: ctx.actor.userId })),

  edit: threadDoor('review.write')
    .input(OneComment.extend({ text: CommentText, version: Version }))
    .mutation(({ ctx, input: { text, version, ...one } }) =>
      ctx.store.reviews.edit({ ...one, actorId: ctx.actor.userId }, text, version),
    ),

  remove: threadDoor('review.write')
    .input(OneComment)
    .mutation(({ ctx, input }) => ctx.store.reviews.remove({ ...input, actorId: ctx.actor.userId })),

  resolve: threadDoor('review.write')
    .input(OneComment.extend({ resolved: z.boolean() }))
    .mutation(({ ctx, input: { resolved, ...one } }) =>
      ctx.store.reviews.resolve({ ...one, actorId: ctx.actor.userId }, resolved),
    ),

  judge: threadDoor('review.write')
    .input(Judgement)
    .mutation(({ ctx, input }) =>
      ctx.store.reviews.review({
        threadId: input.threadId,
        reviewerId: ctx.actor.userId,
        action: input.action,
        verdict: input.action === 'given' ? input.verdict : null,
        reason: input.action === 'set_aside' ? '' : input.reason,
        baseVersion: input.baseVersion,
      }),
    ),

  /** Every version of every verdict, and who put which label on or took it off; newest first. */
  history: threadDoor('review.read')
    .input(OneThread)
    .query(async ({ ctx, input }) => ({
      reviews: await ctx.store.reviews.reviews(input.threadId),
      labels: await ctx.store.reviews.labelChanges(input.threadId),
    })),

  label: threadDoor('review.write')
    .input(
      OneThread.extend({
        add: z.array(LabelId).max(30).default([]),
        remove: z.array(LabelId).max(30).default([]),
      }),
    )
    .mutation(async ({ ctx, input }) => {
      await ctx.store.reviews.label(input.threadId, input.add, input.remove, ctx.actor.userId)
      return ctx.store.reviews.summary(input.threadId)
    }),

  queue: teamDoor('review.list')
    .input(
      z.object({
        heap: z.enum(reviewHeaps),
        labelId: LabelId.optional(),
        verdict: Verdict.optional(),
        after: z.string().max(100).optional(),
        limit: z.int().min(1).max(100).default(50),
      }),
    )
    .query(({ ctx, input }) => ctx.store.reviews.queue({ ...given(input), actorId: ctx.actor.userId })),

  reviewedTurns: teamDoor('review.list').query(({ ctx }) =>
    ctx.store.reviews.reviewedTurns(ctx.actor.userId),
  ),

  listChanges: teamDoor('review.list').subscription(async function* ({ ctx, signal }) {
    if (!signal) return
    const mayRead = readableReviews(ctx.store, ctx.actor)
    for await (const change of whileAllowed(ctx, signal, (ending) =>
      reviewChanges(ctx.store, mayRead, ending),
    )) {
      yield change
      await drained(ctx, signal)
    }
  }),
})

export const labelRouter = router({
  list: teamDoor('review.list').query(({ ctx }) => ctx.store.reviews.vocabulary()),

  create: teamDoor('label.write')
    .input(z.object({ name: LabelName, colour: LabelColour, description: Description.default('') }))
    .mutation(({ ctx, input }) => ctx.store.reviews.createLabel(input, ctx.actor.userId)),

  change: teamDoor('label.write')
    .input(
      z.object({
        labelId: LabelId,
        name: LabelName.optional(),
        colour: LabelColour.optional(),
        description: Description.optional(),
        removed: z.boolean().optional(),
      }),
    )
    .mutation(({ ctx, input: { labelId, ...change } }) =>
      ctx.store.reviews.changeLabel(labelId, given(change), ctx.actor.userId),
    ),
})
