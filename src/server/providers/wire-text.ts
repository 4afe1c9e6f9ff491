// The words of a whole stored block for people, whatever its wire: every text that stands in its JSON, in order, pictures
// as facts. What is a call or a tool is shown as the JSON that it is. Knows field names, no vendor.
import { sha256 } from '../../lib/sha256.ts'
import { decodeWireBlock, jsonOf } from './wire-block.ts'

/** A picture in a block; its bytes are those of the blob `hash` when the message came with one. */
export type WireImage = { mediaType: string; bytes: number; hash: string }
export type WireText = { content: 'text' | 'json'; text: string; images: WireImage[] }

/** Fields that hold words for the model, in whatever shape a vendor nests them. */
const said = new Set([
  'text',
  'content',
  'output',
  'thinking',
  'summary',
  'parts',
  'result',
  'response',
  'functionResponse',
])
/** Nesting beyond which JSON is shown as it is. */
const deepest = 40

type Collected = { words: string[]; images: WireImage[] }

/** `stored` is the storage form. A block of a form that is not known is shown as its bytes read as UTF-8. */
export function wireText(stored: Uint8Array): WireText {
  let json: string
  let slot: string
  try {
    const block = decodeWireBlock(stored)
    json = Buffer.from(jsonOf(block)).toString('utf8')
    slot = block.slot
  } catch {
    return { content: 'text', text: Buffer.from(stored).toString('utf8'), images: [] }
  }
  const values = parsed(json)
  if (values === null) return { content: 'json', text: json, images: [] }
  if (slot !== 'tool' && slot !== 'call') {
    const found: Collected = { words: [], images: [] }
    for (const value of values) collect(value, found, 0, true)
    if (found.words.length > 0 || found.images.length > 0)
      return { content: 'text', text: found.words.join('\n\n'), images: found.images }
  }
  return { content: 'json', text: values.map(indented).join('\n'), images: [] }
}

/** A stored fragment is one value, several with commas between, or one member of an object. */
function parsed(json: string): unknown[] | null {
  for (const whole of [`[${json}]`, `[{${json}}]`])
    try {
      return JSON.parse(whole) as unknown[]
    } catch {
      // The other shape is tried, or none fits.
    }
  return null
}

/** Arguments are JSON inside of JSON: read by people, they are unfolded. */
function indented(value: unknown): string {
  const unfold = (key: string, inner: unknown): unknown => {
    if (key !== 'arguments' || typeof inner !== 'string') return inner
    try {
      return JSON.parse(inner) as unknown
    } catch {
      return inner
    }
  }
  return JSON.stringify(value, unfold, 2)
}

function collect(value: unknown, found: Collected, depth: number, speaks: boolean): void {
  if (depth > deepest) return
  if (typeof value === 'string') {
    if (speaks && value !== '') found.words.push(value)
    return
  }
  if (Array.isArray(value)) {
    for (const each of value) collect(each, found, depth + 1, speaks)
    return
  }
  if (value === null || typeof value !== 'object') return
  const image = imageOf(value as Record<string, unknown>)
  if (image !== null) {
    found.images.push(image)
    found.words.push(`[${image.mediaType}, ${image.bytes.toLocaleString('en')} bytes]`)
    return
  }
  for (const [key, inner] of Object.entries(value)) if (said.has(key)) collect(inner, found, depth + 1, true)
}

function imageOf(value: Record<string, unknown>): WireImage | null {
  const url = value.image_url
  const address = typeof url === 'string' ? url : (url as { url?: unknown } | undefined)?.url
  if (typeof address === 'string') {
    const match = /^data:([^;,]{1,100});base64,/.exec(address)
    return match === null ? null : picture(match[1] ?? '', address.slice(match[0].length))
  }
  const source = (value.source ?? value.inlineData) as Record<string, unknown> | undefined
  const mediaType = source?.media_type ?? source?.mimeType
  return typeof mediaType === 'string' && typeof source?.data === 'string'
    ? picture(mediaType, source.data)
    : null
}

function picture(mediaType: string, base64: string): WireImage {
  const bytes = Buffer.from(base64, 'base64')
  return { mediaType, bytes: bytes.length, hash: sha256(bytes) }
}
