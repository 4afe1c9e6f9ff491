/**
 * Who has a thread open at this moment, and who writes. Held by this process alone and gone with it: nothing is stored,
 * and nothing is decided by it.
 */
import type { PresentPerson } from '../../protocol/access.ts'

/** Whoever was last heard to write so long ago does not write any more. */
const typingMs = 6_000

type Someone = { userId: string; name: string }
type Seen = { name: string; tabs: number; since: number; typingUntil: number; timer: NodeJS.Timeout | null }

export type Presence = {
  /** A tab opens the thread; answers with what it does when it closes. */
  enter(threadId: string, person: Someone): () => void
  /** Counts for whoever is there; it lapses by itself. */
  typing(threadId: string, userId: string, typing: boolean): void
  /** In the order in which they came. */
  list(threadId: string): PresentPerson[]
  onChange(threadId: string, listener: () => void): () => void
}

export const createPresence = (now: () => number = Date.now, lapseMs: number = typingMs): Presence => {
  const threads = new Map<string, Map<string, Seen>>()
  const listeners = new Map<string, Set<() => void>>()

  const tell = (threadId: string): void => {
    for (const listener of listeners.get(threadId) ?? []) listener()
  }

  const setTyping = (threadId: string, seen: Seen, typing: boolean): void => {
    const was = seen.typingUntil > now()
    seen.typingUntil = typing ? now() + lapseMs : 0
    if (seen.timer) clearTimeout(seen.timer)
    seen.timer = typing
      ? setTimeout(() => {
          seen.typingUntil = 0
          tell(threadId)
        }, lapseMs)
      : null
    seen.timer?.unref()
    if (was !== typing) tell(threadId)
  }

  return {
    enter: (threadId, { userId, name }) => {
      const people = threads.get(threadId) ?? new Map<string, Seen>()
      threads.set(threadId, people)
      const seen = people.get(userId) ?? { name, tabs: 0, since: now(), typingUntil: 0, timer: null }
      seen.tabs += 1
      seen.name = name
      people.set(userId, seen)
      if (seen.tabs === 1) tell(threadId)
      let isHere = true
      return () => {
        if (!isHere) return
        isHere = false
        seen.tabs -= 1
        if (seen.tabs > 0) return
        if (seen.timer) clearTimeout(seen.timer)
        people.delete(userId)
        if (people.size === 0) threads.delete(threadId)
        tell(threadId)
      }
    },

    typing: (threadId, userId, typing) => {
      const seen = threads.get(threadId)?.get(userId)
      if (seen) setTyping(threadId, seen, typing)
    },

    list: (threadId) =>
      [...(threads.get(threadId) ?? [])].map(([userId, { name, since, typingUntil }]) => ({
        ...{ userId, name, since },
        typing: typingUntil > now(),
      })),

    onChange: (threadId, listener) => {
      const set = listeners.get(threadId) ?? new Set()
      listeners.set(threadId, set.add(listener))
      return () => {
        set.delete(listener)
        if (set.size === 0 && listeners.get(threadId) === set) listeners.delete(threadId)
      }
    },
  }
}
