/**
 * Blocks of any wire as items of the Responses format, which is what Codex keeps. Reasoning that only another vendor can
 * read is left out: nobody could replay it. Knows no file.
 */
import type { WireKind } from '../../providers/types.ts'

export type ResponseItem = Record<string, unknown> & { type: string }
type Json = Record<string, unknown>

const asObject = (value: unknown): Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {}
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

type Part = { type: 'input_text'; text: string } | { type: 'input_image'; image_url: string }

const text = (words: string): Part => ({ type: 'input_text', text: words })

/** A part of a message on any of the wires; null for what is none. */
const partOf = (value: unknown): Part | null => {
  if (typeof value === 'string') return text(value)
  const part = asObject(value)
  const source = asObject(part.source)
  const inline = asObject(part.inlineData)
  if (part.type === 'image_url')
    return { type: 'input_image', image_url: asText(asObject(part.image_url).url) }
  if (part.type === 'image')
    return {
      type: 'input_image',
      image_url: `data:${asText(source.media_type)};base64,${asText(source.data)}`,
    }
  if (typeof inline.data === 'string')
    return { type: 'input_image', image_url: `data:${asText(inline.mimeType)};base64,${inline.data}` }
  return typeof part.text === 'string' ? text(part.text) : null
}

const partsOf = (values: unknown[]): Part[] =>
  values.flatMap((value) => {
    const part = partOf(value)
    return part === null ? [] : [part]
  })

const message = (role: 'user' | 'developer', content: Part[]): ResponseItem[] =>
  content.length === 0 ? [] : [{ type: 'message', role, content }]

const said = (words: string): ResponseItem[] =>
  words === ''
    ? []
    : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: words }] }]

const call = (callId: string, name: string, args: string): ResponseItem[] => [
  { type: 'function_call', name, arguments: args, call_id: callId },
]

const result = (callId: string, parts: Part[]): ResponseItem[] => {
  const [first] = parts
  const output = parts.length === 1 && first?.type === 'input_text' ? first.text : parts
  return [{ type: 'function_call_output', call_id: callId, output: parts.length === 0 ? '' : output }]
}

/** Our own requests put the words of the model as a plain text there. */
const ofResponses = (values: unknown[]): ResponseItem[] =>
  values.map((value) => {
    // The format lets a message go without its type; Codex does not.
    const item: ResponseItem = { type: 'message', ...asObject(value) }
    return item.type === 'message' && typeof item.content === 'string'
      ? { ...item, content: [{ type: 'output_text', text: item.content }] }
      : item
  })

/** A call as the wire has it; some programs record its name and its arguments in the open instead. */
const chatCall = (item: Json): ResponseItem[] => {
  const made = typeof item.function === 'string' ? { ...item, name: item.function } : asObject(item.function)
  const { name, arguments: args = {} } = made as Json
  return call(asText(item.id), asText(name), typeof args === 'string' ? args : JSON.stringify(args))
}

const ofChat = (kind: string, values: unknown[]): ResponseItem[] => {
  const [value] = values
  const item = asObject(value)
  if (kind === 'assistant') {
    if (typeof value === 'string') return said(value)
    // A whole message of a recorded request, its calls in it.
    const words = partsOf(asList(item.content).length > 0 ? asList(item.content) : [item.content])
    return [
      ...said(words.map((part) => ('text' in part ? part.text : '')).join('\n')),
      ...asList(item.tool_calls).flatMap((each) => chatCall(asObject(each))),
    ]
  }
  if (kind === 'tool_call') return chatCall(item)
  const parts = partsOf(Array.isArray(item.content) ? item.content : [item.content])
  if (kind === 'tool_result') return result(asText(item.tool_call_id), parts)
  return message(kind === 'user' ? 'user' : 'developer', parts)
}

const ofMessages = (kind: string, values: unknown[]): ResponseItem[] => {
  const item = asObject(values[0])
  if (kind === 'assistant') return said(asText(item.text))
  if (kind === 'tool_call') return call(asText(item.id), asText(item.name), JSON.stringify(item.input ?? {}))
  if (kind === 'tool_result') return result(asText(item.tool_use_id), partsOf(asList(item.content)))
  return message(kind === 'user' ? 'user' : 'developer', partsOf(values))
}

const ofGoogle = (kind: string, values: unknown[]): ResponseItem[] => {
  const item = asObject(values[0])
  if (kind === 'assistant')
    return said(
      values
        .map(asObject)
        .filter(({ thought }) => thought !== true)
        .map((part) => asText(part.text))
        .join(''),
    )
  if (kind === 'tool_call') {
    const made = asObject(item.functionCall)
    return call(asText(made.id), asText(made.name), JSON.stringify(made.args ?? {}))
  }
  if (kind === 'tool_result') {
    const answer = asObject(item.functionResponse)
    const { output, error } = asObject(answer.response)
    return result(asText(answer.id), [text(asText(output ?? error)), ...partsOf(values.slice(1))])
  }
  return message(kind === 'user' ? 'user' : 'developer', partsOf(values))
}

const isInput = (kind: string): boolean => kind !== 'tool' && kind !== 'instructions'

/** `kind` is the block's; `stored` its storage form. Empty for tools, instructions and what cannot be carried over. */
export const responseItems = (wire: WireKind, kind: string, stored: Uint8Array): ResponseItem[] => {
  if (!isInput(kind)) return []
  const values = fragments(stored)
  if (wire === 'openai-responses') return ofResponses(values)
  if (kind === 'reasoning' || kind === 'other') return []
  if (wire === 'openai-chat') return ofChat(kind, values)
  return wire === 'anthropic-messages' ? ofMessages(kind, values) : ofGoogle(kind, values)
}

const fragments = (stored: Uint8Array): unknown[] => {
  const whole = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
  try {
    return asList(JSON.parse(`[${whole.toString('utf8', whole.indexOf(0x0a) + 1)}]`))
  } catch {
    return []
  }
}

/** The words of an instructions block, on any wire. */
export const instructionsText = (stored: Uint8Array): string => {
  const [value] = fragments(stored)
  if (typeof value === 'string') return value
  const { text: words, content } = asObject(value)
  return asText(words ?? content)
}
