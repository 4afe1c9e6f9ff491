/**
 * Waits while a tab's socket has not taken what was sent, so that a slow tab costs no memory: what comes meanwhile is
 * merged before it is asked for.
 */
import { setTimeout as sleep } from 'node:timers/promises'

/** Bytes that may wait in one tab's socket before its subscriptions pause. */
const highWater = 256 * 1_024

export const drained = async (tab: { buffered(): number }, signal: AbortSignal): Promise<void> => {
  while (tab.buffered() > highWater && !signal.aborted) await sleep(5)
}
