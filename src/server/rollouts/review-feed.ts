/**
 * What changed in the reviews that a person may read, as it changes: names of rollouts, never texts, so that a tab reads
 * again what it shows. Knows no socket.
 */
import type { ReviewChange } from '../../protocol/review.ts'
import type { Store } from '../store/types.ts'

const keyOf = (change: ReviewChange): string =>
  change.type === 'vocabulary' ? change.type : `${change.threadId} ${change.what}`

/** Of these threads the ones whose reviews a person may read: asked each time. */
export type MayReadReview = (threadIds: string[]) => Promise<Set<string>>

/** Ends when the signal aborts. Changes of one thing that nobody took yet are told once. */
export async function* reviewChanges(
  store: Pick<Store, 'reviews'>,
  mayRead: MayReadReview,
  signal: AbortSignal,
): AsyncGenerator<ReviewChange> {
  const pending = new Map<string, ReviewChange>()
  let wake: (() => void) | null = null
  const stop = store.reviews.onChange((change) => {
    pending.set(keyOf(change), change)
    wake?.()
  })
  const onAbort = (): void => wake?.()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    while (!signal.aborted) {
      if (pending.size === 0)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      wake = null
      const changes = [...pending.values()]
      pending.clear()
      const threadIds = changes.flatMap((change) => (change.type === 'thread' ? [change.threadId] : []))
      const visible = threadIds.length === 0 ? new Set() : await mayRead([...new Set(threadIds)])
      for (const change of changes) {
        if (signal.aborted) return
        if (change.type === 'vocabulary' || visible.has(change.threadId)) yield change
      }
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    stop()
  }
}
