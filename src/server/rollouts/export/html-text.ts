/**
 * Text in a page: what has a meaning in HTML is escaped, what would change how a line reads or cannot be seen is shown.
 */

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
/** Unseen characters: controls but tab and line feed, marks of direction, of width zero, tags. */
const unseen =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu

const nameOf = (char: string): string =>
  `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
const named = (char: string): string => (char === '\r' ? '' : `<span class="ctl">${nameOf(char)}</span>`)

/** For the text of an element or a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => meaning[char] ?? char)

/** For the text of an element: as `escapeHtml`, with unseen characters named and terminal codes gone. */
export const shown = (text: string): string =>
  escapeHtml(text.toWellFormed().replace(terminal, '')).replace(unseen, named)

/** For a text that is escaped later: terminal codes gone, unseen characters named in words. */
export const seen = (text: string): string =>
  text
    .toWellFormed()
    .replace(terminal, '')
    .replace(unseen, (char) => (char === '\r' ? '' : `⟨${nameOf(char)}⟩`))

/** An address without unseen characters. */
export const seenAddress = (url: string): string => url.toWellFormed().replace(unseen, '')

/** For places that hold text alone, such as a title: unseen characters go. */
export const bare = (text: string): string =>
  escapeHtml(text.toWellFormed().replace(terminal, '').replace(unseen, ' ').replace(/\s+/g, ' ').trim())
