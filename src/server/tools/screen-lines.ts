/**
 * The lines of a terminal and its cursor: what putting, erasing, inserting and scrolling do to them. Lines that leave
 * the screen stay above it. Knows nothing of bytes and escape sequences.
 */

type Cursor = { row: number; col: number }
type Line = { text: string; wrapped: boolean }

/** A line longer than this is never changed in its middle: a return on it opens a new one, text is added. UTF-16 units. */
const overwritableUnits = 8_192

/** How far one sequence reaches without a given width: no short input may grow to a long text. */
const reach = 240

const blanks = (count: number): string => (count > 0 ? ' '.repeat(count) : '')

/** A half of a surrogate pair at a cut becomes a blank. */
const cutFrom = (text: string, at: number): string => {
  const rest = text.slice(at)
  return /^[\udc00-\udfff]/.test(rest) ? ` ${rest.slice(1)}` : rest
}
const cutTo = (text: string, at: number): string => {
  const start = text.slice(0, at)
  return /[\ud800-\udbff]$/.test(start) ? `${start.slice(0, -1)} ` : start
}

export class ScreenLines {
  private lines: Line[] = [{ text: '', wrapped: false }]
  private cursor: Cursor = { row: 0, col: 0 }
  private saved: Cursor = { row: 0, col: 0 }
  private region: { first: number; last: number }
  private stops: Set<number> | null = null
  /** Lines above the screen; rows below count from it. */
  private top = 0
  private readonly rows: number
  private readonly columns: number
  wraps = true
  /** Rows count from the scroll region's first line. */
  private origin = false
  private pendingWrap = false
  private lastPut = ''

  /** @param columns where lines wrap; Infinity for output that never was on a terminal */
  constructor(rows: number, columns: number) {
    this.rows = rows
    this.columns = columns
    this.region = { first: 0, last: rows - 1 }
  }

  private at(row: number): Line {
    while (this.lines.length <= this.top + row) this.lines.push({ text: '', wrapped: false })
    return this.lines[this.top + row] as Line
  }

  private get line(): Line {
    return this.at(this.cursor.row)
  }

  put(text: string): void {
    this.lastPut = text.slice(-1)
    let rest = text
    while (rest !== '') {
      if (this.pendingWrap && this.wraps) {
        this.lineFeed()
        this.cursor.col = 0
        this.line.wrapped = true
      }
      this.pendingWrap = false
      const room = this.columns - this.cursor.col
      const piece = rest.length <= room ? rest : rest.slice(0, Math.max(room, 1))
      rest = rest.slice(piece.length)
      this.write(piece)
      if (this.cursor.col >= this.columns) {
        this.cursor.col = this.columns - 1
        if (this.wraps) this.pendingWrap = true
        else if (rest !== '') rest = rest.slice(-1)
      }
    }
  }

  private write(piece: string): void {
    const { line, cursor } = this
    const { text } = line
    if (cursor.col === text.length || text.length > overwritableUnits) {
      line.text += piece
      cursor.col = text.length
    } else if (cursor.col > text.length) line.text = text + blanks(cursor.col - text.length) + piece
    else line.text = cutTo(text, cursor.col) + piece + cutFrom(text, cursor.col + piece.length)
    cursor.col += piece.length
  }

  /** Repeats the character that was put just before, if nothing else came between. */
  repeat(count: number): void {
    if (this.lastPut !== '') this.put(this.lastPut.repeat(Math.min(count, reach)))
    this.lastPut = ''
  }

  /** Something else than text came. */
  interrupt(): void {
    this.lastPut = ''
  }

  /** Takes over where the cursor of another screen stands. */
  continueFrom(other: ScreenLines): void {
    this.cursor = { ...other.cursor }
    this.pendingWrap = other.pendingWrap
    this.at(this.cursor.row)
  }

  below(rows: number): void {
    this.pendingWrap = false
    this.cursor.row = Math.min(this.cursor.row + rows, this.rows - 1)
  }

  carriageReturn(): void {
    this.pendingWrap = false
    if (this.line.text.length > overwritableUnits) this.lineFeed()
    this.cursor.col = 0
  }

  lineFeed(): void {
    this.pendingWrap = false
    const { first, last } = this.region
    if (this.cursor.row === last) this.scrollUp(first, last, 1)
    else if (this.cursor.row < this.rows - 1) this.cursor.row++
    this.at(this.cursor.row)
  }

  reverseLineFeed(): void {
    this.pendingWrap = false
    if (this.cursor.row === this.region.first) this.scrollDown(this.region.first, this.region.last, 1)
    else if (this.cursor.row > 0) this.cursor.row--
  }

  private scrollUp(first: number, last: number, count: number): void {
    for (let done = 0; done < Math.min(count, this.rows); done++) {
      this.at(last)
      if (first === 0 && last === this.rows - 1) {
        this.top++
        this.at(last)
        continue
      }
      this.lines.splice(this.top + first, 1)
      this.lines.splice(this.top + last, 0, { text: '', wrapped: false })
    }
  }

  private scrollDown(first: number, last: number, count: number): void {
    for (let done = 0; done < Math.min(count, this.rows); done++) {
      this.at(last)
      this.lines.splice(this.top + last, 1)
      this.lines.splice(this.top + first, 0, { text: '', wrapped: false })
    }
  }

  /** Positive scrolls the text up. */
  scroll(count: number): void {
    if (count < 0) this.scrollDown(this.region.first, this.region.last, -count)
    else if (this.region.first === 0 && this.region.last === this.rows - 1) {
      // What an explicit scroll pushes out is gone, unlike what a line feed pushes out.
      for (let done = 0; done < Math.min(count, this.rows); done++) {
        this.at(this.rows - 1)
        this.lines.splice(this.top, 1)
        this.lines.push({ text: '', wrapped: false })
      }
    } else this.scrollUp(this.region.first, this.region.last, count)
  }

  /** Positive inserts lines at the cursor, negative deletes. */
  insertLines(count: number): void {
    const { row } = this.cursor
    if (row < this.region.first || row > this.region.last) return
    this.pendingWrap = false
    this.cursor.col = 0
    if (count >= 0) this.scrollDown(row, this.region.last, count)
    else if (row === 0 && this.region.last === this.rows - 1) this.scroll(-count)
    else this.scrollUp(row, this.region.last, -count)
  }

  move(rows: number, cols: number): void {
    this.pendingWrap = false
    const { row } = this.cursor
    const floor = row >= this.region.first ? this.region.first : 0
    const ceiling = row <= this.region.last ? this.region.last : this.rows - 1
    const target = Math.min(Math.max(row + rows, floor), ceiling)
    // A plain stream has no bottom to stop at: the lines below come into being.
    this.cursor.row = target
    this.column(this.cursor.col + cols)
  }

  private get lastColumn(): number {
    const end = Math.max(this.line.text.length, this.cursor.col + 8, reach)
    return Math.min(this.columns - 1, end)
  }

  column(col: number): void {
    this.pendingWrap = false
    this.cursor.col = Math.min(Math.max(col, 0), this.lastColumn)
  }

  row(row: number): void {
    this.pendingWrap = false
    const [first, last] = this.origin ? [this.region.first, this.region.last] : [0, this.rows - 1]
    this.cursor.row = Math.min(Math.max(first + row, first), last)
  }

  originMode(on: boolean): void {
    this.origin = on
    this.row(0)
    this.column(0)
  }

  backspace(): void {
    this.column(this.cursor.col - 1)
  }

  tab(count: number): void {
    // A wrap that is due stays due, wherever the cursor goes.
    const due = this.pendingWrap
    for (let left = Math.min(Math.abs(count), reach); left > 0; left--) {
      let col = this.cursor.col
      const step = count > 0 ? 1 : -1
      do col += step
      while (col > 0 && col < this.lastColumn && !this.isStop(col))
      this.column(col)
    }
    this.pendingWrap = due
  }

  private isStop(col: number): boolean {
    return this.stops === null ? col % 8 === 0 : this.stops.has(col)
  }

  /** `set` puts a stop at the cursor; otherwise it goes, or all of them. */
  tabStop(change: 'set' | 'clear' | 'clear_all'): void {
    if (change === 'clear_all') this.stops = new Set()
    else {
      this.stops ??= new Set(Array.from({ length: 100 }, (_, index) => index * 8))
      if (change === 'set') this.stops.add(this.cursor.col)
      else this.stops.delete(this.cursor.col)
    }
  }

  /** 0: from the cursor on, 1: up to it, 2: all. */
  eraseLine(part: number): void {
    const { line, cursor } = this
    if (part === 0) line.text = cutTo(line.text, cursor.col)
    else if (part === 2) line.text = ''
    else if (part === 1)
      line.text = blanks(Math.min(cursor.col + 1, line.text.length)) + cutFrom(line.text, cursor.col + 1)
    this.pendingWrap = false
  }

  eraseScreen(part: number): void {
    if (part === 3) {
      this.lines.splice(0, this.top)
      this.top = 0
      return
    }
    if (part !== 0 && part !== 1 && part !== 2) return
    const { row } = this.cursor
    const [from, to] = part === 0 ? [row + 1, this.rows] : part === 1 ? [0, row] : [0, this.rows]
    for (let index = from; index < to && this.top + index < this.lines.length; index++)
      this.lines[this.top + index] = { text: '', wrapped: false }
    if (part !== 2) this.eraseLine(part)
  }

  /** Blanks over the next characters. */
  eraseCharacters(count: number): void {
    const { line, cursor } = this
    const size = Math.min(count, line.text.length - cursor.col)
    if (size > 0)
      line.text = cutTo(line.text, cursor.col) + blanks(size) + cutFrom(line.text, cursor.col + size)
  }

  /** Positive inserts blanks at `col` of the cursor's line, negative deletes characters. */
  insertCharacters(count: number, line = this.line, col = this.cursor.col): void {
    this.pendingWrap = false
    const size = Math.min(Math.abs(count), reach)
    const before = cutTo(line.text.padEnd(col), col)
    const text =
      count >= 0 ? before + blanks(size) + cutFrom(line.text, col) : before + cutFrom(line.text, col + size)
    line.text = Number.isFinite(this.columns) ? text.slice(0, this.columns) : text
  }

  /** The same in every line of the scroll region, at the cursor's column or at the left edge. */
  insertColumns(count: number, atCursor: boolean): void {
    const { row, col } = this.cursor
    if (row < this.region.first || row > this.region.last) return
    for (let index = this.region.first; index <= this.region.last; index++)
      this.insertCharacters(count, this.at(index), atCursor ? col : 0)
  }

  scrollRegion(first: number, last: number): void {
    const bottom = Math.min(last, this.rows - 1)
    if (first >= bottom) return
    this.region = { first, last: bottom }
    this.row(0)
    this.column(0)
  }

  save(): void {
    this.saved = { ...this.cursor }
  }

  restore(): void {
    this.pendingWrap = false
    this.cursor = { ...this.saved }
  }

  reset(): void {
    this.eraseScreen(2)
    this.region = { first: 0, last: this.rows - 1 }
    this.stops = null
    this.wraps = true
    this.origin = false
    this.cursor = { row: 0, col: 0 }
    this.saved = { row: 0, col: 0 }
  }

  /** The rows of the screen, blanks at their ends removed. */
  screen(): string[] {
    return Array.from({ length: this.rows }, (_, row) => (this.lines[this.top + row]?.text ?? '').trimEnd())
  }

  /** Everything, lines that only wrapped joined again. */
  text(): string {
    const parts: string[] = []
    for (const [index, line] of this.lines.entries()) {
      if (index > 0 && !line.wrapped) parts.push('\n')
      parts.push(line.text)
    }
    return parts.join('')
  }
}
