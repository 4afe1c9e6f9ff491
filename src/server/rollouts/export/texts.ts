/**
 * Long texts as they go out: those that lie in a blob are read from it, up to a limit. Knows no file format.
 */
import type { LongText } from '../../../protocol/item.ts'
import type { Cut } from './cut.ts'

export type OutText = {
  text: string
  /** UTF-8 bytes of the whole when `text` is only its beginning; null = it is all of it. */
  cutFrom: number | null
}

/** At most `limit` bytes of what the reader yields, never half a character, and whether there was more. */
const upTo = async (chunks: AsyncIterable<Uint8Array>, limit: number): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ''
  let taken = 0
  for await (const chunk of chunks) {
    const part = chunk.subarray(0, limit - taken)
    taken += part.byteLength
    text += decoder.decode(part, { stream: true })
    if (taken >= limit) return text
  }
  return text + decoder.decode()
}

/** A blob as text; null when it is not in the export. */
export const blobText = async (cut: Cut, hash: string, limit: number): Promise<OutText | null> => {
  const blob = cut.open(hash)
  if (blob === null) return null
  const text = await upTo(blob.read(), limit)
  return { text, cutFrom: blob.bytes > limit ? blob.bytes : null }
}

/** The whole text, or its first `limit` bytes; the preview in the log when the blob is not to be had. */
export const longText = async (cut: Cut, long: LongText, limit: number): Promise<OutText> => {
  if (long.blob !== undefined) {
    const found = await blobText(cut, long.blob, limit)
    return found ?? { text: long.text, cutFrom: long.chars ?? null }
  }
  if (long.text.length <= limit) return { text: long.text, cutFrom: null }
  return { text: long.text.slice(0, limit).toWellFormed(), cutFrom: Buffer.byteLength(long.text) }
}

/** All of a blob's bytes; null when it is not in the export or larger than `limit`. */
export const blobBytes = async (cut: Cut, hash: string, limit: number): Promise<Buffer | null> => {
  const blob = cut.open(hash)
  if (blob === null || blob.bytes > limit) return null
  const pieces: Uint8Array[] = []
  for await (const piece of blob.read()) pieces.push(piece)
  return Buffer.concat(pieces)
}
