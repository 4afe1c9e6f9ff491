import { describe, expect, it } from 'vitest'
import { nextDifference } from './compare.ts'

describe('the next difference', () => {
  it('is the nearest one before or behind, and none at the ends', () => {
    const lines = [3, 4, 9, 200]
    expect([0, 3, 4, 8, 9, 200].map((line) => nextDifference(lines, line, 1))).toEqual([
      3,
      4,
      9,
      9,
      200,
      null,
    ])
    expect([201, 200, 9, 5, 4, 3, 0].map((line) => nextDifference(lines, line, -1))).toEqual([
      200,
      9,
      4,
      4,
      3,
      null,
      null,
    ])
    expect(nextDifference([], 0, 1)).toBeNull()
  })
})
