/**
 * Looking things up in one thread: its windows, its items, the whole text of one. Every answer is read from the log as
 * it stands; an item of another thread is not found, as one that does not exist.
 */
import { Fault } from '../../protocol/error.ts'
import type { HistoryItem, HistoryText, HistoryWindow } from '../../protocol/history.ts'
import type { EntryFilter, ItemRow } from '../store/types.ts'
import { entryOf, lateOutput, previewOf, sectionsOf, textPieces } from './item-text.ts'
import type { MayRead, SearchSource } from './search.ts'

type Page<T> = { entries: T[]; cursor: string | null }
type PageQuery = { limit: number; recentFirst: boolean; cursor?: string }

/** The same words whether an id is unknown, of another thread, or of one that the reader may not see. */
const missing = (what: string): Fault =>
  new Fault(
    'not_found',
    `There is no such ${what} in this thread.`,
    'Use an id exactly as a list or a search gave it.',
  )

const checkVisible = async (mayRead: MayRead, threadId: string): Promise<void> => {
  if (!(await mayRead([threadId])).has(threadId)) throw missing('item')
}

const numberOf = (cursor: string | undefined): number | null => {
  if (cursor === undefined) return null
  if (!/^\d{1,15}$/.test(cursor))
    throw new Fault('bad_input', 'This cursor was not given out here.', 'Begin again without a cursor.')
  return Number(cursor)
}

export const listWindows = async (
  source: SearchSource,
  mayRead: MayRead,
  threadId: string,
  agentPath: string,
  { limit, recentFirst, cursor }: PageQuery,
): Promise<Page<HistoryWindow>> => {
  await checkVisible(mayRead, threadId)
  const after = numberOf(cursor)
  const all = (await source.history.windows(threadId)).map((window) => ({ ...window, agentPath }))
  const ordered = recentFirst ? all.reverse() : all
  const rest = ordered.filter(({ index }) => after === null || (recentFirst ? index < after : index > after))
  const entries = rest.slice(0, limit)
  const last = entries.at(-1)
  return { entries, cursor: rest.length > limit && last ? String(last.index) : null }
}

export const listItems = async (
  source: SearchSource,
  mayRead: MayRead,
  threadId: string,
  {
    limit,
    recentFirst,
    cursor,
    maxChars,
    agentPath,
    ...filter
  }: EntryFilter & PageQuery & { maxChars: number },
): Promise<Page<HistoryItem>> => {
  await checkVisible(mayRead, threadId)
  const page = { limit: limit + 1, recentFirst, cursor: numberOf(cursor) }
  const rows = await source.history.items(threadId, filter, page)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const entries = shown.map((row) => ({ ...entryOf(row, agentPath), ...previewOf(row.item, maxChars) }))
  return { entries, cursor: rows.length > limit && last ? String(last.seq) : null }
}

const lateOf = async (source: SearchSource, { threadId, item }: ItemRow): Promise<string | null> => {
  if (item.type !== 'tool_call' || lateOutput(item, '') === null) return null
  return lateOutput(item, (await source.history.exit(threadId, item.id))?.body.outputBlob)
}

type Part = { text: string; offset: number; total: number | null }

/** Reads on until the part is there and one more character says that the text goes on. */
const partAt = async (pieces: AsyncIterable<string>, from: number, limit: number): Promise<Part> => {
  let at = 0
  let text = ''
  for await (const piece of pieces) {
    const start = Math.max(0, from - at)
    if (start < piece.length) text += piece.slice(start, start + limit - text.length)
    at += piece.length
    if (text.length >= limit && at > from + limit) return { text, offset: from, total: null }
  }
  return { text, offset: Math.min(from, at), total: at }
}

const partFromEnd = async (pieces: AsyncIterable<string>, chars: number, limit: number): Promise<Part> => {
  let at = 0
  let held = ''
  for await (const piece of pieces) {
    at += piece.length
    held = (held + piece).slice(-chars)
  }
  return { text: held.slice(0, limit), offset: at - held.length, total: at }
}

/** A negative offset counts from the end, and reads from at most this far before it. */
const maxFromEnd = 1_000_000

export const readItem = async (
  source: SearchSource,
  mayRead: MayRead,
  threadId: string,
  part: { itemId: string; windowId?: string; offsetChars: number; limitChars: number; agentPath?: string },
): Promise<HistoryText> => {
  await checkVisible(mayRead, threadId)
  const row = await source.history.item(threadId, part.itemId)
  if (!row || (part.windowId !== undefined && row.windowId !== part.windowId)) throw missing('item')
  const pieces = textPieces(source.blobs.of(row.threadId), sectionsOf(row.item, await lateOf(source, row)))
  const { offsetChars, limitChars } = part
  const { text, offset, total } =
    offsetChars < 0
      ? await partFromEnd(pieces, Math.min(-offsetChars, maxFromEnd), limitChars)
      : await partAt(pieces, offsetChars, limitChars)
  // Half of a pair at the end is left for the next part.
  const whole = text.length > 1 && /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text
  const end = offset + whole.length
  return {
    ...entryOf(row, part.agentPath),
    text: whole.toWellFormed(),
    offset,
    nextOffset: total !== null && end >= total ? null : end,
    totalChars: total,
  }
}
