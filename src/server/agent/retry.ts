/** Whether and when a failed request is sent again. Pure: it is told the time that has passed and a random number. */
import type { ProviderError } from '../providers/types.ts'

const firstWaitMs = 200
const longestWaitMs = 60_000
/** All attempts of one step together. */
const wholeMs = 15 * 60_000

/**
 * Milliseconds to wait before the next attempt, or null when there is none. `attempt` counts the failures so far from 1;
 * `elapsedMs` since the first request; `random` is in [0, 1).
 */
export const retryWait = (
  error: Pick<ProviderError, 'retryable' | 'retryAfterMs'>,
  attempt: number,
  elapsedMs: number,
  random: number,
): number | null => {
  if (!error.retryable) return null
  const doubled = firstWaitMs * 2 ** Math.min(attempt - 1, 20)
  // Jitter of a tenth to each side: threads that failed together do not come back together.
  const asked = error.retryAfterMs ?? doubled * (0.9 + 0.2 * random)
  const wait = Math.round(Math.min(asked, longestWaitMs))
  return elapsedMs + wait > wholeMs ? null : wait
}
