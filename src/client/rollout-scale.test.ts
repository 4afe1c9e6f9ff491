import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type Extent,
  isAtEnd,
  maxElementPx,
  maxTop,
  rowsInView,
  scaleOf,
  toElement,
  topAfter,
  topFor,
} from './rollout-scale.ts'

const extents = fc.record({
  rows: fc.integer({ min: 0, max: 20_000_000 }),
  rowPx: fc.constantFrom(28, 40),
  viewPx: fc.integer({ min: 100, max: 3_000 }),
})

it('no element is higher than a browser can hold, and all rows can be reached', () => {
  fc.assert(
    fc.property(extents, (extent) => {
      const { element } = scaleOf(extent)
      expect(element).toBeLessThanOrEqual(maxElementPx)
      const end = Math.max(0, element - extent.viewPx)
      const top = topAfter(0, 0, end, { ...extent })
      expect(
        Math.abs(top - (end > extent.viewPx || scaleOf(extent).ratio === 1 ? maxTop(extent) : top)),
      ).toBeLessThan(1)
      expect(rowsInView(maxTop(extent), extent, 0).last).toBe(extent.rows - 1)
      expect(toElement(maxTop(extent), extent)).toBeLessThanOrEqual(Math.max(0, end) + 1)
    }),
    { numRuns: 100 },
  )
})

it('small moves count pixel by pixel, however long the list is', () => {
  const extent: Extent = { rows: 5_000_000, rowPx: 28, viewPx: 700 }
  expect(scaleOf(extent).ratio).toBeGreaterThan(9)
  expect(topAfter(70_000_000, 7_000_000, 7_000_120, extent)).toBe(70_000_120)
  expect(topAfter(70_000_000, 7_000_000, 6_999_880, extent)).toBe(69_999_880)
  const jumped = topAfter(70_000_000, 7_000_000, 14_000_000, extent)
  expect(jumped / maxTop(extent)).toBeCloseTo(14_000_000 / (maxElementPx - 700), 6)
  expect(topAfter(5_000, 400, 0, extent)).toBe(0)
})

it('of a list that fits, a pixel is a pixel', () => {
  const extent: Extent = { rows: 100, rowPx: 28, viewPx: 700 }
  expect(topAfter(0, 0, 555, extent)).toBe(555)
  expect(toElement(555, extent)).toBe(555)
  expect(isAtEnd(maxTop(extent) - 29, extent)).toBe(true)
  expect(isAtEnd(maxTop(extent) - 31, extent)).toBe(false)
})

it('brings a row into view and leaves the view alone when it is there', () => {
  const extent: Extent = { rows: 1_000_000, rowPx: 28, viewPx: 700 }
  expect(topFor(10, 0, extent, true)).toBe(0)
  const far = topFor(900_000, 0, extent, true)
  const { first, last } = rowsInView(far, extent, 0)
  expect(first).toBeLessThan(900_000)
  expect(last).toBeGreaterThan(900_000)
  expect(topFor(0, 5_000, extent, false)).toBe(0)
  expect(topFor(999_999, 0, extent, false)).toBe(maxTop(extent))
})
