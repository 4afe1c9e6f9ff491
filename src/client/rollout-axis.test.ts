import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { RolloutSpans } from '../protocol/rollout.ts'
import { axisOf, marksOf, panned, sightOn, spanAt, toMs, toX, wholeSight, zoomed } from './rollout-axis.ts'

const spans = (pairs: [number, number][]): RolloutSpans => ({
  startMs: pairs.map(([start]) => start),
  durationMs: pairs.map(([, duration]) => duration),
  idx: pairs.map((_, at) => at),
  count: pairs.map(() => 1),
  flag: pairs.map(() => 0),
})
const skeleton = (pairs: [number, number][], lastAt: number) => ({
  firstAt: 0,
  lastAt,
  lanes: { steps: spans(pairs), tools: spans([]), waits: spans([]), agents: spans([]) },
})
const hour = 3_600_000

it('folds a night between two minutes of work', () => {
  const axis = axisOf(
    skeleton(
      [
        [0, 60_000],
        [10 * hour, 60_000],
      ],
      10 * hour + 60_000,
    ),
    true,
  )
  expect(axis.pieces.map(({ folded }) => folded)).toEqual([false, true, false])
  expect(axis.pieces[1]?.width).toBeLessThan(0.05)
  expect(toX(axis, 60_000)).toBeGreaterThan(0.45)
  const even = axisOf(
    skeleton(
      [
        [0, 60_000],
        [10 * hour, 60_000],
      ],
      10 * hour + 60_000,
    ),
    false,
  )
  expect(toX(even, 60_000)).toBeLessThan(0.01)
})

it('is one line from 0 to 1 that never goes back, and reads both ways', () => {
  const pair = fc.tuple(fc.integer({ min: 0, max: 90 * hour }), fc.integer({ min: 0, max: hour }))
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 40 }), fc.boolean(), (pairs, fold) => {
      const sorted = pairs.sort((a, b) => a[0] - b[0])
      const axis = axisOf(skeleton(sorted, 91 * hour), fold)
      const ends = axis.pieces.at(-1)
      expect((ends?.x ?? 0) + (ends?.width ?? 0)).toBeCloseTo(1, 6)
      let before = 0
      for (let at = 0; at <= 100; at += 1) {
        const ms = (axis.lastMs * at) / 100
        const x = toX(axis, ms)
        expect(x).toBeGreaterThanOrEqual(before - 1e-9)
        expect(Math.abs(toMs(axis, x) - ms)).toBeLessThan(Math.max(10, axis.lastMs / 1_000))
        before = x
      }
      for (const mark of marksOf(axis, wholeSight, 0.1)) {
        expect(mark.x).toBeGreaterThanOrEqual(0)
        expect(mark.x).toBeLessThanOrEqual(1)
      }
    }),
    { numRuns: 60 },
  )
})

it('looks nearer around a place and stays within the line', () => {
  const near = zoomed(wholeSight, 0.25, 0.5)
  expect(near).toEqual({ from: 0.125, to: 0.625 })
  expect(zoomed(near, 0.25, 100)).toEqual(wholeSight)
  expect(panned(near, 1)).toEqual({ from: 0.5, to: 1 })
  expect(sightOn(near, 0.3)).toBe(near)
  expect(sightOn({ from: 0, to: 0.1 }, 0.9).from).toBeCloseTo(0.85)
})

it('finds the span under a time, or the nearest', () => {
  const lane = spans([
    [0, 100],
    [200, 50],
    [210, 5],
    [900, 10],
  ])
  expect(spanAt(lane, 50, 1)).toBe(0)
  expect(spanAt(lane, 240, 1)).toBe(1)
  expect(spanAt(lane, 895, 10)).toBe(3)
  expect(spanAt(lane, 600, 10)).toBe(-1)
})
