/**
 * The one way in which long text is cut for a model, for all tools: its head and its tail stay, the middle goes, and
 * what is missing is named. Knows no tool.
 */

/** Estimate: UTF-8 bytes of one token. */
export const bytesPerToken = 4

/** Tokens of output that a call gives the model unless it asked for less. */
export const defaultOutputTokens = 10_000

/** Bytes of a whole text that are kept for people. */
export const maxFullBytes = 50_000_000

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

const isInside = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** A cut moves to a line end when one is near enough: within this share of the part. */
const lineShare = 0.25

const headOf = (bytes: Uint8Array, size: number): Uint8Array => {
  let end = Math.min(size, bytes.length)
  if (end === bytes.length) return bytes
  while (end > 0 && isInside(bytes[end])) end--
  if (end === 0) return bytes.subarray(0, 0)
  const line = bytes.lastIndexOf(10, end - 1) + 1
  return bytes.subarray(0, line > end * (1 - lineShare) ? line : end)
}

const tailOf = (bytes: Uint8Array, size: number): Uint8Array => {
  let start = Math.max(bytes.length - size, 0)
  if (start === 0) return bytes
  while (start < bytes.length && isInside(bytes[start])) start++
  const line = bytes.indexOf(10, start - 1) + 1
  return bytes.subarray(line > 0 && line - start < (bytes.length - start) * lineShare ? line : start)
}

export type Truncated = {
  text: string
  /** UTF-8 bytes of the whole and of what was removed; 0 when nothing was. */
  totalBytes: number
  removedBytes: number
}

const marker = (removed: number, lines: number | null): string => {
  const tokens = Math.ceil(removed / bytesPerToken)
  const inLines = lines === null ? '' : `, ${lines} line ends`
  return `[… ${removed} bytes removed here: about ${tokens} tokens${inLines} …]`
}

/**
 * Head and tail of a text within a budget.
 * @param maxTokens at least 1; the marker comes on top
 * @param missing when the text was already cut in two while it was collected: its tail, and the bytes between
 */
export const truncate = (
  text: string,
  maxTokens: number,
  missing?: { tail: string; bytes: number },
): Truncated => {
  const budget = Math.max(Math.floor(maxTokens), 1) * bytesPerToken
  const head = encoder.encode(text)
  const tail = missing ? encoder.encode(missing.tail) : head
  const gap = missing?.bytes ?? 0
  const totalBytes = head.length + gap + (missing ? tail.length : 0)
  if (gap === 0 && totalBytes <= budget)
    return { text: missing ? text + missing.tail : text, totalBytes, removedBytes: 0 }
  const first = headOf(head, Math.ceil(budget / 2))
  const last = tailOf(tail, Math.floor(budget / 2))
  const removedBytes = totalBytes - first.length - last.length
  let lines: number | null = null
  if (!missing) {
    lines = 0
    const until = head.length - last.length
    for (let at = head.indexOf(10, first.length); at >= 0 && at < until; at = head.indexOf(10, at + 1))
      lines++
  }
  const start = decoder.decode(first)
  const glue = start === '' || start.endsWith('\n') ? '' : '\n'
  return {
    text: `${start}${glue}${marker(removedBytes, lines)}\n${decoder.decode(last)}`,
    totalBytes,
    removedBytes,
  }
}
