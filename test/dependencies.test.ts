// Versions below which a library has a known hole that this product would stand in. Raised when a new one is told of.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

/** First versions of each line that are mended; a line that is not named is not used. */
const mended: Record<string, string[]> = {
  next: ['16.2.5'],
  react: ['19.2.1'],
  'react-dom': ['19.2.1'],
  ws: ['8.17.1'],
  'better-auth': ['1.7.0'],
}

const parts = (version: string): number[] => version.split(/[.-]/).slice(0, 3).map(Number)
const isAtLeast = (version: string, least: string): boolean => {
  const [have, want] = [parts(version), parts(least)]
  for (let place = 0; place < 3; place += 1) {
    const difference = (have[place] ?? 0) - (want[place] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}

describe('SEC-49 dependencies', () => {
  it.each(Object.entries(mended))('%s is at or above %j', (name, least) => {
    const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'))
    expect(least.some((each) => isAtLeast(version, each))).toBe(true)
  })

  it('every version is exact, so that what was tried is what is installed', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version)),
    )
    expect(loose).toEqual([])
  })
})
