/**
 * A thread as a door opens it: its row and what the caller is on it, looked up anew and asked for at once.
 */
import { Fault } from '../../protocol/error.ts'
import type { ThreadProjection } from '../../protocol/thread.ts'
import type { Store, ThreadAccess } from '../store/types.ts'
import { assertCan, can, notSignedIn, threadNotFound } from './permission.ts'
import type { Action, Actor } from './types.ts'

export type OpenedThread = { thread: ThreadProjection; access: ThreadAccess }

/** Faults: `unauthenticated`, `forbidden`, and `not_found` alike for a thread that is not there and one that is not theirs. */
export const openThread = async (
  store: Pick<Store, 'threads' | 'sharing'>,
  actor: Actor | null,
  action: Action,
  threadId: string,
): Promise<OpenedThread> => {
  if (!actor) throw notSignedIn()
  const access = (await store.sharing.access([threadId], actor.userId)).get(threadId)
  if (!access) throw threadNotFound()
  assertCan(actor, action, { type: 'thread', ...access })
  const thread = await store.threads.get(threadId).catch((error: unknown) => {
    throw error instanceof Fault && error.code === 'not_found' ? threadNotFound() : error
  })
  return { thread, access }
}

/** Of these threads the ones whose reviews somebody may read now. */
export const readableReviews =
  (store: Pick<Store, 'sharing'>, actor: Actor) =>
  async (threadIds: string[]): Promise<Set<string>> => {
    const found = await store.sharing.access(threadIds, actor.userId)
    return new Set(
      [...found.values()]
        .filter((access) => can(actor, 'review.read', { type: 'thread', ...access }))
        .map(({ threadId }) => threadId),
    )
  }
