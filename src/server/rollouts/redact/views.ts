/**
 * Other readings of a text, in which a secret may stand in the open: escapes of strings and addresses undone, base64
 * decoded. What is found there is told as a range of the text itself.
 */
import type { Found } from './find.ts'

/** A changed text and, for its places, those of the text it was made from. */
type View = { text: string; back(at: number): number }

/** Puts one character for each match; places in between move along. */
const replaced = (text: string, pattern: RegExp, one: (match: string) => string): View => {
  const from: number[] = []
  const to: number[] = []
  const pieces: string[] = []
  let last = 0
  let length = 0
  for (const match of text.matchAll(pattern)) {
    pieces.push(text.slice(last, match.index))
    length += match.index - last
    const put = one(match[0])
    pieces.push(put)
    length += put.length
    last = match.index + match[0].length
    from.push(length)
    to.push(last)
  }
  pieces.push(text.slice(last))
  return {
    text: pieces.join(''),
    back: (at) => {
      let low = 0
      let high = from.length
      while (low < high) {
        const middle = (low + high) >> 1
        if ((from[middle] ?? 0) <= at) low = middle + 1
        else high = middle
      }
      return low === 0 ? at : (to[low - 1] ?? 0) + at - (from[low - 1] ?? 0)
    },
  }
}

const escapes = /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)/gs
const plainOf: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }
const fromEscape = (match: string): string => {
  const kind = match.charAt(1)
  if ((kind === 'u' || kind === 'x') && match.length > 2)
    return String.fromCharCode(Number.parseInt(match.slice(2), 16))
  return plainOf[kind] ?? kind
}

const percents = /(?:%[0-9a-fA-F]{2})/g
const fromPercent = (match: string): string => String.fromCharCode(Number.parseInt(match.slice(1), 16))

const inView = (view: View, found: Found[]): Found[] =>
  found.map(({ start, end, kind }) => {
    // The end is that of the last character, so that what follows it stays.
    const from = view.back(start)
    return { start: from, end: Math.max(from + 1, view.back(end)), kind }
  })

/** 1 = a character of base64, plain or for addresses; 2 = its padding. */
const inBase64 = new Uint8Array(128)
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_')
  inBase64[char.charCodeAt(0)] = 1
const leastRun = 24
/** Longer runs are pictures and archives: they are read from their beginning alone. */
const shiftedRun = 4_096
const slice = 98_304
/** A secret in the open is at least this many printable characters in a row; noise hardly ever is. */
const leastOpen = 12
const room = Buffer.alloc(slice)

const isOpen = (bytes: Uint8Array, length: number): boolean => {
  let open = 0
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at] ?? 0
    open = byte >= 0x20 && byte < 0x7f ? open + 1 : 0
    if (open >= leastOpen) return true
  }
  return false
}

/** What is found in the run when it is decoded from its first, second, third or fourth character on. */
const findInRun = (run: string, find: (text: string) => Found[]): Found[] => {
  const found: Found[] = []
  const shifts = run.length <= shiftedRun ? 4 : 1
  for (let shift = 0; shift < shifts; shift += 1) {
    for (let at = shift; at < run.length; at += slice - 1_024) {
      const length = room.write(run.slice(at, at + slice), 'base64')
      if (isOpen(room, length))
        for (const { start, end, kind } of find(room.toString('latin1', 0, length)))
          found.push({
            start: at + Math.floor(start / 3) * 4,
            end: Math.min(run.length, at + Math.ceil(end / 3) * 4),
            kind,
          })
      if (run.length - at <= slice) break
    }
    if (found.length > 0) break
  }
  return found
}

const lineBreak = /\r?\n/g

/** Lines of base64 that were broken at a width go on in the next line; they are read as one run. */
const findBase64 = (text: string, find: (text: string) => Found[]): Found[] => {
  const found: Found[] = []
  const look = (from: number, to: number, isWrapped: boolean): void => {
    if (to - from < leastRun) return
    const run = text.slice(from, to)
    const view = isWrapped ? replaced(run, lineBreak, () => '') : null
    const hits = view ? inView(view, findInRun(view.text, find)) : findInRun(run, find)
    for (const hit of hits) found.push({ ...hit, start: hit.start + from, end: hit.end + from })
  }
  let from = -1
  let lineFrom = -1
  let isWrapped = false
  for (let at = 0; at <= text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < 128 && inBase64[code] === 1) {
      if (from < 0) {
        from = at
        lineFrom = at
      }
    } else if (from >= 0) {
      const width = at - lineFrom
      const next = code === 13 && text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1
      const goesOn = (code === 10 || code === 13) && width >= 60 && width <= 76
      if (goesOn && inBase64[text.charCodeAt(next) & 127] === 1) {
        lineFrom = next
        isWrapped = true
        at = next - 1
      } else {
        look(from, at, isWrapped)
        from = -1
        isWrapped = false
      }
    }
  }
  return found
}

/** All that `find` finds in the text and in its other readings: two levels of escapes, one of `%xx`, one of base64. */
export const findEverywhere = (text: string, find: (text: string) => Found[]): Found[] => {
  const found = [...find(text), ...findBase64(text, find)]
  if (text.includes('%')) {
    const view = replaced(text, percents, fromPercent)
    if (view.text.length < text.length) found.push(...inView(view, find(view.text)))
  }
  if (!text.includes('\\')) return found
  const view = replaced(text, escapes, fromEscape)
  found.push(...inView(view, [...find(view.text), ...findBase64(view.text, find)]))
  if (view.text.includes('\\')) {
    const second = replaced(view.text, escapes, fromEscape)
    found.push(...inView(view, inView(second, find(second.text))))
  }
  return found
}
