// Counting against the published tokenizer's own ids, and what is done about texts that it would choke on.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { casesIn } from '../../../test/setup/cases.ts'
import { countTokens } from './tokens.ts'

const cases = casesIn().path
const read = (path: string) => JSON.parse(readFileSync(join(cases, path), 'utf8'))
const hasCases = existsSync(join(cases, 'tokens'))

describe.skipIf(!hasCases)('against recorded counts (needs CASES_DIR)', () => {
  it('every string has the length of its ids', () => {
    type Vector = { text: string; o200k_base: number[]; cl100k_base: number[] }
    const vectors = read('tokens/encoding-vectors.json') as Vector[]
    // JavaScript's \s lacks U+0085; the library shares the lack.
    const fair = vectors.filter(({ text }) => !text.includes('\u0085'))
    expect(fair.length).toBeGreaterThan(20)
    for (const { text, o200k_base, cl100k_base } of fair) {
      expect([text, countTokens(text)]).toEqual([text, o200k_base.length])
      expect([text, countTokens(text, 'cl100k')]).toEqual([text, cl100k_base.length])
    }
  })

  it('every string of the tokenizers’ own test plans has the length of its ids', () => {
    type Plan = { encoding: 'o200k_base' | 'cl100k_base'; text: string; tokens: number[] }
    const plans = read('tokens/test-plans.json') as Plan[]
    expect(plans.length).toBeGreaterThan(20)
    for (const { encoding, text, tokens } of plans)
      expect([text, countTokens(text, encoding === 'o200k_base' ? 'o200k' : 'cl100k')]).toEqual([
        text,
        tokens.length,
      ])
  })

  const files = () =>
    (read('tokens/long-file-counts.json') as { file: string; o200k_base: number; cl100k_base: number }[])
      .map((each) => ({ ...each, path: join(cases, each.file.replace('/hand/', '/')) }))
      .filter(({ path }) => existsSync(path))

  it('whole files are counted exactly', () => {
    expect(files().length).toBeGreaterThan(10)
    for (const { path, o200k_base, cl100k_base } of files()) {
      const text = readFileSync(path, 'utf8')
      expect([path, countTokens(text), countTokens(text, 'cl100k')]).toEqual([path, o200k_base, cl100k_base])
    }
  })

  it('a megabyte is sampled and stays within 3 %', () => {
    const all = files()
    const once = all.map(({ path }) => readFileSync(path, 'utf8')).join('')
    const times = Math.ceil(1_000_000 / once.length)
    const exact = times * all.reduce((sum, { o200k_base }) => sum + o200k_base, 0)
    expect(Math.abs(countTokens(once.repeat(times)) / exact - 1)).toBeLessThan(0.03)
  })
})

it('names of special tokens are text', () => {
  expect(countTokens('<|endoftext|>')).toBeGreaterThan(3)
})

it('words without an end are cut, near enough to their true count', () => {
  const word = '你好世界'
  const short = countTokens(word.repeat(16))
  const long = countTokens(word.repeat(16_000))
  expect(Math.abs(long / (short * 1_000) - 1)).toBeLessThan(0.05)
  expect(countTokens(' '.repeat(100_000))).toBeGreaterThan(500)
  expect(countTokens('x'.repeat(3_000_000))).toBeGreaterThan(100_000)
  expect(countTokens('')).toBe(0)
})
