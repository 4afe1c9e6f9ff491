/**
 * Cuts secrets out of stored bytes, whatever they are: JSON stays JSON, a block of a request stays one, long texts go
 * through in pieces. Knows no table.
 */
import { type Found, findPlain, merged } from './find.ts'
import { type Redactor, replaceFound } from './redactor.ts'

/** What a blob is, as far as cutting goes. `opaque` cannot be looked into: archives, packs, anything compressed. */
export type BytesKind = 'text' | 'image' | 'opaque'

/** Up to this size bytes are read whole, and JSON is taken apart; larger ones are a stream of characters. */
const wholeBytes = 8_388_608
/** What is held back of each piece, so that nothing is cut in two: as long as the longest private key. */
const overlap = 131_072

const startsWith = (bytes: Uint8Array, ...magic: number[]): boolean =>
  magic.every((byte, at) => bytes[at] === byte)

/** By the beginning of the bytes. */
export const kindOf = (head: Uint8Array): BytesKind => {
  if (
    startsWith(head, 0x89, 0x50, 0x4e, 0x47) ||
    startsWith(head, 0xff, 0xd8, 0xff) ||
    startsWith(head, 0x47, 0x49, 0x46, 0x38) ||
    (startsWith(head, 0x52, 0x49, 0x46, 0x46) && head[8] === 0x57 && head[9] === 0x45)
  )
    return 'image'
  const looked = head.subarray(0, 8_192)
  let odd = 0
  for (const byte of looked) {
    if (byte === 0) return 'opaque'
    if (
      byte < 0x20 &&
      byte !== 9 &&
      byte !== 10 &&
      byte !== 13 &&
      byte !== 8 &&
      byte !== 12 &&
      byte !== 27 &&
      byte !== 7
    )
      odd += 1
  }
  return odd * 20 > looked.length ? 'opaque' : 'text'
}

const utf8 = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

const wireHead = /^(?:tool|instructions|item|assistant|reasoning|call|result) \S*(?: -)?\n/

const cutJson = (text: string, redactor: Redactor): string | null => {
  try {
    const value: unknown = JSON.parse(text)
    const cut = redactor.json(value)
    return cut === value ? text : JSON.stringify(cut)
  } catch {
    return null
  }
}

/** The stored form of a block, or any text that is at hand as a whole. */
export const cutWhole = (text: string, redactor: Redactor): string => {
  const head = wireHead.exec(text.slice(0, 300))?.[0] ?? ''
  const body = text.slice(head.length)
  const first = body.charCodeAt(0)
  if (head !== '') {
    // Some wires store several values with commas between them, or one member of an object.
    for (const [open, close] of ['[]', '{}'] as const) {
      const cut = cutJson(`${open}${body}${close}`, redactor)
      if (cut !== null) return head + cut.slice(1, -1)
    }
  }
  if (first === 0x7b || first === 0x5b || first === 0x22) {
    const cut = cutJson(body, redactor)
    if (cut !== null) return head + cut
  }
  if (/^(?:data|event|id|:)|\n(?:data:|\{)/.test(body)) return head + redactor.lines(body)
  return head + redactor.text(body)
}

/** What the stored form of a block says, as a JSON value; the text itself when it is none. */
export const blockValue = (text: string): unknown => {
  const head = wireHead.exec(text.slice(0, 300))?.[0] ?? ''
  const body = text.slice(head.length)
  for (const json of [`[${body}]`, `{${body}}`]) {
    try {
      return JSON.parse(json) as unknown
    } catch {
      // The other form, or none.
    }
  }
  return text
}

/** Chunks in, chunks out; what was not touched comes out byte for byte. */
export async function* cutBytes(
  chunks: AsyncIterable<Uint8Array>,
  size: number,
  redactor: Redactor,
): AsyncGenerator<Uint8Array> {
  if (size <= wholeBytes) {
    const held: Uint8Array[] = []
    for await (const chunk of chunks) held.push(chunk)
    const bytes = Buffer.concat(held)
    const text = utf8(bytes)
    if (text === null) yield Buffer.from(redactor.text(bytes.toString('latin1')), 'latin1')
    else {
      const cut = cutWhole(text, redactor)
      yield cut === text ? bytes : Buffer.from(cut)
    }
    return
  }
  // As single bytes: whatever the encoding, what is looked for is ASCII and the rest stays what it is.
  let held = ''
  for await (const chunk of chunks) {
    held += Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')
    if (held.length <= overlap * 2) continue
    const found = redactor.find(held)
    const until = border(held, found)
    const done = found.filter(({ end }) => end <= until)
    yield Buffer.from(replaceFound(held.slice(0, until), done), 'latin1')
    held = held.slice(until)
  }
  yield Buffer.from(replaceFound(held, redactor.find(held)), 'latin1')
}

/** Where a text may be cut: before what is held back, after a line if there is one, and within no match. */
const border = (text: string, found: readonly Found[]): number => {
  const most = text.length - overlap
  const line = text.lastIndexOf('\n', most) + 1
  const at = line > most - overlap / 2 ? line : most
  const over = found.find(({ start, end }) => start < at && end > at)
  return over ? over.start : at
}

/** Whether a picture's bytes hold a secret as text, in a comment or what follows the picture. */
export const imageHolds = (bytes: Uint8Array): boolean =>
  merged(findPlain(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'))).length >
  0
