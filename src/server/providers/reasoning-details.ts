// OpenRouter's `reasoning_details`: pieces of one entry arrive over many chunks and are replayed as whole entries.
import { type Json, text } from './fields.ts'

const GROWING = ['text', 'summary', 'data'] as const

/** Pieces with the type and index of the last entry extend it; anything else begins a new one. */
export function mergeReasoningDetails(entries: readonly Json[], pieces: readonly Json[]): Json[] {
  const merged = [...entries]
  for (const piece of pieces) {
    const last = merged.at(-1)
    if (last === undefined || last.type !== piece.type || last.index !== piece.index) {
      merged.push(piece)
      continue
    }
    const grown: Json = { ...last }
    for (const [key, value] of Object.entries(piece))
      if (value !== null && value !== undefined) grown[key] = value
    for (const key of GROWING)
      if (typeof last[key] === 'string' || typeof piece[key] === 'string')
        grown[key] = text(last[key]) + text(piece[key])
    merged[merged.length - 1] = grown
  }
  return merged
}
