/** One model request as the policy sees it: its bytes, read into pieces in reading order. Nothing else is known here. */

export type Piece =
  | { kind: 'developer' | 'user' | 'assistant'; text: string }
  | { kind: 'call'; callId: string; name: string; input: Record<string, unknown> }
  | { kind: 'result'; callId: string; text: string }

export type VisibleRequest = { tools: Set<string>; pieces: Piece[] }

type Fields = Record<string, unknown>
const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const words = (value: unknown): string => (typeof value === 'string' ? value : '')

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : list(content)
        .map((part) => words(fields(part).text))
        .join('\n')

const inputOf = (text: string): Fields => {
  try {
    return fields(JSON.parse(text))
  } catch {
    return {}
  }
}

const pieceOf = (each: unknown): Piece[] => {
  const item = fields(each)
  const { role } = item
  switch (item.type ?? 'message') {
    case 'message': {
      const kind = role === 'user' || role === 'assistant' ? role : 'developer'
      return [{ kind, text: textOf(item.content) }]
    }
    case 'function_call':
      return [
        {
          kind: 'call',
          callId: words(item.call_id),
          name: words(item.name),
          input: inputOf(words(item.arguments)),
        },
      ]
    case 'function_call_output':
      return [{ kind: 'result', callId: words(item.call_id), text: textOf(item.output) }]
    default:
      return []
  }
}

/** `body`: a request of the wire OpenAI Responses. */
export const readRequest = (body: string): VisibleRequest => {
  const request = fields(JSON.parse(body))
  return {
    tools: new Set(list(request.tools).map((tool) => words(fields(tool).name))),
    pieces: list(request.input).flatMap(pieceOf),
  }
}
