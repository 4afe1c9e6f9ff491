// Arguments of a call that Google sends in pieces, each under a path such as `$.list[2].name`.
import { type Json, list, record } from './fields.ts'

/** Steps of one path, and entries of one list, beyond which a piece is left out. */
const MAX_STEPS = 64
const MAX_INDEX = 100_000

/** A string that was begun is continued by the next piece of its path. Pieces that make no sense are left out. */
export function joinArguments(begun: Json, pieces: readonly Json[]): Json {
  if (pieces.length === 0) return begun
  const args = structuredClone(begun)
  for (const piece of pieces) grow(args, piece)
  return args
}

function grow(args: Json, piece: Json): void {
  const steps = typeof piece.jsonPath === 'string' ? stepsOf(piece.jsonPath) : []
  const last = steps.at(-1)
  if (last === undefined || steps.length > MAX_STEPS) return
  let at: Json | unknown[] = args
  for (const [index, key] of steps.slice(0, -1).entries()) {
    const fresh = typeof steps[index + 1] === 'number' ? [] : {}
    const inner: unknown = read(at, key) ?? fresh
    if (typeof inner !== 'object' || inner === null || !write(at, key, inner)) return
    at = Array.isArray(inner) ? list(inner) : (record(inner) ?? {})
  }
  const value = pieceValue(piece)
  const known = read(at, last)
  if (value !== undefined)
    write(at, last, typeof known === 'string' && typeof value === 'string' ? known + value : value)
}

function stepsOf(path: string): (string | number)[] {
  const found = path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\[["']([^"']*)["']\]/g)
  return [...found].map(([, name, index, quoted]) =>
    index === undefined ? (name ?? quoted ?? '') : Number(index),
  )
}

function read(at: Json | unknown[], key: string | number): unknown {
  if (Array.isArray(at)) return typeof key === 'number' ? at[key] : undefined
  return Object.hasOwn(at, key) ? at[key] : undefined
}

function write(at: Json | unknown[], key: string | number, value: unknown): boolean {
  if (Array.isArray(at)) {
    if (typeof key !== 'number' || key > MAX_INDEX) return false
    at[key] = value
  } else if (key === '__proto__') return false
  else at[key] = value
  return true
}

function pieceValue(piece: Json): unknown {
  if ('stringValue' in piece) return piece.stringValue
  if ('numberValue' in piece) return piece.numberValue
  if ('boolValue' in piece) return piece.boolValue
  return 'nullValue' in piece ? null : undefined
}
