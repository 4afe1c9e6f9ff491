/**
 * Events as the documents of the index: pieces of items' texts with the place of each in the whole. The same for what
 * is stored in batches and for the tail that a search looks through itself.
 */
import type { ThreadEvent } from '../../protocol/event.ts'
import { maxQueryChars } from '../../protocol/history.ts'
import type { Item } from '../../protocol/item.ts'
import { cleanText } from '../store/append.ts'
import type { ItemRow, SearchDoc, Store } from '../store/types.ts'
import { entryOf, lateOutput, sectionsOf, textPieces } from './item-text.ts'

/** UTF-16 units of a document: at most 48,000 bytes, whatever the script. */
const docChars = 16_000
/** Neighbours share this much, so that no query falls between them. */
const sharedChars = maxQueryChars
/** Of a longer text the first and the last part are indexed, so much each; all of it can be read. */
const indexedChars = 2_000_000

/** Calls that only show what stands elsewhere: a search must not find earlier searches. */
const looksUp = /^(history_|notes_(list|read|search)$)/
const isIndexed = (item: Item): boolean => item.type !== 'tool_call' || !looksUp.test(item.tool)

type Piece = { offset: number; text: string }

const isHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

async function* cutUp(pieces: AsyncIterable<string>): AsyncGenerator<Piece> {
  let held = ''
  let offset = 0
  let isFirst = true
  for await (const piece of pieces) {
    held += piece
    let from = 0
    while (held.length - from > docChars) {
      const end = from + docChars - (isHalf(held.charCodeAt(from + docChars - 1)) ? 1 : 0)
      yield { offset: offset + from, text: held.slice(from, end) }
      isFirst = false
      from = end - sharedChars
      if (isHalf(held.charCodeAt(from - 1))) from -= 1
    }
    held = held.slice(from)
    offset += from
  }
  if (held.length > (isFirst ? 0 : sharedChars)) yield { offset, text: held }
}

/** The first and the last documents of a very long text; what lies between only moves the offsets. */
async function* indexed(pieces: AsyncIterable<string>, from: number): AsyncGenerator<Piece> {
  const last: Piece[] = []
  for await (const piece of cutUp(pieces)) {
    if (piece.offset + piece.text.length <= from) continue
    if (piece.offset < from + indexedChars) yield piece
    else if (last.push(piece) > indexedChars / docChars) last.shift()
  }
  yield* last
}

type Source = Pick<Store, 'log' | 'history' | 'blobs'>

async function* docsOf(source: Source, row: ItemRow, late: string | null, from: number) {
  const { seq } = row
  let part = 0
  for await (const { offset, text } of indexed(textPieces(source.blobs, sectionsOf(row.item, late)), from)) {
    const doc: SearchDoc = { ...entryOf(row), seq, part, offset, text: cleanText(text) }
    part += 1
    yield doc
  }
}

const lengthOf = async (source: Source, item: Item): Promise<number> => {
  let length = 0
  for await (const piece of textPieces(source.blobs, sectionsOf(item))) length += piece.length
  return length
}

/** An item that completed, with the output of a command that had ended before; or the output that came later. */
async function* docsOfEvent(source: Source, event: ThreadEvent): AsyncGenerator<SearchDoc> {
  const { threadId, seq, windowId, actorId, at } = event
  if (event.type === 'item.completed') {
    const { item } = event.body
    if (!isIndexed(item)) return
    const row: ItemRow = { threadId, seq, windowId, actorId, at, done: true, item }
    const isOpen = item.type === 'tool_call' && lateOutput(item, '') !== null
    const exit = isOpen ? await source.history.exit(threadId, item.id) : null
    const late = exit && exit.seq < seq && item.type === 'tool_call' ? exit.body.outputBlob : undefined
    yield* docsOf(source, row, late ?? null, 0)
  }
  if (event.type === 'command.exited' && event.body.outputBlob !== undefined) {
    const call = await source.history.item(threadId, event.body.itemId)
    if (!call?.done || call.seq > seq || call.item.type !== 'tool_call') return
    const late = lateOutput(call.item, event.body.outputBlob)
    if (late === null) return
    const row = { ...call, seq, windowId, at }
    yield* docsOf(source, row, late, await lengthOf(source, call.item))
  }
}

/** Documents after a seq, event by event, in order; `upTo` is the last event looked at. */
export type Batch = { upTo: number; docs: SearchDoc[] }

/** Characters of documents after which a batch ends. */
const batchChars = 4_000_000

/** The documents behind a mark, in batches of at most `events` events. */
export async function* batchesAfter(
  source: Source,
  threadId: string,
  mark: number,
  events = 500,
): AsyncGenerator<Batch> {
  for (let at = mark; ; ) {
    const page = await source.log.after(threadId, at, events)
    let docs: SearchDoc[] = []
    let chars = 0
    for (const event of page) {
      for await (const doc of docsOfEvent(source, event)) {
        docs.push(doc)
        chars += doc.text.length
      }
      at = event.seq
      if (chars < batchChars) continue
      yield { upTo: at, docs }
      docs = []
      chars = 0
    }
    if (page.length > 0) yield { upTo: at, docs }
    if (page.length < events) return
  }
}
