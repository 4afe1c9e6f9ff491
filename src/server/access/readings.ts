/**
 * What happens often and is written down once an hour: who read somebody else's thread, whose turn took a key.
 */
import type { AuditEntry, Store } from '../store/types.ts'
import type { Actor } from './types.ts'

const hourMs = 3_600_000
/** Entries that are remembered; beyond it one may be written down twice. */
const maxRemembered = 20_000

export type OnceAnHour = {
  /** Resolves when it is written down, now or earlier in this hour. The same in all its parts is the same. */
  note(entry: AuditEntry): Promise<void>
}

export const createOnceAnHour = (store: Pick<Store, 'audit'>, now: () => number = Date.now): OnceAnHour => {
  const seen = new Map<string, Promise<void>>()
  return {
    note: (entry) => {
      const key = `${Math.floor(now() / hourMs)} ${JSON.stringify(entry)}`
      const known = seen.get(key)
      if (known) return known
      const written = store.audit(entry)
      written.catch(() => seen.delete(key))
      seen.set(key, written)
      const oldest = seen.size > maxRemembered ? seen.keys().next().value : undefined
      if (oldest !== undefined) seen.delete(oldest)
      return written
    },
  }
}

export type Readings = {
  /** Resolves when it is written down: what is read is given only then. */
  note(actor: Actor, thread: { threadId: string; ownerId: string }): Promise<void>
}

export const createReadings = (store: Pick<Store, 'audit'>, now: () => number = Date.now): Readings => {
  const uses = createOnceAnHour(store, now)
  return {
    note: async (actor, { threadId, ownerId }) => {
      if (actor.userId === ownerId) return
      await uses.note({
        ...{ actorId: actor.userId, action: 'thread.read', targetType: 'thread', targetId: threadId },
        details: { ownerId },
      })
    },
  }
}
