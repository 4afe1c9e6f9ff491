// Reads fields of JSON that came from a vendor: nothing is trusted to have its documented type.

export type Json = Record<string, unknown>

export function record(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** '' when absent: an absent delta adds nothing. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function word(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** More tokens than any request has; a larger count would fill the window of its thread, and spoil its sums, for good. */
const MOST_TOKENS = 1_000_000_000

/** 0 for what is no count. */
export function count(value: unknown): number {
  const whole = typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0
  return whole > MOST_TOKENS ? 0 : whole
}

/** Tool arguments as text, whatever form a server gave them in. */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

/** A half-told object is seen by its end: it may be asked about after each of its pieces. */
export function isCompleteJson(value: string): boolean {
  const last = value.at(-1)
  if (value[0] === '{' && last !== '}' && !/\s/.test(last ?? '')) return false
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}
