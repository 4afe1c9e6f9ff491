/**
 * What people say of a rollout: comments on its steps and items, a verdict each, labels. Ordinary tables, not events.
 * Every change is kept with who made it and when; the newest state is what lists show.
 */
import { z } from 'zod'
import { CommentId, ItemId, StepId, ThreadId, UserId } from './ids.ts'

/** Characters (UTF-16 units) of one comment and of a verdict's reason. */
export const maxCommentChars = 5_000
/** Comments of one rollout, labels of the team, labels on one rollout. */
export const reviewLimits = { comments: 2_000, labels: 200, labelsOfThread: 30, labelChars: 40 } as const

/** Words of a person: plain text in which `backticks` mark code. Nothing in it is ever markup. */
export const CommentText = z
  .string()
  .max(maxCommentChars, `must have at most ${maxCommentChars} characters`)
  .refine((text) => text.trim() !== '', 'must not be empty')

/** What a comment is on: one step, or one item (a message, a call). */
export const CommentPlace = z.union([z.strictObject({ stepId: StepId }), z.strictObject({ itemId: ItemId })])
export type CommentPlace = z.infer<typeof CommentPlace>

export const Comment = z.object({
  id: CommentId,
  threadId: ThreadId,
  /** The comment that it answers; that one stands on its own. */
  replyTo: CommentId.nullable(),
  stepId: StepId.nullable(),
  itemId: ItemId.nullable(),
  /** Where in the log the step or item begins. */
  seq: z.int(),
  authorId: UserId,
  /** Empty once it was deleted. */
  text: z.string(),
  /** Number of its text, from 1; an edit says which one it was made of. */
  version: z.int(),
  createdAt: z.int(),
  /** Null while it is as it was written. */
  editedAt: z.int().nullable(),
  deletedAt: z.int().nullable(),
  resolvedAt: z.int().nullable(),
  resolvedBy: UserId.nullable(),
})
export type Comment = z.infer<typeof Comment>

/** One thing that was done to a comment; `text` is what it said from then on. */
export type CommentChange = {
  number: number
  action: 'written' | 'edited' | 'deleted' | 'resolved' | 'reopened'
  text: string | null
  version: number
  actorId: string
  at: number
}

/** Comments of one place, or of the whole rollout in the order of its log; answers follow what they answer. */
export type CommentPage = { comments: Comment[]; next: string | null; total: number }

export const Verdict = z.enum(['accepted', 'needs_work', 'rejected'])
export type Verdict = z.infer<typeof Verdict>

/** What one reviewer did last: gave a verdict, took it back, or set the rollout aside without one. */
export type Review = {
  id: string
  threadId: string
  reviewerId: string
  /** From 1; every version is kept. */
  version: number
  action: 'given' | 'withdrawn' | 'set_aside'
  verdict: Verdict | null
  reason: string
  /** Turns that the rollout had then: with more of them it is to be looked at again. */
  turns: number
  at: number
}

/** Names of colours that differ also for people who see few; each has a shape beside it on the screen. */
export const LabelColour = z.enum(['grey', 'blue', 'cyan', 'green', 'yellow', 'orange', 'red', 'purple'])
export type LabelColour = z.infer<typeof LabelColour>

export const LabelName = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(reviewLimits.labelChars, `must have at most ${reviewLimits.labelChars} characters`)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must be one line of plain text')

/** A word of the team's vocabulary. A removed one stays on what bears it, and is offered no more. */
export type Label = {
  id: string
  name: string
  colour: LabelColour
  description: string
  createdBy: string
  createdAt: number
  removedAt: number | null
  /** Rollouts that bear it. */
  used: number
}

/** A label on a rollout. */
export type ThreadLabel = { labelId: string; actorId: string; at: number }
export type ThreadLabelChange = ThreadLabel & { action: 'added' | 'removed' }

/** Everything about one rollout but its comments' texts. */
export type ReviewSummary = {
  threadId: string
  /** The newest of each reviewer, newest first. */
  reviews: Review[]
  labels: ThreadLabel[]
  /** Comments by step or item: how many, how many of them begin something that is not resolved, how many are deleted. */
  marks: Record<string, { total: number; open: number; deleted: number }>
  comments: number
  open: number
}

export const reviewHeaps = ['to_review', 'mine', 'done'] as const
/**
 * `to_review`: at rest with turns that the person has not judged; a rollout from a file only once somebody said something of
 * it, or its work went on here. `mine`: took part in; `done`: judged, nothing new.
 */
export type ReviewHeap = (typeof reviewHeaps)[number]

/** One line of the queue. */
export type ReviewLine = {
  threadId: string
  title: string
  projectName: string
  ownerId: string
  status: string
  turns: number
  steps: number
  costMicros: number | null
  filesChanged: number
  additions: number
  deletions: number
  lastLine: string
  updatedAt: number
  comments: number
  open: number
  labels: string[]
  reviews: Review[]
}
export type ReviewQueue = {
  lines: ReviewLine[]
  next: string | null
  counts: Record<ReviewHeap, number>
}

/** By thread, up to which turn the person has dealt with it: what puts a thread on the heap "To review". */
export type ReviewedTurns = Record<string, number>

/** What changed somewhere in the reviews of a rollout; `vocabulary` = the team's labels. */
export type ReviewChange =
  | { type: 'thread'; threadId: string; what: 'comments' | 'review' | 'labels' }
  | { type: 'vocabulary' }

/**
 * A line of the export. Ids say what it is about; times are ISO 8601. The first line of each rollout is `rollout`, and
 * what is known of it follows until the next.
 */
export type ReviewExportLine =
  | {
      type: 'rollout'
      thread: string
      title: string
      project: string
      owner: string
      status: string
      turns: number
      steps: number
      createdAt: string
      updatedAt: string
    }
  | {
      type: 'verdict'
      thread: string
      verdict: Verdict | null
      reason: string
      action: Review['action']
      version: number
      /** False for what was replaced by a later one of the same reviewer. */
      newest: boolean
      turns: number
      by: string
      at: string
    }
  | {
      type: 'label'
      thread: string
      label: string
      labelId: string
      action: ThreadLabelChange['action']
      /** Whether the rollout bears it now. */
      holds: boolean
      by: string
      at: string
    }
  | {
      type: 'comment'
      thread: string
      comment: string
      replyTo: string | null
      step: string | null
      item: string | null
      seq: number
      text: string | null
      by: string
      at: string
      resolved: { by: string; at: string } | null
      deleted: boolean
      changes: { action: CommentChange['action']; text: string | null; by: string; at: string }[]
    }
