/**
 * Verdicts with every version, the summary of a rollout's review, and the queue of what is to be looked at. Comments and
 * labels have files of their own.
 */
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import type {
  Review,
  ReviewChange,
  ReviewHeap,
  ReviewLine,
  ReviewSummary,
  ThreadLabel,
} from '../../protocol/review.ts'
import { cleanText } from './append.ts'
import { auditQuery } from './audit.ts'
import { createCommentStore, inOrder } from './comments.ts'
import type { Db, Queryable } from './db.ts'
import { createLabelStore } from './labels.ts'
import type { ReviewedThread, ReviewStore } from './review-types.ts'
import { judgedBy, visibleTo } from './visible.ts'

const columns = `r.id, r."threadId", r."reviewerId", r.version, r.action, r.verdict, r.reason, r.turns,
  (extract(epoch from r.at) * 1000)::float8 as at`

const toReview = (row: Review): Review => ({ ...row, at: Math.round(row.at) })

/** Versions that one answer holds. */
const maxVersions = 500
/** Rollouts of each kind of which the lists are told. */
const maxDealtWith = 5_000

/** Somebody said something of it that holds. */
const spokenOf = `(exists (select 1 from "Comment" c where c."threadId" = t.id and c."deletedAt" is null)
  or exists (select 1 from "ThreadLabel" l where l."threadId" = t.id)
  or exists (select 1 from "Review" o where o."threadId" = t.id and o.newest and o.verdict is not null))`

/**
 * Every rollout that a person sees with what puts it on a heap: `seen` = turns that it had when they dealt with it last. Of one
 * that was never judged, or taken back, it is 0. What was read in from a file asks nobody to look at it: it comes to the heap when
 * somebody said something of it, or when its work went on here.
 */
const heaps = `select t.id, t.title, t."projectId", t."ownerId", p.status, p.state, p."lastLine", p."updatedAt",
    x.turns,
    coalesce(r.turns, 0) as seen, r.verdict,
    p.status in ('idle', 'failed', 'closed') and x.turns > coalesce(r.turns, 0)
      and (t.imported is null or x.turns > coalesce((t.imported->>'turns')::int4, x.turns)
        or ${spokenOf})
      and ${judgedBy('$1')} as to_review,
    r.id is not null or exists (select 1 from "Comment" c where c."threadId" = t.id and c."authorId" = $1)
      or exists (select 1 from "ThreadLabel" l where l."threadId" = t.id and l."actorId" = $1) as mine,
    x.turns > 0 and coalesce(r.turns, 0) >= x.turns as done
  from "Thread" t join "ThreadProjection" p on p."threadId" = t.id
    cross join lateral (select (p.state->>'turns')::int4 as turns) x
    left join "Review" r on r."threadId" = t.id and r."reviewerId" = $1 and r.newest
  where ${visibleTo('$1')} and not t.archived
    and ($2::text is null or exists (select 1 from "ThreadLabel" l where l."threadId" = t.id and l."labelId" = $2))
    and ($3::text is null or r.verdict = $3)`

type LineRow = Omit<ReviewLine, 'reviews'> & { at: number }

const parseCursor = (after: string | undefined): { at: number | null; id: string } => {
  if (after === undefined) return { at: null, id: '' }
  const [, at, id] = /^(\d{1,15})_(thr_[0-9a-f-]{36})$/.exec(after) ?? []
  if (at === undefined || id === undefined)
    throw new Fault('bad_input', 'This cursor was not given out here.', 'Begin again without a cursor.')
  return { at: Number(at), id }
}

const newestOf = async (client: Queryable, threadId: string, reviewerId: string): Promise<Review | null> => {
  const { rows } = await client.query<Review>(
    `select ${columns} from "Review" r where r."threadId" = $1 and r."reviewerId" = $2 and r.newest`,
    [threadId, reviewerId],
  )
  return rows[0] ? toReview(rows[0]) : null
}

export const createReviewStore = (db: Db, teamId: () => Promise<string>): ReviewStore => {
  const listeners = new Set<(change: ReviewChange) => void>()
  const tell = (change: ReviewChange): void => {
    for (const listener of listeners) listener(change)
  }

  const newestReviews = async (threadIds: string[]): Promise<Review[]> => {
    const rows = await db.query<Review>(
      `select ${columns} from "Review" r where r."threadId" = any($1) and r.newest order by r.at desc, r.id desc`,
      [threadIds],
    )
    return rows.map(toReview)
  }

  return {
    ...createCommentStore(db, tell),
    ...createLabelStore(db, teamId, tell),

    review: async ({ threadId, reviewerId, action, verdict, reason, baseVersion }) => {
      const review = await db.transaction(async (client) => {
        await inOrder(client, threadId)
        const { rows } = await client.query<{ turns: number }>(
          `select (state->>'turns')::int4 as turns from "ThreadProjection" where "threadId" = $1`,
          [threadId],
        )
        const turns = rows[0]?.turns
        if (turns === undefined)
          throw new Fault('not_found', 'There is no such thread.', 'Reload the page; it may be gone.')
        const before = await newestOf(client, threadId, reviewerId)
        if ((before?.version ?? 0) !== baseVersion)
          throw new Fault(
            'conflict',
            'You gave another verdict meanwhile, in another tab.',
            'Look at it, then save yours over it or leave it.',
            { version: before?.version ?? 0 },
          )
        await client.query(
          `update "Review" set newest = false where "threadId" = $1 and "reviewerId" = $2 and newest`,
          [threadId, reviewerId],
        )
        // Set aside keeps what was said before; taken back leaves nothing of it but its versions.
        const kept =
          action === 'set_aside'
            ? { verdict: before?.verdict ?? null, reason: before?.reason ?? '' }
            : { verdict: action === 'withdrawn' ? null : verdict, reason: cleanText(reason) }
        await client.query(
          `insert into "Review" (id, "threadId", "reviewerId", version, action, verdict, reason, turns, at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp())`,
          [
            ...[newId('rev'), threadId, reviewerId, baseVersion + 1, action, kept.verdict, kept.reason],
            action === 'withdrawn' ? 0 : turns,
          ],
        )
        await auditQuery(client, {
          actorId: reviewerId,
          action: 'review.verdict',
          targetType: 'thread',
          targetId: threadId,
          details: { action, verdict: kept.verdict },
        })
        return newestOf(client, threadId, reviewerId)
      })
      tell({ type: 'thread', threadId, what: 'review' })
      return review as Review
    },

    reviews: async (threadId) => {
      const rows = await db.query<Review>(
        `select ${columns} from "Review" r where r."threadId" = $1 order by r.at desc, r.id desc limit ${maxVersions}`,
        [threadId],
      )
      return rows.map(toReview)
    },

    summary: async (threadId) => {
      const [reviews, labels, places] = await Promise.all([
        newestReviews([threadId]),
        db.query<ThreadLabel>(
          `select "labelId", "actorId", (extract(epoch from at) * 1000)::float8 as at from "ThreadLabel"
           where "threadId" = $1 order by at, "labelId"`,
          [threadId],
        ),
        db.query<{ place: string; total: number; open: number; deleted: number }>(
          `select coalesce("stepId", "itemId") as place, (count(*) filter (where "deletedAt" is null))::int4 as total,
             (count(*) filter (where "replyTo" is null and "resolvedAt" is null and "deletedAt" is null))::int4 as open,
             (count(*) filter (where "deletedAt" is not null))::int4 as deleted
           from "Comment" where "threadId" = $1 group by 1`,
          [threadId],
        ),
      ])
      const summary: ReviewSummary = { threadId, reviews, labels: [], marks: {}, comments: 0, open: 0 }
      summary.labels = labels.map((label) => ({ ...label, at: Math.round(label.at) }))
      for (const { place, total, open, deleted } of places) {
        summary.marks[place] = { total, open, deleted }
        summary.comments += total
        summary.open += open
      }
      return summary
    },

    queue: async ({ heap, actorId, labelId, verdict, after, limit }) => {
      const { at, id } = parseCursor(after)
      const filter = [actorId, labelId ?? null, verdict ?? null]
      const [rows, counted] = await Promise.all([
        db.query<LineRow>(
          `select h.id as "threadId", h.title, pr.name as "projectName", h."ownerId", h.status, h.turns,
             (h.state->>'steps')::int4 as steps, (h.state->>'costMicros')::int8::float8 as "costMicros",
             (h.state->>'filesChanged')::int4 as "filesChanged", (h.state->>'additions')::int4 as additions,
             (h.state->>'deletions')::int4 as deletions, left(h."lastLine", 300) as "lastLine",
             (extract(epoch from h."updatedAt") * 1000)::float8 as "updatedAt",
             c.comments, c.open, coalesce(l.labels, '{}') as labels
           from (${heaps}) h join "Project" pr on pr.id = h."projectId"
             cross join lateral (select count(*)::int4 as comments,
               (count(*) filter (where k."replyTo" is null and k."resolvedAt" is null))::int4 as open
               from "Comment" k where k."threadId" = h.id and k."deletedAt" is null) c
             cross join lateral (select array_agg(k."labelId" order by k.at) as labels from "ThreadLabel" k
               where k."threadId" = h.id) l
           where h.${heap} and ($4::float8 is null
             or (h."updatedAt", h.id) < (to_timestamp($4 / 1000), $5))
           order by h."updatedAt" desc, h.id desc limit $6`,
          [...filter, at, id, limit + 1],
        ),
        db.query<Record<ReviewHeap, number>>(
          `select (count(*) filter (where to_review))::int4 as to_review, (count(*) filter (where mine))::int4 as mine,
             (count(*) filter (where done))::int4 as done from (${heaps}) h`,
          filter,
        ),
      ])
      const shown = rows.slice(0, limit)
      const reviews = Map.groupBy(
        await newestReviews(shown.map(({ threadId }) => threadId)),
        ({ threadId }) => threadId,
      )
      const last = shown.at(-1)
      return {
        lines: shown.map((row) => ({
          ...row,
          updatedAt: Math.round(row.updatedAt),
          reviews: reviews.get(row.threadId) ?? [],
        })),
        next: rows.length > limit && last ? `${Math.round(last.updatedAt)}_${last.threadId}` : null,
        counts: counted[0] ?? { to_review: 0, mine: 0, done: 0 },
      }
    },

    reviewedTurns: async (actorId) => {
      const rows = await db.query<{ threadId: string; turns: number }>(
        `select r."threadId", r.turns from "Review" r where r."reviewerId" = $1 and r.newest and r.turns > 0
         order by r.at desc limit ${maxDealtWith}`,
        [actorId],
      )
      // Of what was read in and nobody spoke of, all that came with the file counts as dealt with: the queue's rule.
      const read = await db.query<{ threadId: string; turns: number }>(
        `select t.id as "threadId", (t.imported->>'turns')::int4 as turns from "Thread" t
         where t.imported is not null and ${visibleTo('$1')} and not t.archived and not ${spokenOf}
         order by t.id desc limit ${maxDealtWith}`,
        [actorId],
      )
      const dealtWith: Record<string, number> = {}
      for (const { threadId, turns } of [...read, ...rows])
        if (turns !== null) dealtWith[threadId] = Math.max(turns, dealtWith[threadId] ?? 0)
      return dealtWith
    },

    reviewed: async ({ visibleTo: reader, threadId, labelId }, after, limit) => {
      const rows = await db.query<ReviewedThread>(
        `select t.id as "threadId", t.title, pr.name as "projectName", t."ownerId", p.status,
           (p.state->>'turns')::int4 as turns, (p.state->>'steps')::int4 as steps,
           (extract(epoch from t."createdAt") * 1000)::float8 as "createdAt",
           (extract(epoch from p."updatedAt") * 1000)::float8 as "updatedAt"
         from "Thread" t join "ThreadProjection" p on p."threadId" = t.id join "Project" pr on pr.id = t."projectId"
         where ${visibleTo('$1')} and ($2::text is null or t.id = $2)
           and ($3::text is null or exists (select 1 from "ThreadLabel" l where l."threadId" = t.id and l."labelId" = $3))
           and ($4::text is null or t.id > $4)
           and (exists (select 1 from "Review" r where r."threadId" = t.id)
             or exists (select 1 from "Comment" c where c."threadId" = t.id)
             or exists (select 1 from "ThreadLabelChange" l where l."threadId" = t.id))
         order by t.id limit $5`,
        [reader, threadId ?? null, labelId ?? null, after, limit],
      )
      return rows.map((row) => ({
        ...row,
        createdAt: Math.round(row.createdAt),
        updatedAt: Math.round(row.updatedAt),
      }))
    },

    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
