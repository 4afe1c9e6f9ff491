/**
 * What a terminal shows after the bytes it was sent: colours, carriage returns, cursor movement, by xterm's own parser.
 * Gives lines of styled pieces; draws nothing.
 */
import { type IBufferCell, Terminal } from '@xterm/headless'

/** `fg` and `bg` are CSS colours; the sixteen named ones are variables of the theme. */
export type Span = {
  text: string
  fg?: string | undefined
  bg?: string | undefined
  bold?: boolean | undefined
  dim?: boolean | undefined
  italic?: boolean | undefined
  underline?: boolean | undefined
  strike?: boolean | undefined
}
export type ScreenLine = { key: number; spans: Span[] }

/** Lines that are kept; older ones scroll out. */
const scrollback = 5_000

/**
 * What the parser does as often as it is told (IL, DL, SU, SD, CHT, CBT, REP), up to 2,147,483,647 times without a break: a
 * dozen bytes of output would hold the tab for hours. More often than the screen has places it would change nothing.
 */
const repeated = { rows: ['L', 'M', 'S', 'T'], columns: ['I', 'Z', 'b'] }

const cube = [0, 95, 135, 175, 215, 255]

/** A palette index as CSS: 0 to 15 by variable, the colour cube and the greys by value. */
export function paletteColour(index: number): string {
  if (index < 16) return `var(--ansi-${index})`
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10
    return `rgb(${grey} ${grey} ${grey})`
  }
  const at = index - 16
  const level = (divisor: number): number => cube[Math.floor(at / divisor) % 6] ?? 0
  return `rgb(${level(36)} ${level(6)} ${level(1)})`
}

const rgb = (value: number): string => `rgb(${(value >> 16) & 255} ${(value >> 8) & 255} ${value & 255})`

function look(cell: IBufferCell): Omit<Span, 'text'> {
  const colour = (isRgb: boolean, isPalette: boolean, value: number): string | undefined =>
    isRgb ? rgb(value) : isPalette ? paletteColour(value) : undefined
  let fg = colour(cell.isFgRGB(), cell.isFgPalette(), cell.getFgColor())
  let bg = colour(cell.isBgRGB(), cell.isBgPalette(), cell.getBgColor())
  if (cell.isInverse()) [fg, bg] = [bg ?? 'var(--term-bg)', fg ?? 'var(--term-fg)']
  return {
    fg,
    bg,
    bold: cell.isBold() !== 0 || undefined,
    dim: cell.isDim() !== 0 || undefined,
    italic: cell.isItalic() !== 0 || undefined,
    underline: cell.isUnderline() !== 0 || undefined,
    strike: cell.isStrikethrough() !== 0 || undefined,
  }
}

const same = (a: Omit<Span, 'text'>, b: Omit<Span, 'text'>): boolean =>
  a.fg === b.fg &&
  a.bg === b.bg &&
  a.bold === b.bold &&
  a.dim === b.dim &&
  a.italic === b.italic &&
  a.underline === b.underline &&
  a.strike === b.strike

export class Screen {
  readonly #terminal: Terminal
  #seen = ''

  /** `columns` matters where a program moves the cursor; lines that the terminal wrapped are joined again. */
  constructor(columns = 120, rows = 30) {
    this.#terminal = new Terminal({
      cols: columns,
      rows,
      scrollback,
      convertEol: true,
      allowProposedApi: true,
    })
    const bound = (final: string, most: number): void => {
      this.#terminal.parser.registerCsiHandler({ final }, ([count]) => Number(count) > most)
    }
    for (const final of repeated.rows) bound(final, rows)
    for (const final of repeated.columns) bound(final, columns)
  }

  /** Shows a text from its start; when it only grew, just the new part is parsed. Resolves when it is on the screen. */
  show(text: string): Promise<void> {
    const grown = text.startsWith(this.#seen)
    const added = grown ? text.slice(this.#seen.length) : text
    if (!grown) this.#terminal.reset()
    this.#seen = text
    return new Promise((resolve) => this.#terminal.write(added, resolve))
  }

  /** How many lines there are, and the last `limit` of them; empty lines at the end are left out. */
  lines(limit: number): { total: number; lines: ScreenLine[] } {
    const buffer = this.#terminal.buffer.active
    let end = buffer.length
    while (end > 0 && (buffer.getLine(end - 1)?.translateToString(true) ?? '') === '') end -= 1
    const lines: ScreenLine[] = []
    for (let y = end - 1; y >= 0 && lines.length < limit; y -= 1) {
      let start = y
      while (start > 0 && buffer.getLine(start)?.isWrapped) start -= 1
      const spans: Span[] = []
      for (let row = start; row <= y; row += 1) this.#read(row, row < y, spans)
      lines.push({ key: start, spans })
      y = start
    }
    return { total: end, lines: lines.reverse() }
  }

  #read(row: number, full: boolean, spans: Span[]): void {
    const line = this.#terminal.buffer.active.getLine(row)
    if (!line) return
    const width = full ? line.length : line.translateToString(true).length === 0 ? 0 : line.length
    let cell: IBufferCell | undefined
    let last = 0
    for (let x = 0; x < width; x += 1) {
      cell = line.getCell(x, cell)
      if (cell && (cell.getChars() !== '' || !cell.isBgDefault())) last = x + 1
    }
    for (let x = 0; x < (full ? width : last); x += 1) {
      cell = line.getCell(x, cell)
      if (!cell || cell.getWidth() === 0) continue
      const text = cell.getChars() || ' '
      const style = look(cell)
      const before = spans.at(-1)
      if (before && same(before, style)) before.text += text
      else spans.push({ text, ...style })
    }
  }

  dispose(): void {
    this.#terminal.dispose()
  }
}

/** Pieces of a text, the http and https addresses in it marked. Nothing else ever becomes a link. */
export function splitLinks(text: string): { text: string; href?: string }[] {
  const parts: { text: string; href?: string }[] = []
  let from = 0
  for (const match of text.matchAll(/https?:\/\/[^\s<>"'`\\^{|}]+/g)) {
    const url = match[0].replace(/[).,;:!?\]]+$/, '')
    if (!URL.canParse(url)) continue
    if (match.index > from) parts.push({ text: text.slice(from, match.index) })
    parts.push({ text: url, href: url })
    from = match.index + url.length
  }
  if (from < text.length) parts.push({ text: text.slice(from) })
  return parts
}
