/**
 * Live sessions, looked at once a second for all of them in one query: a session that was ended, a member who was
 * disabled or whose role changed takes effect on open sockets at once.
 */
/** Those of the sessions that are valid now and belong to a member who may come in. */
type ReadAlive = (sessionIds: string[]) => Promise<Set<string>>

export type SessionWatch = {
  /** `onEnd` is called once when the session ends; answers with a function that lets go. */
  watch(sessionId: string, onEnd: () => void): () => void
  stop(): void
}

export const createSessionWatch = (
  read: ReadAlive,
  options: { intervalMs: number; onError(error: unknown): void },
): SessionWatch => {
  const listeners = new Map<string, Set<() => void>>()
  let busy = false

  const look = async (): Promise<void> => {
    if (busy || listeners.size === 0) return
    busy = true
    try {
      const asked = [...listeners.keys()]
      const alive = await read(asked)
      for (const sessionId of asked) {
        if (alive.has(sessionId)) continue
        const ended = listeners.get(sessionId)
        listeners.delete(sessionId)
        for (const onEnd of ended ?? []) onEnd()
      }
    } catch (error) {
      options.onError(error)
    } finally {
      busy = false
    }
  }
  const timer = setInterval(() => void look(), options.intervalMs)
  timer.unref()

  return {
    watch: (sessionId, onEnd) => {
      const set = listeners.get(sessionId) ?? new Set()
      listeners.set(sessionId, set.add(onEnd))
      return () => {
        set.delete(onEnd)
        if (set.size === 0 && listeners.get(sessionId) === set) listeners.delete(sessionId)
      }
    },
    stop: () => clearInterval(timer),
  }
}
