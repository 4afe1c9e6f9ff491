/**
 * This process as an owner of threads: its heartbeat, what it takes over, and what happens when it is taken over itself.
 */
import { newId } from '../../protocol/ids.ts'
import type { Log } from '../log.ts'
import type { Lease, LeaseStore } from '../store/types.ts'

/** A heartbeat is good for 4 s by the database's clock. */
const beatMs = 1_000

export type Owner = {
  id(): string
  /** Registers, takes the predecessor's threads, and begins to beat. */
  start(): Promise<Lease[]>
  stop(): Promise<void>
}

type OwnerDeps = {
  leases: LeaseStore
  installId: string
  worker: string
  log: Log
  /** Somebody took over: nothing of the old owner may be written; a new one is registered already. */
  onLost(): Promise<void>
  /** Threads whose owner died. */
  onTaken(leases: Lease[]): void
}

export const createOwner = (deps: OwnerDeps): Owner => {
  const { leases, installId, worker } = deps
  let ownerId = newId('own')
  let stopped = false
  let timer: NodeJS.Timeout | null = null
  let beating: Promise<void> = Promise.resolve()

  const beat = async (): Promise<void> => {
    if (!(await leases.renew(ownerId))) {
      if (stopped) return
      deps.log.warn('another process took this one’s threads over', { ownerId })
      ownerId = newId('own')
      await leases.register({ ownerId, installId, worker })
      await deps.onLost()
    }
    const taken = await leases.sweep(ownerId)
    if (taken.length > 0) deps.onTaken(taken)
  }

  const schedule = (): void => {
    if (stopped) return
    timer = setTimeout(() => {
      beating = beat()
        .catch((error: unknown) => deps.log.warn('a heartbeat failed', { error }))
        .finally(schedule)
    }, beatMs)
    timer.unref()
  }

  return {
    id: () => ownerId,
    start: async () => {
      await leases.register({ ownerId, installId, worker })
      const taken = await leases.takePredecessors({ ownerId, installId, worker })
      schedule()
      return taken
    },
    stop: async () => {
      stopped = true
      if (timer) clearTimeout(timer)
      await beating
      await leases.release(ownerId).catch(() => undefined)
    },
  }
}
