// What people see of a terminal's bytes: the screens that a real terminal would show.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { casesIn } from '../../test/setup/cases.ts'
import { paletteColour, Screen, splitLinks } from './screen.ts'

const show = async (text: string): Promise<string[]> => {
  const screen = new Screen()
  await screen.show(text)
  return screen.lines(1_000).lines.map((line) => line.spans.map((span) => span.text).join(''))
}

describe('screen', () => {
  it('overwrites what a carriage return goes back over', async () => {
    expect(await show('first\rsecond\nthird\n')).toEqual(['second', 'third'])
    expect(await show('10%\r50%\r100%\n')).toEqual(['100%'])
    expect(await show('longer\rab\n')).toEqual(['abnger'])
    expect(await show('one\r\ntwo\r\n')).toEqual(['one', 'two'])
  })

  it('SEC-57 no count in a sequence, however large, is counted out', async () => {
    for (let final = 0x40; final <= 0x7e; final += 1)
      for (const lead of ['', '?', '>'])
        for (const last of ['', ' ', "'"])
          for (const count of ['2147483647', '1;2147483647', '99999999999999999999', '999:2147483647']) {
            const screen = new Screen()
            await screen.show(
              `before ${count}\n\u001b[${lead}${count}${last}${String.fromCharCode(final)}\u001b[0m after`,
            )
            expect(screen.lines(10).lines.length).toBeLessThanOrEqual(10)
            screen.dispose()
          }
  }, 120_000)

  it('moves lines as often as a screen has them', async () => {
    expect(await show('one\ntwo\u001b[1;1H\u001b[2Lnew')).toEqual(['new', '', 'one', 'two'])
  })

  it('keeps colours apart and names them by theme', async () => {
    const screen = new Screen()
    await screen.show('a \u001b[31mred\u001b[0m \u001b[1;38;5;196mhot\u001b[0m \u001b[48;2;1;2;3mbg\u001b[0m')
    const [line] = screen.lines(10).lines
    expect(line?.spans).toMatchObject([
      { text: 'a ' },
      { text: 'red', fg: 'var(--ansi-1)' },
      { text: ' ' },
      { text: 'hot', fg: 'rgb(255 0 0)', bold: true },
      { text: ' ' },
      { text: 'bg', bg: 'rgb(1 2 3)' },
    ])
    expect(paletteColour(244)).toBe('rgb(128 128 128)')
  })

  it('joins what the terminal wrapped and gives the last lines', async () => {
    const long = 'x'.repeat(300)
    expect(await show(`${long}\nend`)).toEqual([long, 'end'])
    const screen = new Screen()
    await screen.show(Array.from({ length: 50 }, (_, n) => `line ${n}`).join('\n'))
    const { total, lines } = screen.lines(2)
    expect(total).toBe(50)
    expect(lines.map((line) => line.spans[0]?.text)).toEqual(['line 48', 'line 49'])
  })

  it('shows the same for text that grows and for text that comes anew', async () => {
    const screen = new Screen()
    await screen.show('ab')
    await screen.show('ab\ncd')
    expect(screen.lines(9).lines.length).toBe(2)
    await screen.show('other')
    expect(screen.lines(9).lines.map((line) => line.spans[0]?.text)).toEqual(['other'])
  })

  it('links http and https and nothing else', () => {
    expect(splitLinks('see http://localhost:3000/a?b=1. javascript:alert(1) (https://x.org)')).toEqual([
      { text: 'see ' },
      { text: 'http://localhost:3000/a?b=1', href: 'http://localhost:3000/a?b=1' },
      { text: '. javascript:alert(1) (' },
      { text: 'https://x.org', href: 'https://x.org' },
      { text: ')' },
    ])
    expect(splitLinks('data:text/html,<b>')).toEqual([{ text: 'data:text/html,<b>' }])
  })
})

const folder = casesIn('terminal-output', 'xterm').path
// Terminals differ at the right margin and after the alternate screen; the library decides otherwise here.
const undecided = ['t0055-EL.in', 't0084-CBT.in', 't0504-vim.in']
const cases = existsSync(folder)
  ? readdirSync(folder).filter((name) => name.endsWith('.in') && !undecided.includes(name))
  : []

describe.skipIf(cases.length === 0)('recorded terminal output (needs CASES_DIR)', () => {
  it.each(cases.length > 0 ? cases : ['none'])('%s', async (name) => {
    const bytes = readFileSync(join(folder, name))
    const wanted = readFileSync(join(folder, name.replace(/\.in$/, '.text')), 'utf8')
    const screen = new Screen(80, 25)
    await screen.show(bytes.toString('latin1'))
    const text = screen.lines(10_000).lines.map((line) => line.spans.map((span) => span.text).join(''))
    const plain = (value: string): string => value.replace(/\s+$/gm, '').trimEnd()
    const joined = plain(text.join('\n'))
    // Screens end after 25 lines and break at 80 columns; what scrolled out or was joined is compared without breaks.
    expect(joined.replace(/\s/g, '').endsWith(plain(wanted).replace(/\s/g, ''))).toBe(true)
  })
})
