/**
 * Keeps what is derived from growing things close behind them: one thing after the other, when it is quiet or far ahead.
 * Nobody waits for it. Knows things by their keys alone.
 */

const tickMs = 2_000

/** One derivation: brings a thing up to date, and says which things were not when the process started. */
export type Derivation = {
  catchUp(key: string, isStopping: () => boolean): Promise<void>
  behind(): Promise<string[]>
}

export type BehindOptions = {
  derivations: Derivation[]
  /** A thing that did not change for so long is caught up with. */
  quietMs: number
  /** One that is never quiet is, once it changed so often. */
  manyChanges: number
  /** A thing could not be caught up with, or (null) what is behind could not be read; its next change tries again. */
  onFailure(key: string | null, error: unknown): void
}

export type Behind = {
  changed(key: string): void
  start(): void
  stop(): Promise<void>
}

export const createBehind = ({ derivations, quietMs, manyChanges, onFailure }: BehindOptions): Behind => {
  const waiting = new Map<string, { changedAt: number; changes: number }>()
  let stopping = false
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | null = null
  const isStopping = (): boolean => stopping

  const tick = async (): Promise<void> => {
    const before = Date.now() - quietMs
    for (const [key, { changedAt, changes }] of waiting) {
      if (changedAt > before && changes < manyChanges) continue
      waiting.delete(key)
      for (const { catchUp } of derivations) {
        if (stopping) return
        await catchUp(key, isStopping).catch((error: unknown) => onFailure(key, error))
      }
    }
  }

  const readBacklog = async (): Promise<void> => {
    for (const { behind } of derivations)
      for (const key of await behind()) if (!waiting.has(key)) waiting.set(key, { changedAt: 0, changes: 0 })
  }

  const schedule = (): void => {
    timer = setTimeout(() => {
      running = tick().finally(() => {
        if (!stopping) schedule()
      })
    }, tickMs)
    timer.unref()
  }

  return {
    changed: (key) => {
      const known = waiting.get(key)
      if (known) {
        known.changedAt = Date.now()
        known.changes += 1
      } else waiting.set(key, { changedAt: Date.now(), changes: 1 })
    },
    start: () => {
      running = readBacklog().catch((error: unknown) => onFailure(null, error))
      schedule()
    },
    stop: async () => {
      stopping = true
      if (timer) clearTimeout(timer)
      await running
    },
  }
}
