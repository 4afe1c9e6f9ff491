/**
 * The first reading of a rollout that is to be written out: what is in it that should not go out, and where. Looks at
 * every text that an export could tell. Knows no file format.
 */
import { createHash } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import type { ThreadEvent } from '../../../protocol/event.ts'
import {
  type ExportPlace,
  type ExportPreview,
  type ExportSample,
  exportContextChars,
  exportSamples,
} from '../../../protocol/export.ts'
import { type BytesKind, blockValue, cutBytes, cutWhole, imageHolds, kindOf } from '../redact/bytes.ts'
import type { Found } from '../redact/find.ts'
import { createKnown, type Known } from '../redact/known.ts'
import { createRedactor, type RedactionLevel, type Redactor, replaceFound } from '../redact/redactor.ts'
import type { BlockRead, RolloutSource } from './source.ts'

/** Different secrets of one kind that are told apart; more are counted as places alone. */
const mostDistinct = 5_000
const partsAmong = 200
/** Pictures above this size are not looked into and stay out of a redacted export. */
const largestImage = 33_554_432

export type Look = {
  level: RedactionLevel
  preview: ExportPreview
  known: Known
  /** Where something was found: seqs of events, hashes of blocks' wire bytes, of what blocks say, of blobs. */
  events: Set<number>
  wires: Set<string>
  blocks: Set<string>
  blobs: Set<string>
  /** Blobs that cannot be looked into. */
  opaque: Set<string>
}

type KindFound = { places: number; values: Set<string>; samples: ExportSample[] }

/** What stands around a match, with every other match in it replaced. */
const around = (
  text: string,
  found: Found,
  all: readonly Found[],
): Pick<ExportSample, 'before' | 'after'> => {
  const part = (from: number, to: number): string => {
    const inside = all.filter(({ start, end }) => start < to && end > from)
    const start = inside.reduce((at, one) => (one.start < from ? Math.max(at, one.end) : at), from)
    const end = inside.reduce((at, one) => (one.end > to ? Math.min(at, one.start) : at), to)
    const whole = inside.filter((one) => one.start >= start && one.end <= end)
    return replaceFound(
      text.slice(start, Math.max(start, end)),
      whole.map((one) => ({ ...one, start: one.start - start, end: one.end - start })),
    )
      .toWellFormed()
      .replace(/\s+/g, ' ')
  }
  return {
    before: part(Math.max(0, found.start - exportContextChars), found.start),
    after: part(found.end, Math.min(text.length, found.end + exportContextChars)),
  }
}

export const lookThrough = async (source: RolloutSource, level: RedactionLevel): Promise<Look> => {
  const { manifest } = source
  const kinds = new Map<string, KindFound>()
  const known = createKnown()
  let place: ExportPlace = { type: 'title', seq: null, itemId: null, label: null }
  let hits = 0
  const onFound = (found: Found, text: string, all: readonly Found[]): void => {
    hits += 1
    const kind = kinds.get(found.kind) ?? { places: 0, values: new Set<string>(), samples: [] }
    kinds.set(found.kind, kind)
    kind.places += 1
    const value = text.slice(found.start, found.end)
    if (kind.values.has(value) || kind.values.size >= mostDistinct) return
    // A part of one that was seen whole is no other one.
    if (kind.values.size <= partsAmong) {
      if ([...kind.values].some((other) => other.includes(value))) return
      for (const other of kind.values) if (value.includes(other)) kind.values.delete(other)
    }
    kind.values.add(value)
    if (kind.samples.length < exportSamples)
      kind.samples.push({ place, ...around(text, found, all), chars: value.length })
  }
  const redactor = createRedactor(level, known, { onFound })
  const found = (work: () => unknown): boolean => {
    const before = hits
    work()
    return hits > before
  }
  const look: Look = {
    level,
    preview: emptyPreview(manifest.threadId, manifest.head, level),
    known,
    events: new Set(),
    wires: new Set(),
    blocks: new Set(),
    blobs: new Set(),
    opaque: new Set(),
  }

  redactor.text(manifest.title)
  const placeOfBlob = new Map<string, ExportPlace>()
  for await (const page of source.events()) {
    for (const event of page)
      for (const hash of blobsOf(event))
        if (!placeOfBlob.has(hash)) placeOfBlob.set(hash, placeOfEvent(event))
    for (const event of holding(page, redactor, ({ body }) => body)) {
      place = placeOfEvent(event)
      if (found(() => redactor.json(event.body))) look.events.add(event.seq)
    }
    await breathe()
  }
  const clean = new Set<string>()
  for (const window of manifest.windows)
    for await (const page of source.blocks(window)) {
      const placeOf = ({ idx, itemId }: BlockRead): ExportPlace => {
        return { type: 'block', seq: null, itemId, label: `${window.index + 1}.${idx}` }
      }
      for (const block of page)
        if (block.wire === null && !placeOfBlob.has(block.wireHash))
          placeOfBlob.set(block.wireHash, placeOf(block))
      const unseen = page.filter(({ wire, wireHash }) => wire !== null && !clean.has(wireHash))
      for (const { wireHash } of unseen) clean.add(wireHash)
      const says = ({ wire }: BlockRead): unknown => blockValue(textOf(wire))
      for (const block of holding(unseen, redactor, says)) {
        place = placeOf(block)
        if (found(() => cutWhole(textOf(block.wire), redactor))) look.wires.add(block.wireHash)
      }
      for (const { wireHash, hash } of page) if (look.wires.has(wireHash)) look.blocks.add(hash)
      await breathe()
    }
  for (const note of manifest.notes) {
    place = { type: 'note', seq: null, itemId: null, label: note.path }
    redactor.text(note.path)
    if (!placeOfBlob.has(note.hash)) placeOfBlob.set(note.hash, place)
  }
  for (const { hash, bytes } of manifest.blobs) {
    place = placeOfBlob.get(hash) ?? { type: 'file', seq: null, itemId: null, label: hash.slice(0, 12) }
    const before = hits
    if ((await lookAtBlob(source, hash, bytes, redactor)) === 'opaque') look.opaque.add(hash)
    else if (hits > before) look.blobs.add(hash)
    await breathe()
  }
  return { ...look, preview: summed(look.preview, kinds, look.opaque.size) }
}

const emptyPreview = (threadId: string, head: number, level: RedactionLevel): ExportPreview => ({
  threadId,
  head,
  level,
  kinds: [],
  places: 0,
  distinct: 0,
  blobsLeftOut: 0,
  digest: '',
})

const summed = (preview: ExportPreview, kinds: Map<string, KindFound>, opaque: number): ExportPreview => {
  const list = [...kinds]
    .map(([kind, { places, values, samples }]) => ({ kind, places, distinct: values.size, samples }))
    .sort((a, b) => b.distinct - a.distinct || (a.kind < b.kind ? -1 : 1))
  const counts = list.map(({ kind, places, distinct }) => [kind, places, distinct])
  const digest = createHash('sha256')
    .update(JSON.stringify([preview.threadId, preview.head, counts]))
    .digest('hex')
  return {
    ...preview,
    kinds: list,
    places: list.reduce((sum, { places }) => sum + places, 0),
    distinct: list.reduce((sum, { distinct }) => sum + distinct, 0),
    blobsLeftOut: opaque,
    digest,
  }
}

const placeOfEvent = ({ seq, itemId }: ThreadEvent): ExportPlace => {
  return { type: 'event', seq, itemId: itemId ?? null, label: null }
}

const textOf = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? '').toString('utf8')

/** Those records in which anything is found: many at once are asked, then fewer, since nearly all hold nothing. */
function* holding<R>(records: R[], redactor: Redactor, says: (record: R) => unknown): Generator<R> {
  if (records.length === 0 || !redactor.holds(records.map(says))) return
  if (records.length === 1) yield records[0] as R
  else {
    const half = records.length >> 1
    yield* holding(records.slice(0, half), redactor, says)
    yield* holding(records.slice(half), redactor, says)
  }
}

/** Reads the blob once; what is found is told through the redactor. */
const lookAtBlob = async (
  source: RolloutSource,
  hash: string,
  size: number,
  redactor: Redactor,
): Promise<BytesKind> => {
  const chunks = source.blob(hash)[Symbol.asyncIterator]()
  const first = await chunks.next()
  const head = first.done ? new Uint8Array() : first.value
  const kind = kindOf(head)
  async function* all(): AsyncGenerator<Uint8Array> {
    yield head
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
  }
  if (kind === 'text') {
    for await (const _ of cutBytes(all(), size, redactor)) await breathe()
  } else if (kind === 'image' && size <= largestImage) {
    const pieces: Uint8Array[] = []
    for await (const piece of all()) pieces.push(piece)
    return imageHolds(Buffer.concat(pieces)) ? 'opaque' : 'image'
  } else return 'opaque'
  return kind
}

const hashText = /^[0-9a-f]{64}$/

/** Every hash that the event's body names. */
function* blobsOf(event: ThreadEvent): Generator<string> {
  const rest: unknown[] = [event.body]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value === 'string') {
      if (hashText.test(value)) yield value
    } else if (value !== null && typeof value === 'object') rest.push(...Object.values(value))
  }
}
