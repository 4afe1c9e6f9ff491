/**
 * Who read somebody else's thread: one audit row for each person, thread and hour, however often they look.
 */
import type { Store } from '../store/types.ts'
import type { Actor } from './types.ts'

const hourMs = 3_600_000
/** Readings that are remembered; beyond it one may be written down twice. */
const maxRemembered = 20_000

export type Readings = {
  /** Resolves when it is written down: what is read is given only then. */
  note(actor: Actor, thread: { threadId: string; ownerId: string }): Promise<void>
}

export const createReadings = (store: Pick<Store, 'audit'>, now: () => number = Date.now): Readings => {
  const seen = new Map<string, Promise<void>>()
  return {
    note: async (actor, { threadId, ownerId }) => {
      if (actor.userId === ownerId) return
      const key = `${actor.userId} ${threadId} ${Math.floor(now() / hourMs)}`
      const known = seen.get(key)
      if (known) return known
      const written = store.audit({
        ...{ actorId: actor.userId, action: 'thread.read', targetType: 'thread', targetId: threadId },
        details: { ownerId },
      })
      written.catch(() => seen.delete(key))
      seen.set(key, written)
      const oldest = seen.size > maxRemembered ? seen.keys().next().value : undefined
      if (oldest !== undefined) seen.delete(oldest)
      return written
    },
  }
}
