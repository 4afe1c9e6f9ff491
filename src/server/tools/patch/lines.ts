/**
 * Lines and white space of the patch engine: which characters count as blank, how a file is cut into lines that
 * remember their ends, and how forgiving a comparison is at each of the four matching levels.
 */

/** Unicode White_Space; unlike String.trim it knows NEL and leaves the byte order mark alone. */
const blank = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+'
const blankAtEnd = new RegExp(`${blank}$`)
const blankAtStart = new RegExp(`^${blank}`)

export const trimEnd = (text: string): string => {
  // The pattern scans every run of blanks; most lines end in something else.
  const last = text.charCodeAt(text.length - 1)
  return last > 32 && last < 128 ? text : text.replace(blankAtEnd, '')
}

export const trim = (text: string): string => trimEnd(text.replace(blankAtStart, ''))

/** Lines of a patch text: cut at LF, one CR before it belongs to the line end; a final line end makes no empty line. */
export const patchLines = (text: string): string[] => {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** A line of a file with the line end it had; the end is empty for a last line without one. */
export type FileLine = { text: string; end: string }

export const fileLines = (text: string): FileLine[] => {
  const lines: FileLine[] = []
  const ends = /\r\n|\n|\r/g
  let from = 0
  for (const match of text.matchAll(ends)) {
    lines.push({ text: text.slice(from, match.index), end: match[0] })
    from = match.index + match[0].length
  }
  if (from < text.length) lines.push({ text: text.slice(from), end: '' })
  return lines
}

/** Typographic dashes, quotes and spaces as the keyboard writes them. */
const plainPunctuation = (text: string): string =>
  text
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, ' ')

/** From strict to forgiving; the first level at which a place is found decides. */
export const matchLevels: ((line: string) => string)[] = [
  (line) => line,
  trimEnd,
  trim,
  (line) => plainPunctuation(trim(line)),
]
