/**
 * A bucket per caller, in memory: for doors that guess-attacks would try. Bounded in size.
 */
import { Fault } from '../../protocol/error.ts'

export type RateLimit = { take(key: string): void }

/** At most `burst` calls at once and `perMinute` on average, per key; more is `rate_limited`. */
export const rateLimit = (perMinute: number, burst: number, now: () => number = Date.now): RateLimit => {
  const buckets = new Map<string, { tokens: number; at: number }>()
  return {
    take: (key) => {
      const at = now()
      const old = buckets.get(key) ?? { tokens: burst, at }
      const tokens = Math.min(burst, old.tokens + ((at - old.at) / 60_000) * perMinute)
      buckets.delete(key)
      if (buckets.size >= 10_000) {
        const oldest = buckets.keys().next().value
        if (oldest !== undefined) buckets.delete(oldest)
      }
      if (tokens < 1) {
        buckets.set(key, { tokens, at })
        throw new Fault('rate_limited', 'Too many tries in a short time.', 'Wait a minute, then try again.')
      }
      buckets.set(key, { tokens: tokens - 1, at })
    },
  }
}
