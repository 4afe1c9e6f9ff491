// The words of a stored block for people, whatever its wire: the first text that stands in its JSON. Knows no vendor.

/** Bytes of a block that are enough for a preview. */
export const previewBytes = 4_096
const previewChars = 200
const said = /"(?:text|content|arguments|output|input_text|thinking|description)":\s*"((?:[^"\\]|\\.)*)/g

/** What only a call has, in one wire or another; within a text the signs would be escaped. */
const called = /"type":\s*"(?:function_call|custom_tool_call|tool_use)"|"(?:tool_calls|functionCall)":/

/** At most 200 characters of what the block says. `head` is the beginning of its storage form. */
export function wirePreview(head: Uint8Array): string {
  const text = Buffer.from(head).toString('utf8')
  const json = text.slice(text.indexOf('\n') + 1)
  // A tool and a call are known by their names; what they say begins alike for many.
  const isNamed = text.startsWith('tool ') || called.test(json)
  const name = isNamed ? (/"name":\s*"((?:[^"\\]|\\.)*)"/.exec(json)?.[1] ?? '') : ''
  const words = [name === '' ? '' : `${unescaped(name)} ·`, ...wordsOf(json)].filter(Boolean)
  const input = isNamed ? /"(?:input|args)":\s*(\{.*)/s.exec(json)?.[1] : undefined
  if (words.length === 1 && isNamed && input !== undefined) words.push(input)
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
