import { describe, expect, test } from 'vitest'
import type { StepView } from '../protocol/view.ts'
import { fillOf, groupOf, heapsOf, lastStepOf } from './windows.ts'

const block = (kind: string, tokens: number, reason = 'window_start') => ({ kind, tokens, reason })

describe('groups of blocks', () => {
  test('a block is where a person would look for it', () => {
    expect(groupOf(block('tool', 1))).toBe('tools')
    expect(groupOf(block('world:rules', 1))).toBe('rules')
    expect(groupOf(block('world:environment', 1))).toBe('world')
    expect(groupOf(block('developer', 1, 'reminder'))).toBe('told')
    expect(groupOf(block('tool_result', 1, 'pinned'))).toBe('pinned')
  })

  test('heaps keep the order of the window and share all tokens', () => {
    const heaps = heapsOf([block('user', 30), block('tool', 50), block('user', 20), block('assistant', 0)])
    expect(heaps.map(({ group, count, tokens, share }) => [group, count, tokens, share])).toEqual([
      ['tools', 1, 50, 0.5],
      ['messages', 2, 50, 0.5],
      ['answers', 1, 0, 0],
    ])
    expect(heapsOf([])).toEqual([])
    expect(heapsOf([{ ...block('tool', 9), count: 12 }])[0]?.count).toBe(12)
  })
})

describe('how full a window is', () => {
  test.each([
    [0, 'calm', 0],
    [79, 'calm', 79],
    [80, 'near', 80],
    [100, 'full', 100],
    [130, 'full', 100],
  ] as const)('%d of 100 is %s', (used, level, percent) => {
    expect(fillOf(used, 100, 10)).toMatchObject({ level, percent, remaining: Math.max(0, 100 - used) })
  })

  test('what is cached is never more than what is used', () => {
    expect(fillOf(10, 100, 50)).toMatchObject({ cached: 10, cachedShare: 0.1 })
    expect(fillOf(10, 0, 5)).toMatchObject({ share: 0, cachedShare: 0 })
  })
})

describe('the last step', () => {
  const step = (id: string, input: number, cachedInput: number, estimatedTokens?: number): StepView => ({
    id,
    seq: 1,
    status: { seq: 1, value: 'completed' },
    usage: { input, cachedInput, cacheWrite: 0, output: 1, reasoning: 0 },
    estimatedTokens,
  })

  test('is the newest that was counted', () => {
    expect(lastStepOf([])).toBeNull()
    expect(lastStepOf([step('a', 100, 0, 90), step('b', 200, 150, 206), step('c', 0, 0)])).toEqual({
      input: 200,
      cached: 150,
      cachedShare: 0.75,
      drift: expect.closeTo(0.03, 5),
    })
    expect(lastStepOf([step('a', 100, 0)])?.drift).toBeNull()
  })
})
