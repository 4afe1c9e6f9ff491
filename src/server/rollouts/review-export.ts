/**
 * What people said of rollouts as lines of JSON, for whoever counts or learns from it: a rollout, then its verdicts,
 * labels and comments with every version. Read page by page, so its size costs no memory.
 */
import type { ReviewExportLine } from '../../protocol/review.ts'
import type { ReviewedThread } from '../store/review-types.ts'
import type { Store } from '../store/types.ts'
import type { MayReadReview } from './review-feed.ts'

const threadsPerPage = 50
const commentsPerPage = 100

const iso = (at: number): string => new Date(at).toISOString()

async function* linesOf(
  store: Pick<Store, 'reviews'>,
  names: Map<string, string>,
  row: ReviewedThread,
): AsyncGenerator<ReviewExportLine> {
  const thread = row.threadId
  yield {
    type: 'rollout',
    thread,
    title: row.title,
    project: row.projectName,
    owner: row.ownerId,
    status: row.status,
    turns: row.turns,
    steps: row.steps,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  }
  const newest = new Set<string>()
  const reviews = await store.reviews.reviews(thread)
  for (const { verdict, reason, action, version, turns, reviewerId, at } of reviews) {
    const isNewest = !newest.has(reviewerId)
    newest.add(reviewerId)
    yield {
      type: 'verdict',
      thread,
      verdict,
      reason,
      action,
      version,
      newest: isNewest,
      turns,
      by: reviewerId,
      at: iso(at),
    }
  }
  const holds = new Set<string>()
  const seen = new Set<string>()
  for (const { labelId, action, actorId, at } of await store.reviews.labelChanges(thread)) {
    // Newest first: what was done last says what holds.
    if (!seen.has(labelId) && action === 'added') holds.add(labelId)
    const isLast = !seen.has(labelId)
    seen.add(labelId)
    yield {
      type: 'label',
      thread,
      label: names.get(labelId) ?? '',
      labelId,
      action,
      holds: isLast && holds.has(labelId),
      by: actorId,
      at: iso(at),
    }
  }
  let after: string | null = null
  for (;;) {
    const page: Awaited<ReturnType<Store['reviews']['withChanges']>> = await store.reviews.withChanges(
      thread,
      after,
      commentsPerPage,
    )
    for (const { comment, changes } of page)
      yield {
        type: 'comment',
        thread,
        comment: comment.id,
        replyTo: comment.replyTo,
        step: comment.stepId,
        item: comment.itemId,
        seq: comment.seq,
        text: comment.deletedAt === null ? comment.text : null,
        by: comment.authorId,
        at: iso(comment.createdAt),
        resolved:
          comment.resolvedAt === null || comment.resolvedBy === null
            ? null
            : { by: comment.resolvedBy, at: iso(comment.resolvedAt) },
        deleted: comment.deletedAt !== null,
        changes: changes.map(({ action, text, actorId, at }) => ({ action, text, by: actorId, at: iso(at) })),
      }
    after = page.at(-1)?.comment.id ?? null
    if (page.length < commentsPerPage) return
  }
}

/** Rollouts that the person may read and of which something was said. */
export async function* exportReviews(
  store: Pick<Store, 'reviews'>,
  reader: { userId: string; mayRead: MayReadReview },
  filter: { threadId?: string; labelId?: string },
): AsyncGenerator<ReviewExportLine> {
  const names = new Map((await store.reviews.vocabulary()).map(({ id, name }) => [id, name]))
  let after: string | null = null
  for (;;) {
    const page: ReviewedThread[] = await store.reviews.reviewed(
      { ...filter, visibleTo: reader.userId },
      after,
      threadsPerPage,
    )
    const visible = await reader.mayRead(page.map(({ threadId }) => threadId))
    for (const row of page) if (visible.has(row.threadId)) yield* linesOf(store, names, row)
    after = page.at(-1)?.threadId ?? null
    if (page.length < threadsPerPage) return
  }
}
