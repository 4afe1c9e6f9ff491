import { describe, expect, it } from 'vitest'
import { marksOf } from './fill.ts'

const model = (contextTokens: number, usableShare = 0.9) => ({ contextTokens, usableShare })

describe('the marks of a window', () => {
  it.each([
    // Large windows keep 16,384 tokens for saving notes, small ones an eighth.
    [200_000, { limit: 163_616, reminder: 6_144, forced: 180_000 }],
    [32_768, { limit: 25_805, reminder: 1_843, forced: 29_491 }],
    [1_000, { limit: 1_000, reminder: 62, forced: 1_000 }],
  ])('of %i tokens', (tokens, marks) => {
    expect(marksOf(model(tokens))).toEqual(marks)
  })

  it('are a thread’s own where it has some, and never pass what the model holds', () => {
    expect(
      marksOf(model(200_000), { limitTokens: 50_000, reminderTokens: 500, bufferTokens: 2_000 }),
    ).toEqual({ limit: 50_000, reminder: 500, forced: 52_000 })
    expect(marksOf(model(100_000), { limitTokens: 500_000 })).toMatchObject({ limit: 90_000, forced: 90_000 })
    expect(marksOf(model(100_000), { bufferTokens: 0 })).toMatchObject({ limit: 90_000, forced: 90_000 })
  })
})
