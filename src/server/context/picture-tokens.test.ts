// Sizes and counts are the vendors' own examples.
import { expect, it } from 'vitest'
import { pictureTokens } from './picture-tokens.ts'

/** The head of a PNG, which is all that says its size. */
const png = (width: number, height: number): string => {
  const head = Buffer.alloc(33)
  head.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  head.writeUInt32BE(13, 8)
  head.write('IHDR', 12, 'latin1')
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return head.toString('base64')
}

it.each([
  ['gpt-4o', 1_024, 1_024, 765],
  ['gpt-4o', 2_048, 4_096, 1_105],
  ['gpt-4.1-2025-04-14', 500, 500, 255],
  ['gpt-4o-mini', 1_024, 1_024, 2_833 + 4 * 5_667],
  ['gpt-5', 1_024, 1_024, 70 + 4 * 140],
  ['gpt-4.1-mini', 1_024, 1_024, 1_659],
  ['gpt-5-mini', 1_280, 720, 1_104],
  ['gpt-5-mini', 2_048, 768, 1_844],
  ['gpt-5-nano', 4_000, 4_000, 2_304],
  ['gpt-5.6-sol', 256, 256, 77],
  ['claude-sonnet-4-6', 1_000, 1_000, 1_296],
  ['claude-sonnet-4-6', 4_000, 3_000, 1_568],
  ['claude-opus-4-8', 4_000, 3_000, 4_784],
  ['gemini-2.5-flash', 384, 384, 258],
  ['gemini-2.5-flash', 1_536, 768, 516],
  ['gemini-3-pro-preview', 100, 100, 1_120],
])('%s sees %i x %i as %i tokens', (family, width, height, tokens) => {
  expect(pictureTokens(png(width, height), family)).toBe(tokens)
})

it('a file whose size cannot be read counts as a page', () => {
  expect(pictureTokens('AAAA', 'gpt-4o')).toBe(765)
  expect(pictureTokens('', 'nobody-knows')).toBeLessThanOrEqual(1_568)
})
