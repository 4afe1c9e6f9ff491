import fc from 'fast-check'
import { expect, it } from 'vitest'
import { retryWait } from './retry.ts'

const failed = { retryable: true, retryAfterMs: null }

it('doubles from 200 ms, with a tenth of jitter, at most a minute apart', () => {
  expect([1, 2, 3, 10, 30].map((attempt) => retryWait(failed, attempt, 0, 0.5))).toEqual([
    200, 400, 800, 60_000, 60_000,
  ])
  expect(retryWait(failed, 1, 0, 0)).toBe(180)
})

it('does what Retry-After says, within the same bound', () => {
  expect(retryWait({ ...failed, retryAfterMs: 5_000 }, 1, 0, 0.5)).toBe(5_000)
  expect(retryWait({ ...failed, retryAfterMs: 3_600_000 }, 1, 0, 0.5)).toBe(60_000)
})

it('never waits beyond fifteen minutes in all, and never for what cannot get better', () => {
  expect(retryWait({ ...failed, retryable: false }, 1, 0, 0.5)).toBeNull()
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 0, max: 1_000_000 }),
      (attempt, elapsed) => {
        const wait = retryWait(failed, attempt, elapsed, 0.5)
        return wait === null || (wait <= 60_000 && elapsed + wait <= 900_000)
      },
    ),
    { numRuns: 100 },
  )
})
