/**
 * Rows of a rollout by place, in pages: what is seen is asked for, what was not seen for long is forgotten, what is asked
 * for and no longer wanted is called off. It knows no screen; who draws is told by `changed`.
 */
import type { RolloutRow, RolloutRows } from '../protocol/rollout.ts'

export const rowsPerPage = 100
/** Pages kept; 60 of 100 rows are some 3 MB. */
const keptPages = 60
/** Questions under way at once. */
const atOnce = 2

type Page = { rows: RolloutRow[]; stale: boolean }
type Load = (from: number, limit: number, signal: AbortSignal) => Promise<RolloutRows>

export class RowPages {
  readonly #load: Load
  readonly #changed: () => void
  // In the order of use: the first is the one to forget.
  readonly #pages = new Map<number, Page>()
  readonly #asked = new Map<number, AbortController>()
  #wanted: number[] = []
  /** Rows of the filter; null until the first answer. */
  total: number | null = null
  /** The log's head of the newest answer. */
  head = 0
  /** How far the log was then: rows of what lies between are still to come. */
  logHead = 0
  error: unknown = null

  constructor(load: Load, changed: () => void) {
    this.#load = load
    this.#changed = changed
  }

  /** Whether rows are still to come of what is in the log. */
  get isBehind(): boolean {
    return this.head < this.logHead
  }

  row(place: number): RolloutRow | undefined {
    return this.#pages.get(Math.floor(place / rowsPerPage))?.rows[place % rowsPerPage]
  }

  /** Place of a row that is here; undefined when it is not. */
  placeOf(idx: number): number | undefined {
    for (const [page, { rows }] of this.#pages) {
      const [first, last] = [rows[0], rows.at(-1)]
      if (first === undefined || last === undefined || idx < first.idx || idx > last.idx) continue
      const at = rows.findIndex((row) => row.idx === idx)
      if (at >= 0) return page * rowsPerPage + at
    }
    return undefined
  }

  /** Asks for what of these places is not here, nearest first; calls off what is not among them. */
  want(first: number, last: number): void {
    const pages: number[] = []
    for (let page = Math.floor(first / rowsPerPage); page <= Math.floor(last / rowsPerPage); page += 1) {
      const known = this.#pages.get(page)
      if (known !== undefined) {
        this.#pages.delete(page)
        this.#pages.set(page, known)
      }
      if (known === undefined || known.stale) pages.push(page)
    }
    this.#wanted = pages
    for (const [page, controller] of this.#asked)
      if (!pages.includes(page)) {
        this.#asked.delete(page)
        controller.abort()
      }
    this.#next()
  }

  /** More rows may be there, and rows that were running may have ended: pages from this place on are read again. */
  refresh(from: number): void {
    for (const [page, known] of this.#pages) {
      const running = known.rows.some((row) => row.status === 'running')
      if ((page + 1) * rowsPerPage > from || running) known.stale = true
    }
    this.#changed()
  }

  /** Learns how many rows there are by now, wherever the view stands. */
  async measure(): Promise<void> {
    const from = Math.max(0, (this.total ?? 1) - 1)
    try {
      this.#heard(await this.#load(from, 1, new AbortController().signal))
      this.#changed()
    } catch {
      // The next growth asks again.
    }
  }

  retry(): void {
    this.error = null
    this.#next()
    this.#changed()
  }

  close(): void {
    for (const controller of this.#asked.values()) controller.abort()
    this.#asked.clear()
    this.#wanted = []
  }

  /** An answer that was asked for earlier may come later: what is newest counts. */
  #heard({ total, head, logHead }: RolloutRows): void {
    if (head >= this.head) this.total = total
    this.head = Math.max(this.head, head)
    this.logHead = Math.max(this.logHead, logHead)
  }

  #next(): void {
    for (const page of this.#wanted) {
      if (this.#asked.size >= atOnce || this.error !== null) return
      if (!this.#asked.has(page)) void this.#ask(page)
    }
  }

  async #ask(page: number): Promise<void> {
    const controller = new AbortController()
    this.#asked.set(page, controller)
    try {
      const answer = await this.#load(page * rowsPerPage, rowsPerPage, controller.signal)
      if (this.#asked.get(page) !== controller) return
      this.#heard(answer)
      this.#pages.delete(page)
      this.#pages.set(page, { rows: answer.rows, stale: false })
      for (const [oldest] of this.#pages) {
        if (this.#pages.size <= keptPages) break
        this.#pages.delete(oldest)
      }
    } catch (error) {
      if (this.#asked.get(page) !== controller) return
      this.error = error
    }
    this.#asked.delete(page)
    this.#wanted = this.#wanted.filter((wanted) => wanted !== page)
    this.#next()
    this.#changed()
  }
}
