import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { casesIn } from '../../../test/setup/cases.ts'
import { terminalText } from './terminal-text.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const read = (...pieces: Uint8Array[]): string => {
  const terminal = terminalText()
  for (const piece of pieces) terminal.write(piece)
  return terminal.text()
}

const cases = casesIn('terminal-output', 'xterm')
describe.skipIf(!cases.present)('screens with a known look (needs CASES_DIR)', () => {
  // Its recorded screen is that of a terminal whose line feeds do not return; common emulators differ from it too.
  const names = cases.names('.in').filter((name) => name !== 't0504-vim.in')
  it('are there', () => expect(names).not.toEqual([]))

  it.each(names)('%s', (name) => {
    const terminal = terminalText({ columns: 80, rows: 25 })
    terminal.write(readFileSync(join(cases.path, name)))
    const expected = readFileSync(join(cases.path, name.replace(/in$/, 'text')), 'utf8').split('\n')
    const plain = (lines: string[]): string =>
      lines
        .map((line) => line.trimEnd())
        .join('\n')
        .trimEnd()
    expect(plain(terminal.screen())).toBe(plain(expected))
  })
})

describe('what a model reads', () => {
  it.each([
    ['an overwritten line', 'first\rsecond\nthird\n', 'second\nthird\n'],
    ['a shorter overwrite', 'second\rfirst\n', 'firstd\n'],
    ['a progress bar', '10%\r50%\r100%\n', '100%\n'],
    ['CRLF', 'a\r\nb\r\n', 'a\nb\n'],
    ['backspaces', 'abd\bc\n', 'abc\n'],
    ['an erased line', 'working…\r\x1b[Kdone\n', 'done\n'],
    [
      'colours and titles',
      '\x1b]0;title\x07\x1b[1;31mred\x1b[0m \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\',
      'red link',
    ],
    ['lines rewritten from below', 'a 1\nb 1\n\x1b[2Aa 2\x1b[K\nb 2\x1b[K\n', 'a 2\nb 2\n'],
    ['NUL and bells', 'a\0b\x07c', 'abc'],
    ['tabs', 'a\tb\n', 'a       b\n'],
    ['a wide table that no terminal wrapped', `${'x'.repeat(300)}\ny`, `${'x'.repeat(300)}\ny`],
  ])('of %s', (_name, printed, expected) => {
    expect(read(bytes(printed))).toBe(expected)
  })

  it.each([
    ['a lone byte', [0xf0], '\ufffd'],
    ['Latin-1', [0x63, 0x61, 0x66, 0xe9, 0x0a], 'caf\ufffd\n'],
    ['a cut character', [0x61, 0xe2, 0x82], 'a\ufffd'],
  ])('of %s is marked', (_name, printed, expected) => {
    expect(read(new Uint8Array(printed))).toBe(expected)
  })

  it('of characters and sequences cut between pieces is whole', () => {
    const whole = bytes('好的\x1b[31m🙂\x1b[0m\x1b]0;t\x1b\\ok\r\n')
    for (let at = 0; at <= whole.length; at++)
      expect(read(whole.slice(0, at), whole.slice(at))).toBe('好的🙂ok\n')
    expect(read(...Array.from(whole, (byte) => new Uint8Array([byte])))).toBe('好的🙂ok\n')
  })

  it('of 4 MB without a line end is all there', () => {
    const terminal = terminalText()
    const piece = bytes('0123456789abcdef'.repeat(4_096))
    for (let count = 0; count < 64; count++) terminal.write(piece)
    terminal.write(bytes('\rnext'))
    const text = terminal.text()
    expect(text.length).toBe(64 * 65_536 + 5)
    expect(text.endsWith('f\nnext')).toBe(true)
  })

  it('is valid Unicode without controls, whatever the bytes and however they are cut', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.uint8Array({ maxLength: 12 }),
            fc
              .constantFrom(
                '\x1b[',
                '\x1b[5A',
                '\x1b[2J',
                '\x1b[?1049h',
                '\x1b]',
                '\r',
                '\b',
                '\n',
                '🙂',
                '\x1bc',
              )
              .map(bytes),
          ),
          { maxLength: 30 },
        ),
        (pieces) => {
          const text = read(...pieces)
          expect(text.isWellFormed()).toBe(true)
          expect(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/.test(text)).toBe(false)
          expect(read(Buffer.concat(pieces))).toBe(text)
        },
      ),
      { numRuns: 100 },
    ))
})
