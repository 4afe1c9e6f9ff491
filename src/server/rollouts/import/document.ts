/**
 * A JSON document of any size, cut into values without holding more than one: containers that the format descends into
 * are walked byte by byte, everything else is collected until it is whole. Values may also follow each other without a
 * container around them. Knows no format.
 */ import { keptOfLarge } from './types.ts'

export type Path = readonly (string | number)[]

export type Part =
  | { type: 'enter' | 'leave'; path: Path }
  | { type: 'value'; path: Path; line: number; bytes: Uint8Array }
  /** Too large: `bytes` is its beginning. */
  | { type: 'large'; path: Path; line: number; bytes: Uint8Array; size: number }
  /** The rest cannot be understood. */
  | { type: 'broken'; line: number; what: string }

export type DocumentOptions = {
  descend(path: Path, kind: 'array' | 'object'): boolean
  maxBytes: number
}

type Level = { kind: 'array' | 'object'; key: string | number; wants: 'key' | 'colon' | 'value' | 'comma' }

const maxLevels = 64

const code = (text: string): number => text.charCodeAt(0)
const quote = code('"')
const backslash = code('\\')
const comma = code(',')
const colon = code(':')
const lineEnd = code('\n')
const [space, tab, carriageReturn] = [code(' '), code('\t'), code('\r')]
const [endOfArray, endOfObject] = [code(']'), code('}')]
const open = { [code('[')]: 'array', [code('{')]: 'object' } as const

const isClose = (byte: number): boolean => byte === endOfArray || byte === endOfObject
const isSpace = (byte: number): boolean =>
  byte === space || byte === lineEnd || byte === carriageReturn || byte === tab
const endsScalar = (byte: number): boolean => isSpace(byte) || byte === comma || isClose(byte)

/** A machine: bytes in, parts out, in order. */
export const createDocument = ({ descend, maxBytes }: DocumentOptions) => {
  const levels: Level[] = []
  let line = 1
  let isBroken = false
  // The value or key that is being collected.
  let mode: 'none' | 'key' | 'value' = 'none'
  let kept: Buffer[] = []
  let size = 0
  let startLine = 1
  let depth = 0
  let inText = false
  let escaped = false
  let isScalar = false

  const path = (): Path => levels.map(({ key }) => key)

  const begin = (as: 'key' | 'value'): void => {
    mode = as
    kept = []
    size = 0
    startLine = line
    depth = 0
    inText = false
    escaped = false
    isScalar = false
  }

  const keep = (bytes: Buffer): void => {
    if (bytes.length === 0) return
    const wasSmall = size <= maxBytes
    size += bytes.length
    if (size <= maxBytes) kept.push(Buffer.from(bytes))
    else if (wasSmall) kept = [Buffer.concat([...kept, bytes]).subarray(0, keptOfLarge)]
  }

  const done = (parts: Part[]): void => {
    const bytes = Buffer.concat(kept)
    const level = levels.at(-1)
    if (mode === 'key') {
      let key = ''
      try {
        key = String(JSON.parse(bytes.toString('utf8')))
      } catch {
        key = ''
      }
      if (level) {
        level.key = key.slice(0, 1_000)
        level.wants = 'colon'
      }
    } else {
      parts.push(
        size > maxBytes
          ? { type: 'large', path: path(), line: startLine, bytes, size }
          : { type: 'value', path: path(), line: startLine, bytes },
      )
      if (level) level.wants = 'comma'
    }
    mode = 'none'
    kept = []
  }

  const broken = (parts: Part[], what: string): void => {
    isBroken = true
    parts.push({ type: 'broken', line, what })
  }

  const push = (chunk: Uint8Array): Part[] => {
    const parts: Part[] = []
    if (isBroken) return parts
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let from = 0
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0
      if (byte === lineEnd) line += 1
      if (mode !== 'none') {
        if (inText) {
          if (escaped) escaped = false
          else if (byte === backslash) escaped = true
          else if (byte === quote) {
            inText = false
            if (depth === 0) {
              keep(bytes.subarray(from, at + 1))
              done(parts)
            }
          }
        } else if (isScalar) {
          if (endsScalar(byte)) {
            keep(bytes.subarray(from, at))
            done(parts)
            // This byte is not part of it: looked at again below.
            if (byte === lineEnd) line -= 1
            at -= 1
          }
        } else if (byte === quote) inText = true
        else if (open[byte] !== undefined) depth += 1
        else if (isClose(byte)) {
          depth -= 1
          if (depth === 0) {
            keep(bytes.subarray(from, at + 1))
            done(parts)
          }
        }
        continue
      }
      if (isSpace(byte)) continue
      const level = levels.at(-1)
      if (isClose(byte)) {
        if (level === undefined || (byte === endOfArray) !== (level.kind === 'array')) {
          broken(parts, 'a bracket closes what was not opened')
          return parts
        }
        levels.pop()
        parts.push({ type: 'leave', path: path() })
        const outer = levels.at(-1)
        if (outer) outer.wants = 'comma'
        continue
      }
      if (byte === comma) {
        if (level) {
          if (level.kind === 'array') {
            if (level.wants === 'comma' && typeof level.key === 'number') level.key += 1
            level.wants = 'value'
          } else level.wants = 'key'
        }
        continue
      }
      if (level?.kind === 'object' && level.wants === 'key') {
        if (byte !== quote) {
          broken(parts, 'a name was expected')
          return parts
        }
        begin('key')
        inText = true
        from = at
        continue
      }
      if (byte === colon) {
        if (level?.wants === 'colon') level.wants = 'value'
        continue
      }
      if (level !== undefined && level.wants !== 'value') {
        broken(parts, 'a comma was expected')
        return parts
      }
      const kind = open[byte]
      if (kind !== undefined && levels.length < maxLevels && descend(path(), kind)) {
        parts.push({ type: 'enter', path: path() })
        levels.push({ kind, key: kind === 'array' ? 0 : '', wants: kind === 'array' ? 'value' : 'key' })
        continue
      }
      begin('value')
      from = at
      if (byte === quote) inText = true
      else if (kind !== undefined) depth = 1
      else isScalar = true
    }
    if (mode !== 'none') keep(bytes.subarray(from))
    return parts
  }

  return {
    push: (chunk: Uint8Array): Part[] => push(chunk),
    /** Bytes that are held. */
    held: (): number => (size > maxBytes ? keptOfLarge : size),
    end: (): Part[] => {
      const parts: Part[] = []
      if (isBroken) return parts
      if (mode === 'value' && isScalar && levels.length === 0) done(parts)
      else if (mode !== 'none') {
        const bytes = Buffer.concat(kept)
        parts.push({ type: 'large', path: path(), line: startLine, bytes, size })
        parts.push({ type: 'broken', line, what: 'the file ends in the middle of a value' })
      } else if (levels.length > 0)
        parts.push({ type: 'broken', line, what: 'the file ends before its document does' })
      while (levels.pop() !== undefined) parts.push({ type: 'leave', path: path() })
      return parts
    },
  }
}
