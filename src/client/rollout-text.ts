/**
 * Texts of any size and shape, made fit to be shown: cut, counted, looked through, and kept from viewers that they would
 * choke. Pure.
 */

/** What is shown of a text unasked. */
export const firstLines = 200
export const firstChars = 65_536
/** A string inside of JSON longer than this is shown by its beginning. */
export const maxStringChars = 4_000
/** Beyond these a text is shown as it is written. */
export const maxMarkdownChars = 150_000
export const maxJsonChars = 4_000_000
export const maxNesting = 100

export type Cut = { text: string; lines: number; chars: number; more: boolean }

/** The beginning of a text, by lines and by characters; the counts are of the whole. */
export function cutText(text: string, maxLines = firstLines, maxChars = firstChars): Cut {
  let lines = 0
  let end = -1
  for (let at = 0; at <= text.length; at += 1) {
    const newline = text.indexOf('\n', at)
    lines += 1
    if (lines === maxLines) end = newline === -1 ? text.length : newline
    if (newline === -1) break
    at = newline
  }
  let until = Math.min(end === -1 ? text.length : end, maxChars)
  // No half of a pair at the end.
  const last = text.charCodeAt(until - 1)
  if (until < text.length && last >= 0xd800 && last < 0xdc00) until -= 1
  return { text: text.slice(0, until), lines, chars: text.length, more: until < text.length }
}

/** How deep brackets stand inside of each other, strings left out; counts no further than `limit`. */
export function nestingOfJson(text: string, limit = maxNesting + 1): number {
  let [depth, most] = [0, 0]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 34) {
      at += 1
      while (at < text.length && text.charCodeAt(at) !== 34) at += text.charCodeAt(at) === 92 ? 2 : 1
    } else if (code === 91 || code === 123) {
      depth += 1
      if (depth > most) most = depth
      if (most >= limit) return most
    } else if (code === 93 || code === 125) depth -= 1
  }
  return most
}

/** How deep quotes, lists, links and marks of emphasis may stand inside of each other, at most. */
export function nestingOfMarkdown(text: string): number {
  let most = 0
  for (const line of text.matchAll(/^[ \t>*+\-\d.)]{20,}/gm)) {
    const { length } = line[0].replace(/[^>*+\-.)]/g, '')
    most = Math.max(most, length, Math.floor((line[0].length - length) / 4))
  }
  for (const run of text.matchAll(/[[*_(~!]{20,}/g)) most = Math.max(most, run[0].length)
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 91) most = Math.max(most, (depth += 1))
    else if (code === 93 && depth > 0) depth -= 1
    else if (code === 10 && text.charCodeAt(at + 1) === 10) depth = 0
  }
  return most
}

export const isMarkdownFit = (text: string): boolean =>
  text.length <= maxMarkdownChars && nestingOfMarkdown(text) <= maxNesting

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A text as JSON when it is an object or a list of it and fits the gates; else why not. */
export function readJson(text: string): { value: Json } | { why: 'no_json' | 'too_large' | 'too_deep' } {
  const start = text.trimStart()[0]
  if (start !== '{' && start !== '[') return { why: 'no_json' }
  if (text.length > maxJsonChars) return { why: 'too_large' }
  if (nestingOfJson(text) > maxNesting) return { why: 'too_deep' }
  try {
    return { value: JSON.parse(text) as Json }
  } catch {
    return { why: 'no_json' }
  }
}

/** Lines of JSON or of server-sent events, as values; null when a line is neither. */
export function readJsonLines(text: string): Json[] | null {
  if (text.length > maxJsonChars) return null
  const values: Json[] = []
  for (const line of text.split('\n')) {
    const body = line.startsWith('data:') ? line.slice(5).trim() : line.trim()
    if (body === '' || body === '[DONE]' || /^(event|id|retry):|^:/.test(body)) continue
    const read = readJson(body)
    if (!('value' in read)) return null
    values.push(read.value)
  }
  return values.length === 0 ? null : values
}

/** Whether bytes are text: no zero and few characters that had to be replaced. */
export function isText(text: string): boolean {
  const head = text.slice(0, 4_000)
  if (head.includes('\u0000')) return false
  return (head.match(/\ufffd/g)?.length ?? 0) <= head.length / 20
}

/** SHA-256 in hex, by the browser itself; null where it has none to offer (a page without https). */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string | null> {
  // Typed as always there; outside of a secure context it is not.
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined
  if (subtle === undefined) return null
  const digest = new Uint8Array(await subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
