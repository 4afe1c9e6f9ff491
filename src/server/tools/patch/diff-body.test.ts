import { describe, expect, it } from 'vitest'
import { casesIn } from '../../../../test/setup/cases.ts'
import { applyDiffBody } from './diff-body.ts'

type Case = {
  name: string
  input: string
  diff: string
  mode: 'create' | 'default'
  expected?: string
  error?: unknown
}
const folder = casesIn('apply-patch')

describe.skipIf(!folder.present)('diff bodies with a known outcome (needs CASES_DIR)', () => {
  const cases = folder.list<Case>('v4a-diff-bodies.json')
  it('are there', () => expect(cases).not.toEqual([]))
  it.each(cases)('body %i', (_index, { input, diff, mode, ...outcome }) => {
    const apply = () => applyDiffBody(input, diff, mode)
    if (outcome.error === undefined) expect(apply()).toBe(outcome.expected)
    else expect(apply).toThrow(typeof outcome.error === 'string' ? outcome.error : undefined)
  })
})

it('ties a place to the end of the file', () => {
  expect(applyDiffBody('a\nb\na', '-a\n+c\n*** End of File', 'default')).toBe('a\nb\nc')
})
