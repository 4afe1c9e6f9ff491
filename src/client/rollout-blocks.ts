/**
 * Words in a block as it was sent, on any wire: what a person would read of it. A guess from the shapes that wires have;
 * the block itself is always there to be seen.
 */
import { type Json, readJson } from './rollout-text.ts'

type Record_ = { [key: string]: Json }
const isRecord = (value: Json | undefined): value is Record_ =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Fields that carry words, in the order in which they are looked for. */
const fields = ['text', 'content', 'output', 'parts', 'summary', 'thinking', 'input_text', 'output_text', 'refusal', 'response', 'result', 'instructions']

function* textsOf(value: Json | undefined, depth = 0): Generator<string> {
  if (depth > 8 || value === undefined || value === null) return
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const entry of value) yield* textsOf(entry, depth + 1)
  else if (isRecord(value)) for (const field of fields) yield* textsOf(value[field], depth + 1)
}

/** The arguments of a call, wherever the wire puts them. */
function argumentsOf(value: Json, depth = 0): string | null {
  if (depth > 6) return null
  if (Array.isArray(value)) {
    for (const entry of value) {
      const found = argumentsOf(entry, depth + 1)
      if (found !== null) return found
    }
    return null
  }
  if (!isRecord(value)) return null
  if (typeof value.arguments === 'string') return value.arguments
  if (value.type === 'tool_use' && value.input !== undefined) return JSON.stringify(value.input)
  if (isRecord(value.args)) return JSON.stringify(value.args)
  for (const field of ['function', 'functionCall', 'tool_calls', 'content', 'parts'])
    if (value[field] !== undefined) {
      const found = argumentsOf(value[field], depth + 1)
      if (found !== null) return found
    }
  return null
}

/** Null when a block has no words, only structure. */
export function wordsOfBlock(text: string): { text: string; look: 'prose' | 'text' | 'json' } | null {
  const read = readJson(text)
  if (!('value' in read)) return read.why === 'no_json' ? { text, look: 'text' } : null
  const { value } = read
  const given = argumentsOf(value)
  if (given !== null) return { text: given, look: 'json' }
  const words = [...textsOf(value)].filter((piece) => piece.trim() !== '').join('\n\n')
  if (words === '') return null
  const role = isRecord(value) ? value.role : undefined
  return { text: words, look: role === 'assistant' || role === 'model' ? 'prose' : 'text' }
}
