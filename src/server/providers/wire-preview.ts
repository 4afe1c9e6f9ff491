// The words of a stored block for people, whatever its wire: the first text that stands in its JSON. Knows no vendor.

/** Bytes of a block that are enough for a preview. */
export const previewBytes = 4_096
const previewChars = 200
const said = /"(?:text|content|arguments|output|input_text|thinking|description)":\s*"((?:[^"\\]|\\.)*)/g

/** At most 200 characters of what the block says. `head` is the beginning of its storage form. */
export function wirePreview(head: Uint8Array): string {
  const text = Buffer.from(head).toString('utf8')
  const json = text.slice(text.indexOf('\n') + 1)
  // A tool is known by its name; what it says of itself begins alike for many.
  const name = text.startsWith('tool ') ? (/"name":\s*"((?:[^"\\]|\\.)*)"/.exec(json)?.[1] ?? '') : ''
  const words = [name === '' ? '' : `${unescaped(name)} ·`, ...wordsOf(json)].filter(Boolean)
  // Some wires have nothing but the words.
  const bare = json.startsWith('"') ? unescaped(json.replace(/^"|"\s*$/g, '')) : json
  return (words.length === 0 ? bare : words.join(' '))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, previewChars)
    .toWellFormed()
}

const wordsOf = (json: string): string[] =>
  [...json.matchAll(said)].map(([, escaped = '']) => unescaped(escaped))

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    // The preview may end in the middle of an escape.
    return text.replace(/\\u?[0-9a-f]{0,3}$/i, '')
  }
}
