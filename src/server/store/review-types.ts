/**
 * What the tables of reviews offer: comments with every version, verdicts, labels, the queue. Whoever calls has already
 * asked whether the person may read the thread; ids of another thread are not found here.
 */
import type {
  Comment,
  CommentChange,
  CommentPage,
  CommentPlace,
  Label,
  LabelColour,
  Review,
  ReviewChange,
  ReviewedTurns,
  ReviewHeap,
  ReviewQueue,
  ReviewSummary,
  ThreadLabelChange,
  Verdict,
} from '../../protocol/review.ts'

export type NewComment = {
  /** Made by the client: the same comment sent twice is one. */
  commentId: string
  threadId: string
  authorId: string
  text: string
  on: CommentPlace | { replyTo: string }
}

export type CommentQuery = {
  place?: CommentPlace
  /** Threads of words that are not resolved, alone. */
  open?: boolean
  /** What the page before gave as `next`. */
  after?: string
  limit: number
}

export type OneComment = { threadId: string; commentId: string; actorId: string }

export type GiveReview = {
  threadId: string
  reviewerId: string
  action: Review['action']
  verdict: Verdict | null
  reason: string
  /** The version that the reviewer saw last, 0 = none. */
  baseVersion: number
}

export type QueueQuery = {
  heap: ReviewHeap
  actorId: string
  labelId?: string
  verdict?: Verdict
  after?: string
  limit: number
}

/** A rollout about which something was said, for the export. */
export type ReviewedThread = {
  threadId: string
  title: string
  projectName: string
  ownerId: string
  status: string
  turns: number
  steps: number
  createdAt: number
  updatedAt: number
}

export type ReviewStore = {
  /** Faults: `not_found` for a place or comment that is not this thread's, `limit_reached`, `conflict` for a known id. */
  comment(comment: NewComment): Promise<Comment>
  comments(threadId: string, query: CommentQuery): Promise<CommentPage>
  /** Everything that was done to a comment, newest first, at most `limit` before the number. */
  changes(threadId: string, commentId: string, before: number | null, limit: number): Promise<CommentChange[]>
  /** Fault `conflict` when its text is not the version any more, `forbidden` for somebody else's. */
  edit(comment: OneComment, text: string, version: number): Promise<Comment>
  remove(comment: OneComment): Promise<Comment>
  resolve(comment: OneComment, resolved: boolean): Promise<Comment>

  /** Fault `conflict` when the reviewer's newest version is another. */
  review(review: GiveReview): Promise<Review>
  /** Every version of every reviewer, newest first, at most 500. */
  reviews(threadId: string): Promise<Review[]>
  summary(threadId: string): Promise<ReviewSummary>

  vocabulary(): Promise<Label[]>
  createLabel(
    label: { name: string; colour: LabelColour; description: string },
    actorId: string,
  ): Promise<Label>
  changeLabel(
    labelId: string,
    change: { name?: string; colour?: LabelColour; description?: string; removed?: boolean },
    actorId: string,
  ): Promise<Label>
  /** Puts labels on and takes them off; what is so already stays without a word. */
  label(threadId: string, add: string[], remove: string[], actorId: string): Promise<void>
  labelChanges(threadId: string): Promise<ThreadLabelChange[]>

  /** Rollouts that the person sees, newest first. */
  queue(query: QueueQuery): Promise<ReviewQueue>
  reviewedTurns(actorId: string): Promise<ReviewedTurns>

  /** Rollouts that a person sees and about which something was said, in the order of their ids. */
  reviewed(
    query: { visibleTo: string; threadId?: string; labelId?: string },
    after: string | null,
    limit: number,
  ): Promise<ReviewedThread[]>
  /** Comments of a thread with all their changes, in the order of their ids. */
  withChanges(
    threadId: string,
    after: string | null,
    limit: number,
  ): Promise<{ comment: Comment; changes: CommentChange[] }[]>

  /** Called after each change. */
  onChange(listener: (change: ReviewChange) => void): () => void
}
