/** The prompt items of a request in reading order: tools, system, input; each as it was sent, but for cache marks. */

type Json = Record<string, unknown>

const withoutMarks = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutMarks)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => key !== 'cache_control')
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutMarks(inner)]))
}

export const promptItems = (body: string): string[] => {
  const request = JSON.parse(body) as Json
  const list = (value: unknown): unknown[] =>
    Array.isArray(value) ? value : value === undefined ? [] : [value]
  return [
    ...list(request.tools),
    ...list(request.instructions),
    ...list(request.system),
    ...list(request.systemInstruction),
    ...list(request.input),
    ...list(request.messages),
    ...list(request.contents),
  ].map((item) => JSON.stringify(withoutMarks(item)))
}
