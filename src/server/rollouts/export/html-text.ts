/**
 * Text in a page: what has a meaning in HTML is escaped, what would change how a line reads or cannot be seen is shown.
 */
import { visible, visiblePieces } from '../../../lib/visible.ts'

const meaning: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Colours and moves of a terminal, titles and links that it would set. */
const terminal =
  /\u001b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)|[@-Z\\^_])/g

const withoutTerminal = (text: string): string =>
  text.includes('\u001b') ? text.replace(terminal, '') : text

/** For the text of an element or a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => meaning[char] ?? char)

/** For the text of an element: unseen characters are named, terminal codes gone. */
export const shown = (text: string): string =>
  visiblePieces(withoutTerminal(text))
    .map((piece) => (piece.mark ? `<span class="ctl">${piece.text}</span>` : escapeHtml(piece.text)))
    .join('')

/** For a text that is escaped later: unseen characters named in brackets, terminal codes gone. */
export const seen = (text: string): string => visible(withoutTerminal(text))

/** An address without unseen characters. */
export const seenAddress = (url: string): string =>
  visiblePieces(url)
    .map((piece) => (piece.mark ? '' : piece.text))
    .join('')

/** For places that hold one line of text alone, such as a title. */
export const bare = (text: string): string => escapeHtml(seen(text).replace(/\s+/g, ' ').trim())
