/**
 * Streams that are open, held against the database twice a second, all of them in three queries: a role that was changed,
 * a thread that is not shared any more, a token that was revoked takes effect on them. Also what lists ask of each change.
 */
import type { ThreadRole } from '../../protocol/access.ts'
import { Fault } from '../../protocol/error.ts'
import { roleIn } from '../store/sharing.ts'
import type { Store, ThreadAudience } from '../store/types.ts'
import { actorsNow, viaId } from './actor.ts'
import { assertCan, roleOn, threadNotFound } from './permission.ts'
import type { Action, Actor } from './types.ts'

/** Threads whose audience is remembered between two looks. */
const maxRemembered = 5_000

type Followed = { actor: Actor; action: Action; threadId: string | null }
type Entry = Followed & {
  onEnd(why: Fault): void
  onChange: (() => void) | undefined
  /** What was seen at the last look. */
  seen: string | null
}

export type AccessWatch = {
  /**
   * `onEnd` is called once, when the actor may not any more; `onChange` at the first look, and when their role in the team,
   * or who sees the thread, changed. Answers with a function that lets go.
   */
  follow(followed: Followed, onEnd: (why: Fault) => void, onChange?: () => void): () => void
  /** What the actor is on a thread, as of at most a second ago: for feeds that ask of every change. */
  role(actor: Actor, threadId: string): Promise<ThreadRole | null>
  stop(): void
}

const stampOf = (actor: Actor | null, audience: ThreadAudience | null): string =>
  JSON.stringify([actor?.role, audience?.ownerId, audience?.teamRole, [...(audience?.members ?? [])].sort()])

type Options = { intervalMs: number; onError(error: unknown): void; now?(): number }

export const createAccessWatch = (
  store: Pick<Store, 'members' | 'tokens' | 'sharing' | 'threads'>,
  { intervalMs, onError, now = Date.now }: Options,
): AccessWatch => {
  const entries = new Set<Entry>()
  const remembered = new Map<string, { at: number; audience: Promise<ThreadAudience | null> }>()
  let busy = false
  let isAskedAgain = false

  const audienceOf = (threadId: string): Promise<ThreadAudience | null> => {
    const known = remembered.get(threadId)
    if (known && now() - known.at < intervalMs) return known.audience
    const audience = store.sharing.audiences([threadId]).then((found) => found.get(threadId) ?? null)
    audience.catch(() => remembered.delete(threadId))
    remembered.delete(threadId)
    remembered.set(threadId, { at: now(), audience })
    for (const old of remembered.keys()) {
      if (remembered.size <= maxRemembered) break
      remembered.delete(old)
    }
    return audience
  }

  const whyNot = (
    { action, threadId }: Entry,
    actor: Actor | null,
    audience: ThreadAudience | null | undefined,
  ): Fault | null => {
    try {
      if (threadId === null || !actor) assertCan(actor, action, { type: 'team' })
      else if (!audience) throw threadNotFound()
      else {
        const role = roleIn(audience, actor.userId)
        assertCan(actor, action, { type: 'thread', threadId, ownerId: audience.ownerId, role })
      }
      return null
    } catch (error) {
      if (error instanceof Fault) return error
      throw error
    }
  }

  const look = async (): Promise<void> => {
    if (busy || entries.size === 0) {
      isAskedAgain = busy
      return
    }
    busy = true
    try {
      const asked = [...entries]
      const threadIds = [...new Set(asked.flatMap(({ threadId }) => threadId ?? []))]
      const [actors, audiences] = await Promise.all([
        actorsNow(
          store,
          asked.map(({ actor }) => actor),
        ),
        threadIds.length === 0 ? new Map<string, ThreadAudience>() : store.sharing.audiences(threadIds),
      ])
      for (const entry of asked) {
        const actor = actors.get(viaId(entry.actor)) ?? null
        const audience = entry.threadId === null ? null : audiences.get(entry.threadId)
        const why = whyNot(entry, actor, audience)
        if (why) {
          if (entries.delete(entry)) entry.onEnd(why)
          continue
        }
        const seen = stampOf(actor, audience ?? null)
        // Also at the first look: it may have changed since the stream began.
        if (entry.seen !== seen) entry.onChange?.()
        entry.seen = seen
      }
    } catch (error) {
      onError(error)
    } finally {
      busy = false
    }
    if (!isAskedAgain) return
    isAskedAgain = false
    await look()
  }
  // What was changed here takes effect at once; what another process changed, at the next look.
  const unlisten = store.threads.onChange((threadId) => {
    remembered.delete(threadId)
    if ([...entries].some((entry) => entry.threadId === threadId)) void look()
  })
  const timer = setInterval(() => void look(), intervalMs)
  timer.unref()

  return {
    follow: (followed, onEnd, onChange) => {
      const entry: Entry = { ...followed, onEnd, onChange, seen: null }
      entries.add(entry)
      return () => entries.delete(entry)
    },
    role: async (actor, threadId) => {
      const audience = await audienceOf(threadId)
      return audience && roleOn(actor, { role: roleIn(audience, actor.userId) })
    },
    stop: () => {
      clearInterval(timer)
      unlisten()
    },
  }
}
