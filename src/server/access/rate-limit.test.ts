import { expect, test } from 'vitest'
import { rateLimit } from './rate-limit.ts'

test('SEC-43 a caller gets a burst, then the rate; others are not touched', () => {
  let now = 0
  const limit = rateLimit(6, 3, () => now)
  for (let call = 0; call < 3; call++) limit.take('a')
  expect(() => limit.take('a')).toThrow(expect.objectContaining({ code: 'rate_limited' }))
  limit.take('b')
  now += 10_000
  limit.take('a')
  expect(() => limit.take('a')).toThrow(expect.objectContaining({ code: 'rate_limited' }))
})
