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

type Source = Pick<Store, 'log' | 'history' | 'blobs'>

async function* docsOf(source: Source, row: ItemRow, late: string | null, from: number) {
  const { seq } = row
  let part = 0
  for await (const { offset, text } of cutUp(
    textPieces(source.blobs.of(row.threadId), sectionsOf(row.item, late)),
  )) {
    if (offset + text.length <= from) continue
    const doc: SearchDoc = { ...entryOf(row), seq, part, offset, text: cleanText(text) }
    part += 1
    yield doc
  }
}

const lengthOf = async (source: Source, threadId: string, item: Item): Promise<number> => {
  let length = 0
  for await (const piece of textPieces(source.blobs.of(threadId), sectionsOf(item))) length += piece.length
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
    yield* docsOf(source, row, late, await lengthOf(source, threadId, call.item))
  }
}

/**
 * Documents after a seq, event by event, in order. Everything of events up to `upTo` is in this batch or one before; the
 * last documents may be the first ones of the next event. `events` = how many were begun in it.
 */
export type Batch = { upTo: number; docs: SearchDoc[]; events: number }

/** Characters of documents after which a batch ends, in the middle of an event too. */
const batchChars = 4_000_000

/** The documents behind a mark, in batches of at most `size` events. */
export async function* batchesAfter(
  source: Source,
  threadId: string,
  mark: number,
  size = 500,
): AsyncGenerator<Batch> {
  for (let upTo = mark; ; ) {
    const page = await source.log.after(threadId, upTo, size)
    let docs: SearchDoc[] = []
    let events = 0
    let chars = 0
    for (const event of page) {
      events += 1
      for await (const doc of docsOfEvent(source, event)) {
        docs.push(doc)
        chars += doc.text.length
        if (chars < batchChars) continue
        yield { upTo, docs, events }
        docs = []
        events = 0
        chars = 0
      }
      upTo = event.seq
    }
    if (page.length > 0) yield { upTo, docs, events }
    if (page.length < size) return
  }
}
