/**
 * From the bytes a command printed to the text a model reads: UTF-8 decoded across pieces, overwriting and cursor
 * movement played out as a terminal would, colours and other sequences removed. Never fails, whatever the bytes.
 */
import { ScreenLines } from './screen-lines.ts'

/** Longest escape sequence that is waited for across pieces; a longer one is no sequence. */
const maxSequence = 256
const controls = /[\x00-\x1f\x7f-\x9f]/g
const csi = /\x1b\[([0-?]*)([ -/]*)([@-~])/y
const csiOpen = /\x1b(?:\[[0-?]*[ -/]*|[ -/]*)?$/y
const middle = /[ -/]+(?=[\x00-\x1f])/y
const twoPart = /\x1b[ -/]+[0-~]/y

export type TerminalText = {
  write(bytes: Uint8Array): void
  /** Everything printed so far, valid Unicode without NUL. */
  text(): string
  /** The rows of the screen. */
  screen(): string[]
}

/**
 * @param options.columns width at which lines wrap; without it they never do
 * @param options.rows rows that cursor movement reaches (default 25)
 */
export const terminalText = (options: { columns?: number; rows?: number } = {}): TerminalText => {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const rows = options.rows ?? 25
  const make = (): ScreenLines => new ScreenLines(rows, options.columns ?? Number.POSITIVE_INFINITY)
  const main = make()
  let lines = main
  let feedReturns = false
  let skipping = false
  let carry = ''

  const alternate = (on: boolean): void => {
    const from = lines
    if (on === (from !== main)) return
    lines = on ? make() : main
    lines.continueFrom(from)
  }

  const mode = (prefix: string, numbers: number[], on: boolean): void => {
    for (const number of numbers) {
      if (prefix === '' && number === 20) feedReturns = on
      else if (prefix !== '?') continue
      else if (number === 6) lines.originMode(on)
      else if (number === 7) lines.wraps = on
      else if (number === 47 || number === 1047) alternate(on)
      else if (number === 1048) on ? lines.save() : lines.restore()
      else if (number === 1049) {
        if (on) main.save()
        alternate(on)
        if (!on) main.restore()
      }
    }
  }

  const sequence = (parameters: string, middle: string, final: string): void => {
    const prefix = /^[<=>?]/.test(parameters) ? parameters.charAt(0) : ''
    const numbers = parameters
      .slice(prefix.length)
      .split(/[;:]/)
      .map((part) => Number.parseInt(part, 10) || 0)
    const first = numbers[0] ?? 0
    const count = Math.max(first, 1)
    if (final === 'h' || final === 'l') mode(prefix, numbers, final === 'h')
    if (prefix !== '' && final !== 'J' && final !== 'K') return
    const key = middle + final
    if (key !== 'b') lines.interrupt()
    if (key === 'A') lines.move(-count, 0)
    else if (key === 'B') lines.move(count, 0)
    else if (key === 'e') lines.below(count)
    else if (key === 'C' || key === 'a') lines.move(0, count)
    else if (key === 'D') lines.move(0, -count)
    else if (key === 'E' || key === 'F') {
      lines.move(key === 'E' ? count : -count, 0)
      lines.column(0)
    } else if (key === 'G' || key === '`') lines.column(count - 1)
    else if (key === 'd') lines.row(count - 1)
    else if (key === 'H' || key === 'f') {
      lines.row(count - 1)
      lines.column(Math.max(numbers[1] ?? 0, 1) - 1)
    } else if (key === 'J') lines.eraseScreen(first)
    else if (key === 'K') lines.eraseLine(first)
    else if (key === 'X') lines.eraseCharacters(count)
    else if (key === '@' || key === 'P') lines.insertCharacters(key === '@' ? count : -count)
    else if (key === 'L' || key === 'M') lines.insertLines(key === 'L' ? count : -count)
    else if (key === 'S' || key === 'T') lines.scroll(key === 'S' ? count : -count)
    else if (key === ' @' || key === ' A') lines.insertColumns(key === ' A' ? count : -count, false)
    else if (key === "'}" || key === "'~") lines.insertColumns(key === "'}" ? count : -count, true)
    else if (key === 'I' || key === 'Z') lines.tab(key === 'I' ? count : -count)
    else if (key === 'b') lines.repeat(count)
    else if (key === 'g') lines.tabStop(first === 3 ? 'clear_all' : 'clear')
    else if (key === 'r') lines.scrollRegion(count - 1, (numbers[1] || rows) - 1)
    else if (key === 's') lines.save()
    else if (key === 'u') lines.restore()
  }

  const single = (letter: string): void => {
    if (letter === 'D') lines.lineFeed()
    else if (letter === 'M') lines.reverseLineFeed()
    else if (letter === 'E') {
      lines.lineFeed()
      lines.carriageReturn()
    } else if (letter === 'H') lines.tabStop('set')
    else if (letter === '7') lines.save()
    else if (letter === '8') lines.restore()
    else if (letter === 'c') lines.reset()
  }

  const control = (code: number): void => {
    lines.interrupt()
    if (code === 10) {
      lines.lineFeed()
      lines.carriageReturn()
    } else if (code === 13) lines.carriageReturn()
    else if (code === 8) lines.backspace()
    else if (code === 9) lines.tab(1)
    else if (code === 11 || code === 12) {
      lines.lineFeed()
      if (feedReturns) lines.carriageReturn()
    } else if (code === 0x84) single('D')
    else if (code === 0x85) single('E')
    else if (code === 0x8d) single('M')
  }

  /** Reads what an escape at `from` begins; answers where it ends, or -1 when its end has not come yet. */
  const readEscape = (text: string, from: number): number => {
    csi.lastIndex = from
    const match = csi.exec(text)
    if (match) {
      sequence(match[1] ?? '', match[2] ?? '', match[3] ?? '')
      return csi.lastIndex
    }
    const letter = text.charAt(from + 1)
    if (letter !== '' && ']PX^_'.includes(letter)) {
      skipping = true
      return from + 2
    }
    twoPart.lastIndex = from
    if (twoPart.test(text)) return twoPart.lastIndex
    csiOpen.lastIndex = from
    if (text.length - from < maxSequence && csiOpen.test(text)) return -1
    middle.lastIndex = from + 1
    if (middle.test(text)) return middle.lastIndex
    if (letter === '' || letter < ' ') return from + 1
    if (letter === '[') return brokenSequence(text, from + 2)
    single(letter)
    return from + 2
  }

  /** Controls inside a sequence act at once; cancel ends it, anything else is what the sequence was. */
  const brokenSequence = (text: string, from: number): number => {
    let parameters = ''
    let at = from
    for (; at < text.length && at - from < maxSequence; at++) {
      const code = text.charCodeAt(at)
      if (code === 0x1b) return at
      if (code === 0x18 || code === 0x1a) return at + 1
      if (code > 0x7e) return at
      if (code < 0x20) control(code)
      else if (code >= 0x40) {
        const parts = /^([0-?]*)([ -/]*)$/.exec(parameters)
        if (parts) sequence(parts[1] ?? '', parts[2] ?? '', text.charAt(at))
        return at + 1
      } else parameters += text.charAt(at)
    }
    if (at === text.length) carry = `\x1b[${parameters}`
    return at
  }

  const read = (text: string): void => {
    let from = 0
    while (from < text.length) {
      if (skipping) {
        // Titles, links and other strings end with BEL, ST or cancel.
        const end = /[\x07\x18\x1a\x9c]|\x1b\\/g
        end.lastIndex = from
        if (end.exec(text) === null) {
          carry = text.endsWith('\x1b') ? '\x1b' : ''
          return
        }
        skipping = false
        from = end.lastIndex
        continue
      }
      controls.lastIndex = from
      const at = controls.exec(text)?.index ?? text.length
      if (at > from) lines.put(text.slice(from, at))
      from = at
      if (at === text.length) return
      const code = text.charCodeAt(at)
      if (code === 0x1b) {
        const end = readEscape(text, at)
        if (end < 0) {
          carry = text.slice(at)
          return
        }
        from = end
      } else {
        control(code)
        from = at + 1
      }
    }
  }

  return {
    write(bytes) {
      const text = carry + decoder.decode(bytes, { stream: true })
      carry = ''
      read(text)
    },
    text() {
      const rest = decoder.decode()
      if (rest !== '') read(rest)
      return main.text().toWellFormed()
    },
    screen: () => lines.screen(),
  }
}
