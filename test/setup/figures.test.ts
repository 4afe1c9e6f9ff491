import { expect, it } from 'vitest'
import { median, quantile } from './figures.ts'

it('takes the nearest value that covers the share', () => {
  const values = [5, 1, 4, 2, 3]
  expect(median(values)).toBe(3)
  expect(quantile(values, 0.95)).toBe(5)
  expect(quantile(values, 0)).toBe(1)
  expect(quantile([], 0.5)).toBeNaN()
})
