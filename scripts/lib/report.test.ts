import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { printResults, readPlaywright, readVitest } from './report.mjs'

const folder = mkdtempSync(join(tmpdir(), 'baton-report-'))
afterAll(() => rmSync(folder, { recursive: true }))

const written = (name: string, content: unknown): string => {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

it('counts the tests of vitest, and a file that does not load as a failure', () => {
  const root = resolve(import.meta.dirname, '../..')
  const path = written('vitest.json', {
    testResults: [
      {
        name: join(root, 'src/a.test.ts'),
        status: 'failed',
        assertionResults: [
          { fullName: 'one', status: 'passed', failureMessages: [] },
          { fullName: 'two', status: 'failed', failureMessages: ['expected 1'] },
          { fullName: 'three', status: 'skipped' },
        ],
      },
      { name: join(root, 'src/b.test.ts'), status: 'failed', message: 'cannot load', assertionResults: [] },
    ],
  })
  expect(readVitest(path)).toEqual([
    { file: 'src/a.test.ts', name: 'one', status: 'passed', words: '' },
    { file: 'src/a.test.ts', name: 'two', status: 'failed', words: 'expected 1' },
    { file: 'src/a.test.ts', name: 'three', status: 'skipped', words: '' },
    { file: 'src/b.test.ts', name: 'the file itself', status: 'failed', words: 'cannot load' },
  ])
})

it('takes half a report for none', () => {
  expect(readVitest(written('half.json', '{"testResults": ['))).toBeUndefined()
  expect(readPlaywright(join(folder, 'absent.json'))).toBeUndefined()
})

it('tells flaky journeys from failed ones', () => {
  const spec = (title: string, status: string, message?: string) => ({
    title,
    file: 'thread.spec.ts',
    tests: [{ status, results: [{ errors: message === undefined ? [] : [{ message }] }] }],
  })
  const path = written('playwright.json', {
    suites: [
      {
        title: 'thread.spec.ts',
        specs: [spec('a', 'expected')],
        suites: [{ title: 'inner', specs: [spec('b', 'flaky', 'late'), spec('c', 'unexpected', 'gone')] }],
      },
    ],
    errors: [],
  })
  expect(readPlaywright(path)?.map(({ name, status, words }) => [name, status, words])).toEqual([
    ['a', 'passed', ''],
    ['inner › b', 'flaky', 'late'],
    ['inner › c', 'failed', 'gone'],
  ])
})

it('ends with the totals; nothing passed is a failure', () => {
  const print = vi.spyOn(console, 'log').mockImplementation(() => {})
  try {
    const result = { file: 'f', name: 'n', words: '' }
    expect(printResults([{ ...result, status: 'passed' }])).toBe(0)
    expect(printResults([{ ...result, status: 'flaky' }])).toBe(0)
    expect(
      printResults([
        { ...result, status: 'passed' },
        { ...result, status: 'failed' },
      ]),
    ).toBe(1)
    expect(print.mock.lastCall?.[0]).toBe('\n1 passed, 1 failed, 0 skipped')
    expect(printResults([])).toBe(1)
  } finally {
    print.mockRestore()
  }
})
