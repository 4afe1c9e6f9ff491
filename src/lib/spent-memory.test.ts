import { describe, expect, it } from 'vitest'
import { giveBackSpent } from './spent-memory.ts'

describe('spent memory', () => {
  it('is given back when there is more of it than is tolerated, and left alone before', () => {
    const before = process.memoryUsage().arrayBuffers
    const fill = (): number => {
      let sum = 0
      for (let n = 0; n < 64; n += 1) sum += new Uint8Array(1_048_576).byteLength
      return sum
    }
    expect(fill()).toBe(64 * 1_048_576)
    expect(giveBackSpent(Number.MAX_SAFE_INTEGER)).toBe(false)
    // What the engine collected by itself meanwhile needs nobody to ask.
    const lies = process.memoryUsage().arrayBuffers
    giveBackSpent(0)
    expect(process.memoryUsage().arrayBuffers).toBeLessThanOrEqual(Math.max(lies, before))
  })
})
