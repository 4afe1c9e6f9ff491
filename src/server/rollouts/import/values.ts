/** Reading of values that somebody else wrote: whatever they are, nothing here throws. */

export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const asObject = (value: unknown): Json => (isObject(value) ? value : {})
export const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A count of something: a whole number from 0; anything else is 0. */
export const asCount = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0
    ? Math.min(Math.round(value), Number.MAX_SAFE_INTEGER)
    : 0

/** Times that a thread can have: the year 1970 to 9999. */
const lastMs = 253_402_300_799_000

/** Milliseconds of a time that is text, seconds or milliseconds; null when it is none. */
export const asTime = (value: unknown): number | null => {
  const ms =
    typeof value === 'string'
      ? // A time without its zone is taken for UTC, on whatever machine it is read.
        Date.parse(/^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(value) ? `${value.replace(' ', 'T')}Z` : value)
      : typeof value === 'number'
        ? value < 100_000_000_000
          ? value * 1_000
          : value
        : Number.NaN
  return Number.isFinite(ms) && ms > 0 && ms < lastMs ? Math.round(ms) : null
}

/** What a record gives as its time though there is no such time, in words; null when it gives none, or one. */
export const oddTime = (value: unknown): string | null => {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  if (value === '' || asTime(value) !== null) return null
  return `no such time: ${JSON.stringify(typeof value === 'string' ? value.slice(0, 60) : value)}; the one before it is taken`
}

/** JSON as text; what cannot be written as such (a nesting without end) is said. */
export const jsonText = (value: unknown): string => {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return '[cannot be written as JSON]'
  }
}

/** Levels that a value of a file may have; what lies deeper is replaced, because whoever walks it would overflow. */
export const maxDepth = 200

/** True when the value is nested deeper than `maxDepth`; what lies deeper is cut out of it. Walks without recursion. */
export const cutDeep = (root: unknown): boolean => {
  let isCut = false
  const stack: { value: unknown; depth: number }[] = [{ value: root, depth: 1 }]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { value, depth } = next
    if (typeof value !== 'object' || value === null) continue
    const holder = value as Record<string, unknown>
    for (const key of Object.keys(holder)) {
      const inner = holder[key]
      if (typeof inner !== 'object' || inner === null) continue
      if (depth >= maxDepth) {
        holder[key] = '[nested too deep]'
        isCut = true
      } else stack.push({ value: inner, depth: depth + 1 })
    }
  }
  return isCut
}

/** JSON in a text; null when it is none. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
