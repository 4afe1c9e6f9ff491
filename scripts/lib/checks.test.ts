import { expect, it } from 'vitest'
import { compareVersions, runcIsFixed } from './checks.mjs'

it('compares versions by their numbers', () => {
  expect(compareVersions('20.9', '20.19')).toBeLessThan(0)
  expect(compareVersions('24.22.3', '20.19')).toBeGreaterThan(0)
  expect(compareVersions('20.10.24+dfsg1', '20.10')).toBeGreaterThan(0)
  expect(compareVersions('v3', '3.0.0')).toBe(0)
})

it('knows the fixed releases of each line of runc', () => {
  for (const version of ['1.1.5+ds1', '1.1.15', '1.2.7', '1.3.2']) expect(runcIsFixed(version)).toBe(false)
  for (const version of ['1.2.8', '1.2.9', '1.3.3', '1.4.0', '1.5.1', '2.0.0'])
    expect(runcIsFixed(version)).toBe(true)
})
