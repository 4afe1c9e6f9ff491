/**
 * What a list of results shows of a text: where the query stands in it, and the words around that, as data. Knows
 * neither tables nor threads.
 */
import type { SearchMode, TextRange } from '../../protocol/history.ts'

const charsBefore = 120
const charsShown = 360
/** Places marked in one snippet; more would mark nearly all of it. */
const maxRanges = 40

export type Asked = { mode: SearchMode; text: string }

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
const word = String.raw`[\p{L}\p{N}_]`

/** Words and phrases that a text must have: without what is excluded by a minus and the joining "or". */
const termsOf = (query: string): string[] => {
  const terms = [...query.matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/gu)]
    .filter(([, minus, , bare]) => minus === '' && bare?.toLowerCase() !== 'or')
    .map(([, , phrase, bare]) => (phrase ?? bare ?? '').trim())
  return [...new Set(terms)].filter((term) => term !== '')
}

/** A term as it is written; whole words, with anything between them that is no word. */
const patternOf = (term: string): string[] => {
  const words = term.match(/[\p{L}\p{N}_]+/gu) ?? []
  if (words.length === 0) return [escaped(term)]
  const spelled = words.map(escaped).join(String.raw`[^\p{L}\p{N}_]+`)
  return [`(?<!${word})${spelled}(?!${word})`]
}

/** Places of the query in a text, in order, without overlap; of words the phrases and words that are found. */
export const placesIn = (text: string, { mode, text: query }: Asked, max = maxRanges): TextRange[] => {
  const ranges: TextRange[] = []
  if (mode === 'literal') {
    for (
      let at = text.indexOf(query);
      at >= 0 && ranges.length < max;
      at = text.indexOf(query, at + query.length)
    )
      ranges.push({ from: at, to: at + query.length })
    return ranges
  }
  const terms = termsOf(query).sort((a, b) => b.length - a.length)
  const find = (patterns: string[]): void => {
    if (patterns.length === 0) return
    for (const found of text.matchAll(new RegExp(patterns.join('|'), 'giu'))) {
      if (found[0] !== '') ranges.push({ from: found.index, to: found.index + found[0].length })
      if (ranges.length >= max) return
    }
  }
  find(terms.flatMap(patternOf))
  // The database knows more kinds of words (an address, a path) than letters and digits.
  if (ranges.length === 0)
    find([...new Set(terms.flatMap((term) => term.match(/[\p{L}\p{N}]+/gu) ?? []))].map(escaped))
  return ranges
}

export type Snippet = {
  snippet: string
  matches: TextRange[]
  /** Where the first match begins in the text; 0 when only the database sees one. */
  place: number
}

/** The words around the first match on one line, with the places of all matches in it. */
export const snippetOf = (text: string, asked: Asked): Snippet => {
  const place = placesIn(text, asked, 1)[0]?.from ?? 0
  const from = Math.max(0, place - charsBefore)
  const until = Math.min(text.length, from + charsShown)
  const shown = text.slice(from, until).toWellFormed()
  let snippet = from > 0 ? '…' : ''
  const begun = snippet.length
  /** Where each unit of `shown` stands in the snippet. */
  const at: number[] = []
  for (const unit of shown.split('')) {
    at.push(snippet.length)
    if (!/\s/.test(unit)) snippet += unit
    else if (snippet.length > begun && !snippet.endsWith(' ')) snippet += ' '
  }
  const end = snippet.trimEnd().length
  at.push(end)
  const matches = placesIn(shown, asked).flatMap((range) => {
    const placed = { from: Math.min(at[range.from] ?? end, end), to: Math.min(at[range.to] ?? end, end) }
    return placed.to > placed.from ? [placed] : []
  })
  return { snippet: snippet.slice(0, end) + (until < text.length ? '…' : ''), matches, place }
}
