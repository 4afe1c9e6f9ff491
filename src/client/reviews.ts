/**
 * What people said of rollouts: comments, verdicts, labels, the queue; read again when somebody changes them. Drafts of
 * comments outlive the place that they are written at.
 */
import {
  keepPreviousData,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ErrorFact } from '../protocol/error.ts'
import { newId } from '../protocol/ids.ts'
import type {
  CommentChange,
  CommentPlace,
  Label,
  Review,
  ReviewedTurns,
  ReviewHeap,
  ReviewSummary,
  Verdict,
} from '../protocol/review.ts'
import type { ThreadProjection } from '../protocol/thread.ts'
import { api, factOf } from './api.ts'
import { readAgain } from './read-again.ts'

const keys = {
  of: (threadId: string) => ['review', threadId] as const,
  summary: (threadId: string) => ['review', threadId, 'summary'] as const,
  labels: ['labels'] as const,
  queue: ['review-queue'] as const,
  turns: ['reviewed-turns'] as const,
}

/** Keeps everything of this file fresh while mounted; once per tab. */
export function useReviewChanges(enabled: boolean): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (!enabled) return
    const again = (...queryKeys: (readonly unknown[])[]): void => {
      for (const queryKey of queryKeys) void readAgain(queries, queryKey)
    }
    const subscription = api.review.listChanges.subscribe(undefined, {
      // What changed while nobody listened is in no message; the first time, too: a page reads before it is listened for.
      onStarted: () => again(['review'], keys.labels, keys.queue, keys.turns),
      onData: (change) => {
        if (change.type === 'vocabulary') again(keys.labels)
        else {
          again(keys.of(change.threadId), keys.queue)
          if (change.what === 'review') again(keys.turns)
          if (change.what === 'labels') again(keys.labels)
        }
      },
    })
    return () => subscription.unsubscribe()
  }, [enabled, queries])
}

export function useReviewSummary<T = ReviewSummary>(
  threadId: string,
  select?: (summary: ReviewSummary) => T,
): UseQueryResult<T> {
  return useQuery({
    queryKey: keys.summary(threadId),
    queryFn: ({ signal }) => api.review.summary.query({ threadId }, { signal }),
    ...(select === undefined ? {} : { select }),
  })
}

/** Comments of one place, or the open ones of the whole rollout. */
export function useComments(threadId: string, place: CommentPlace | 'open') {
  return useInfiniteQuery({
    queryKey: [...keys.of(threadId), 'comments', place],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.review.comments.query(
        {
          threadId,
          ...(place === 'open' ? { open: true } : { place }),
          ...(pageParam === undefined ? {} : { after: pageParam }),
        },
        { signal },
      ),
    getNextPageParam: (page) => page.next ?? undefined,
    select: ({ pages }) => ({
      comments: pages.flatMap(({ comments }) => comments),
      total: pages[0]?.total ?? 0,
    }),
  })
}

export const useCommentChanges = (
  threadId: string,
  commentId: string,
  enabled: boolean,
): UseQueryResult<CommentChange[]> =>
  useQuery({
    queryKey: [...keys.of(threadId), 'changes', commentId],
    enabled,
    queryFn: ({ signal }) => api.review.commentChanges.query({ threadId, commentId, limit: 50 }, { signal }),
  })

export const useReviewHistory = (threadId: string, enabled: boolean) =>
  useQuery({
    queryKey: [...keys.of(threadId), 'history'],
    enabled,
    queryFn: ({ signal }) => api.review.history.query({ threadId }, { signal }),
  })

export const useLabels = (): UseQueryResult<Label[]> =>
  useQuery({ queryKey: keys.labels, queryFn: () => api.label.list.query(), staleTime: 60_000 })

export function useReviewQueue(heap: ReviewHeap, filter: { labelId?: string; verdict?: Verdict }) {
  return useInfiniteQuery({
    queryKey: [...keys.queue, heap, filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.review.queue.query(
        { heap, ...filter, ...(pageParam === undefined ? {} : { after: pageParam }) },
        { signal },
      ),
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
    select: ({ pages }) => ({
      lines: pages.flatMap(({ lines }) => lines),
      counts: pages[0]?.counts,
    }),
  })
}

/** By thread, up to which turn the reader has dealt with it. */
export const useReviewedTurns = (): UseQueryResult<ReviewedTurns> =>
  useQuery({ queryKey: keys.turns, queryFn: () => api.review.reviewedTurns.query(), staleTime: 300_000 })

const atRest = new Set<ThreadProjection['status']>(['idle', 'failed', 'closed'])

/** Whether a thread ended work that the reader has not dealt with: the same rule as the queue's on the server. */
export const isToReview = (thread: ThreadProjection, reviewed: ReviewedTurns): boolean =>
  atRest.has(thread.status) && thread.turns > (reviewed[thread.id] ?? 0)

export type Done = { ok: true } | { ok: false; error: ErrorFact }

/** Runs a change and reads again what it touches; what went wrong is told, never thrown. */
export function useReviewing(threadId: string) {
  const queries = useQueryClient()
  const run = async (work: () => Promise<unknown>, more: (readonly unknown[])[] = []): Promise<Done> => {
    try {
      await work()
      return { ok: true }
    } catch (error) {
      return { ok: false, error: factOf(error) }
    } finally {
      for (const queryKey of [keys.of(threadId), ...more]) void queries.invalidateQueries({ queryKey })
    }
  }
  const judged = [keys.turns, keys.queue]
  return {
    comment: (on: CommentPlace | { replyTo: string }, text: string, commentId = newId('cmt')) =>
      run(() => api.review.comment.mutate({ threadId, commentId, text, on })),
    edit: (commentId: string, text: string, version: number) =>
      run(() => api.review.edit.mutate({ threadId, commentId, text, version })),
    remove: (commentId: string) => run(() => api.review.remove.mutate({ threadId, commentId })),
    resolve: (commentId: string, resolved: boolean) =>
      run(() => api.review.resolve.mutate({ threadId, commentId, resolved })),
    judge: (verdict: Verdict, reason: string, baseVersion: number) =>
      run(() => api.review.judge.mutate({ threadId, action: 'given', verdict, reason, baseVersion }), judged),
    withdraw: (baseVersion: number) =>
      run(() => api.review.judge.mutate({ threadId, action: 'withdrawn', baseVersion }), judged),
    setAside: (baseVersion: number) =>
      run(() => api.review.judge.mutate({ threadId, action: 'set_aside', baseVersion }), judged),
    label: (add: string[], remove: string[]) =>
      run(() => api.review.label.mutate({ threadId, add, remove }), [keys.labels, keys.queue]),
  }
}

/** The newest version of one's own verdict; 0 = none yet. */
export const versionOf = (reviews: readonly Review[], userId: string | undefined): number =>
  reviews.find(({ reviewerId }) => reviewerId === userId)?.version ?? 0

/** Takes a thread off the heap without a verdict, wherever it is listed. */
export async function setAside(threadId: string, userId: string | undefined): Promise<Done> {
  try {
    const { reviews } = await api.review.summary.query({ threadId })
    await api.review.judge.mutate({ threadId, action: 'set_aside', baseVersion: versionOf(reviews, userId) })
    return { ok: true }
  } catch (error) {
    return { ok: false, error: factOf(error) }
  }
}

const drafts = new Map<string, string>()

/** What was written at a place and not sent; gone with the tab. */
export const draftOf = (place: string): string => drafts.get(place) ?? ''
export function keepDraft(place: string, text: string): void {
  if (text === '') drafts.delete(place)
  else drafts.set(place, text)
}

/** Words of a comment; what stands in `backticks` is code. */
export function commentPieces(text: string): { text: string; code: boolean }[] {
  const pieces: { text: string; code: boolean }[] = []
  let from = 0
  for (const match of text.matchAll(/`([^`\n]+)`/g)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), code: false })
    pieces.push({ text: match[1] ?? '', code: true })
    from = match.index + match[0].length
  }
  if (from < text.length) pieces.push({ text: text.slice(from), code: false })
  return pieces
}
