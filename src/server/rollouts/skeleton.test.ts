import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxSkeletonBytes } from '../../protocol/rollout.ts'
import type { ThreadProjection } from '../../protocol/thread.ts'
import type { RolloutColumns, RolloutLaneColumns } from '../store/rollout-types.ts'
import { skeletonOf } from './skeleton.ts'
import { mergeSpans } from './spans.ts'

const lane = (count: number, every: number, durationMs: number, from = 0): RolloutLaneColumns => {
  const of = (value: (n: number) => number): number[] => Array.from({ length: count }, (_, n) => value(n))
  return {
    idx: of((n) => from + n * every),
    at: of((n) => n * 86_400_123),
    durationMs: of(() => durationMs),
    flag: of((n) => n % 3),
  }
}

describe('spans', () => {
  it('drawn together cover what they stand for, at most so many, and lose no failure', () => {
    const columns = fc
      .array(
        fc.record({
          at: fc.integer({ min: 0, max: 10_000 }),
          durationMs: fc.integer({ min: -1, max: 500 }),
          flag: fc.constantFrom(0, 0, 0, 1, 2),
        }),
        { maxLength: 80 },
      )
      .map((spans) => ({
        idx: spans.map((_, n) => n * 2),
        at: spans.map(({ at }) => at),
        durationMs: spans.map(({ durationMs, flag }) => (flag === 2 ? -1 : durationMs)),
        flag: spans.map(({ flag }) => flag),
      }))
    fc.assert(
      fc.property(columns, fc.integer({ min: 8, max: 40 }), (given, most) => {
        const spans = mergeSpans(given, most, 20_000)
        expect(spans.idx.length).toBeLessThanOrEqual(most)
        expect(spans.count.reduce((sum, count) => sum + count, 0)).toBe(given.idx.length)
        let at = 0
        spans.count.forEach((count, n) => {
          const start = spans.startMs[n] ?? 0
          const end = start + (spans.durationMs[n] ?? 0)
          expect(spans.idx[n]).toBe(given.idx[at])
          for (const last = at + count; at < last; at += 1) {
            expect(given.at[at]).toBeGreaterThanOrEqual(start)
            expect((given.at[at] ?? 0) + Math.max(0, given.durationMs[at] ?? 0)).toBeLessThanOrEqual(end)
            expect(spans.flag[n]).toBeGreaterThanOrEqual(given.flag[at] ?? 0)
          }
        })
      }),
      { numRuns: 100 },
    )
  })
})

describe('a skeleton', () => {
  it('fits in its size, however much there is of everything', () => {
    const steps = lane(60_000, 3, 900)
    const numbers = steps.idx.map(() => 123_456_789)
    const columns: RolloutColumns = {
      firstAt: 1_800_000_000_000,
      lastAt: 1_800_000_000_000 + 60_000 * 86_400_123,
      errors: 5,
      kinds: { step: 60_000 },
      toolNames: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`${'tool '.repeat(15)}${n}`, n])),
      turns: lane(30_000, 6, 900),
      steps: {
        ...steps,
        input: numbers,
        cachedInput: numbers,
        cacheWrite: numbers,
        output: numbers,
        reasoning: numbers,
        retries: numbers,
        costMicros: numbers,
      },
      tools: lane(60_000, 3, 800, 1),
      waits: lane(60_000, 3, 800, 2),
      agents: lane(60_000, 3, 800, 2),
      windows: Array.from({ length: 6_000 }, (_, n) => ({
        windowId: `win_${'0'.repeat(36)}`,
        idx: n * 30,
        seq: n * 90,
        at: n * 864_001_230,
        steps: 10,
        index: n,
        reason: 'middle_cut' as const,
        tokens: 120_000,
        endTokens: 190_000,
      })),
      notable: Array.from({ length: 300 }, (_, n) => ({ idx: n, type: 'error' as const })),
      notableTotal: 9_000,
    }
    const skeleton = skeletonOf({
      columns,
      imported: null,
      models: ['m'],
      mark: { seq: 9, rows: 9, steps: 9, head: 9, events: {} },
      thread: { id: 't', title: 'x'.repeat(200) } as ThreadProjection,
      labels: new Map(columns.notable.map(({ idx }) => [idx, { seq: idx, label: '漢'.repeat(160) }])),
    })
    expect(Buffer.byteLength(JSON.stringify(skeleton))).toBeLessThanOrEqual(maxSkeletonBytes)
    expect(skeleton.lanes.steps.idx.length).toBeGreaterThan(300)
    expect(skeleton.lanes.steps.count.reduce((sum, count) => sum + count, 0)).toBe(60_000)
    expect(skeleton.series.step.at(-1)).toBe(60_000)
    expect(skeleton.windowsTotal).toBe(6_000)
  })
})
