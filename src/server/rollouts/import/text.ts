/** Texts of a file as events can hold them: short ones whole, long ones as a blob with their beginning. */
import { type ContentPart, type LongText, previewChars } from '../../../protocol/item.ts'

/** Bytes of JSON that a text may have within an event: a call has two, its arguments and its output. */
const previewBytes = 2_400

export type KeepBlob = (bytes: Uint8Array) => string

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text))

/** The beginning of a text in at most `limit` bytes of JSON, without half of a surrogate pair at its end. */
export const headOf = (text: string, limit = previewBytes): string => {
  let head = text.slice(0, previewChars)
  for (let bytes = jsonBytes(head); bytes > limit && head.length > 0; bytes = jsonBytes(head))
    head = head.slice(0, Math.max(0, Math.floor((head.length * limit) / bytes) - 1))
  return /[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head
}

export const longText = (text: string, keep: KeepBlob, limit = previewBytes): LongText => {
  const head = headOf(text, limit)
  if (head.length === text.length) return { text }
  return { text: head, blob: keep(Buffer.from(text.toWellFormed())), chars: text.length }
}

/** The same of bytes that need not be text. */
export const longBytes = (bytes: Uint8Array, keep: KeepBlob): LongText => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const head = headOf(text)
  return head.length === text.length ? { text } : { text: head, blob: keep(bytes), chars: text.length }
}

const pictures = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const
type Picture = (typeof pictures)[number]

const isPicture = (type: string): type is Picture => (pictures as readonly string[]).includes(type)

/** A picture or file in base64 as a part of a message. */
export const mediaPart = (
  data: string,
  mediaType: string,
  keep: KeepBlob,
  name?: string,
): Exclude<ContentPart, { type: 'text' }> => {
  const bytes = Buffer.from(data, 'base64')
  const blob = keep(bytes)
  return isPicture(mediaType)
    ? { type: 'image', blob, mediaType, bytes: bytes.length, ...(name ? { name: name.slice(0, 255) } : {}) }
    : {
        type: 'file',
        blob,
        name: (name ?? 'file').slice(0, 255),
        mediaType: mediaType.slice(0, 200) || 'application/octet-stream',
        bytes: bytes.length,
      }
}

/** A `data:` address; null when it is another one. */
export const dataUrl = (url: string): { mediaType: string; data: string } | null => {
  const comma = url.slice(0, 200).indexOf(',')
  const head = /^data:([a-z0-9.+/-]+)(?:;[^,;]*)*;base64$/i.exec(url.slice(0, Math.max(0, comma)))
  return head?.[1] === undefined ? null : { mediaType: head[1].toLowerCase(), data: url.slice(comma + 1) }
}

/** Parts that one message may have beside its text; what is more is told in words. */
const maxMedia = 20
/** Bytes of JSON that the texts of one message may have together. */
const contentBytes = 4_000

export type Said = { text: string } | { data: string; mediaType: string; name?: string } | { url: string }

/** What a message says, small enough for an event: texts that follow each other are one. */
export const contentOf = (said: readonly Said[], keep: KeepBlob): ContentPart[] => {
  const texts: string[] = []
  const media: ContentPart[] = []
  for (const part of said) {
    if ('text' in part) texts.push(part.text)
    else if ('url' in part) {
      const inline = dataUrl(part.url)
      if (inline === null) texts.push(`[picture: ${part.url.slice(0, 2_000)}]`)
      else if (media.length < maxMedia) media.push(mediaPart(inline.data, inline.mediaType, keep))
      else texts.push('[one more picture]')
    } else if (media.length < maxMedia) media.push(mediaPart(part.data, part.mediaType, keep, part.name))
    else texts.push('[one more picture]')
  }
  const text = texts.join('\n')
  if (text === '' && media.length > 0) return media
  return [{ type: 'text', ...longText(text, keep, contentBytes) }, ...media]
}

/** One line of a text, for titles. */
export const titleOf = (text: string, limit = 80): string => {
  const line = text.slice(0, 2_000).replace(/\s+/g, ' ').trim().toWellFormed()
  return line.length <= limit ? line : `${line.slice(0, limit - 1).trimEnd()}…`
}
