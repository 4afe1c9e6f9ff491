import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { visible, visiblePieces } from './visible.ts'

describe('visible', () => {
  test('ordinary text of every script stays as it is', () => {
    for (const text of [
      'const a = 1\r\n\tb',
      'naïve Ångström e\u0301',
      'می\u200cخواهم',
      'क्\u200dष',
      'שלום',
      '漢字かな',
      '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
      '\u{1f3f3}\ufe0f\u200d\u{1f308}',
      '\u2764\ufe0f',
      '⠋ loading',
      '',
    ])
      expect(visible(text)).toBe(text)
  })

  test.each([
    ['a\u202eb', 'a⟨U+202E⟩b'],
    ['pass\u200bword', 'pass⟨U+200B⟩word'],
    ['ad\u200dmin', 'ad⟨U+200D⟩min'],
    ['\u001b[31m', '⟨U+001B⟩[31m'],
    ['echo ok\rrm', 'echo ok⟨U+000D⟩rm'],
    ['half \ud800', 'half ⟨U+D800⟩'],
    ['x\u{e0041}', 'x⟨U+E0041⟩'],
    ['\u0000\u0001', '⟨U+0000⟩⟨U+0001⟩'],
    ['\u2028', '⟨U+2028⟩'],
  ])('%j is told', (text, told) => {
    expect(visible(text)).toBe(told)
  })

  test('floods are counted, not drawn', () => {
    expect(visible('\u0007'.repeat(5_000))).toBe('⟨U+0007 +4999⟩')
    expect(visible(`Z${'\u0300'.repeat(100)}`)).toBe(`Z${'\u0300'.repeat(4)}⟨U+0300 +95⟩`)
  })

  test('nothing unseen is left, nothing seen is lost, and a second time changes nothing', () => {
    const unseen =
      /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/
    const odd = fc.constantFrom(
      '\u202e',
      '\u200b',
      '\u0000',
      '\u001b',
      '\u2066',
      'a',
      ' ',
      'é',
      '\n',
      '\ud800',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(odd, fc.string({ unit: 'binary' })), { maxLength: 30 }), (parts) => {
        const text = parts.join('')
        const told = visible(text)
        expect(told).not.toMatch(unseen)
        expect(visible(told)).toBe(told)
        const plain = visiblePieces(text).filter(({ mark }) => !mark)
        let at = 0
        for (const piece of plain) {
          at = text.indexOf(piece.text, at)
          expect(at).toBeGreaterThanOrEqual(0)
          at += piece.text.length
        }
      }),
      { numRuns: 100 },
    )
  })
})
