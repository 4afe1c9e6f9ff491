/**
 * Characters that cannot be seen, or that change how others stand, made visible: controls, directions, joiners, tags,
 * halves of pairs, floods of combining marks. Words of every script and whole emoji stay as they are.
 */

/** A stretch of text as it is, or a mark in place of what was there. */
export type Piece = { text: string; mark: boolean }

const scriptsWithJoiners = [
  ...['Arabic', 'Syriac', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil'],
  ...['Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar'],
]
  .map((script) => `\\p{Script=${script}}`)
  .join('')
const pictures = '\\p{Extended_Pictographic}\\ufe0f\\u{1f3fb}-\\u{1f3ff}'
/** A joiner where one joins: within a picture, or between letters of scripts that know it. */
const joined = [
  `(?<=[${pictures}])\\u200d(?=\\p{Extended_Pictographic})`,
  `(?<=[${scriptsWithJoiners}\\p{M}])[\\u200c\\u200d](?=[${scriptsWithJoiners}])`,
].join('|')

/** Tab, line feed and the carriage return before one are what they look like. */
const control = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f'
const withoutWidth = [
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f',
  '\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}',
].join('')
const unseen = `(?:[${control}${withoutWidth}\\p{Cs}]|\\r(?!\\n))`
/** Marks on one letter that are still read; real words have up to four. */
const marksRead = 4
const flood = `(?<=\\p{M}{${marksRead}})\\p{M}+`

const pattern = new RegExp(`(${joined})|(?:${unseen})+|${flood}`, 'gu')
const suspicious = new RegExp(`[${control}${withoutWidth}\\p{Cs}\\r]|\\p{M}{${marksRead + 1}}`, 'u')

/** Of a longer run only the first is named, and how many follow it. */
const namedInRow = 8

const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

const marksOf = (run: string): string[] => {
  const characters = [...run]
  if (characters.length <= namedInRow) return characters.map(nameOf)
  return [`${nameOf(characters[0] ?? '')} +${characters.length - 1}`]
}

/** The text in pieces; one piece for nearly every text. */
export function visiblePieces(text: string): Piece[] {
  if (!suspicious.test(text)) return [{ text, mark: false }]
  const pieces: Piece[] = []
  let plain = ''
  let at = 0
  const flush = (): void => {
    if (plain !== '') pieces.push({ text: plain, mark: false })
    plain = ''
  }
  for (const match of text.matchAll(pattern)) {
    const [run, isJoiner] = match
    plain += text.slice(at, match.index)
    at = match.index + run.length
    if (isJoiner !== undefined) plain += run
    else {
      flush()
      for (const mark of marksOf(run)) pieces.push({ text: mark, mark: true })
    }
  }
  plain += text.slice(at)
  flush()
  return pieces
}

/** The text with its marks in brackets, for places that hold nothing but text: `a⟨U+202E⟩b`. */
export function visible(text: string): string {
  if (!suspicious.test(text)) return text
  return visiblePieces(text)
    .map((piece) => (piece.mark ? `⟨${piece.text}⟩` : piece.text))
    .join('')
}

/** Whether a text has letters that are written from right to left, and so must be kept to itself. */
export const hasRightToLeft = (text: string): boolean =>
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(text)
