/**
 * Cuts secrets out of texts and JSON values: `[redacted:<kind>]` stands in their place, and JSON stays JSON. What was
 * seen whole once is cut where only a part of it stands, too. Knows no rollout and no file.
 */

import { isSecretField, secretField } from './assigned.ts'
import { type Found, findPlain, merged } from './find.ts'
import { createKnown, type Known } from './known.ts'
import { findPersonal } from './personal.ts'
import { findEverywhere } from './views.ts'

export type RedactionLevel = 'secrets' | 'personal'

/** Told of every match, with the text that it stands in and all that was found in that text. */
export type OnFound = (found: Found, text: string, all: readonly Found[]) => void

export type Redactor = {
  /** The text without what was found; the very same string when nothing was. */
  text(text: string): string
  /**
   * Whether anything in these JSON values would be cut. Much faster for many small values than to cut each; nothing is
   * told or remembered. May say yes where `json` finds nothing, never the other way round.
   */
  holds(values: readonly unknown[]): boolean
  /** Every string and name in a JSON value; the very same value when nothing was found. */
  json<T>(value: T): T
  /** What `text` would cut, in order and apart. */
  find(text: string): Found[]
  /** Lines of which some are JSON, such as a recorded stream: secrets whose pieces lie in several lines, too. */
  lines(text: string): string
  known: Known
}

export const replacement = (kind: string): string => `[redacted:${kind}]`

/** The text with its matches replaced; they must be in order and apart. */
export const replaceFound = (text: string, found: readonly Found[]): string => {
  const pieces: string[] = []
  let last = 0
  for (const { start, end, kind } of found) {
    pieces.push(text.slice(last, start), replacement(kind))
    last = end
  }
  pieces.push(text.slice(last))
  return pieces.join('')
}

const idOrHash = /^(?:[a-z]{2,4}_[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{64}|[0-9a-f]{40})$/

/** Names of our own records: words, and no secrets. */
const plainNames = new Set(
  `arguments startedAt endedAt exitCode outputBlob commandId durationMs costMicros cachedInput cacheWrite reasoning
   blockCount newBlocks bodySha256 estimatedTokens firstTokenMs stopReason toolCalls contextTokens contextLimit`.split(
    /\s+/,
  ),
)

/** Fields of a stream's records whose values go on from one record to the next. */
const growing = new Set([
  ...['delta', 'text', 'content', 'arguments', 'partial_json', 'thinking', 'reasoning', 'reasoning_content'],
  ...['reasoning_text', 'refusal', 'output', 'summary', 'input'],
])

type Leaf = { line: number; path: (string | number)[]; text: string }

/**
 * `known` is what an earlier look found; this one adds to it. Reading a rollout twice with the same `known` cuts in the
 * second pass what the first saw only later. With `knownOnly` formats are not looked for, which is much faster.
 */
export const createRedactor = (
  level: RedactionLevel,
  known: Known = createKnown(),
  { onFound, knownOnly = false }: { onFound?: OnFound; knownOnly?: boolean } = {},
): Redactor => {
  const plain =
    level === 'personal' ? (text: string) => [...findPlain(text), ...findPersonal(text)] : findPlain

  const find = (text: string): Found[] => {
    if (text.length < 8) return []
    const found = knownOnly ? [] : findEverywhere(text, plain)
    const all = merged(known.size() > 0 ? [...found, ...known.find(text)] : found)
    for (const one of all) onFound?.(one, text, all)
    for (const { start, end, kind } of found) known.add(text.slice(start, end), kind)
    return all
  }

  const cutText = (text: string): string => {
    const found = find(text)
    return found.length === 0 ? text : replaceFound(text, found)
  }

  const cutField = (field: string, text: string): string => {
    if (idOrHash.test(text)) return text
    const cut = cutText(text)
    if (cut !== text || knownOnly || !isSecretField(field, text)) return cut
    const found = { start: 0, end: text.length, kind: 'assigned-secret' }
    onFound?.(found, text, [found])
    return replacement(found.kind)
  }

  const walk = (value: unknown, field: string): unknown => {
    if (typeof value === 'string') return cutField(field, value)
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) {
      const cut = value.map((part) => walk(part, field))
      return cut.some((part, at) => part !== value[at]) ? cut : value
    }
    const entries = Object.entries(value)
    const cut = entries.map(([name, inner]) => [cutText(name), walk(inner, name)] as const)
    if (cut.every(([name, inner], at) => name === entries[at]?.[0] && inner === entries[at]?.[1]))
      return value
    const names = new Set<string>()
    return Object.fromEntries(
      cut.map(([name, inner]) => {
        let own = name
        for (let n = 2; names.has(own); n += 1) own = `${name}#${n}`
        names.add(own)
        return [own, inner]
      }),
    )
  }

  const holds = (values: readonly unknown[]): boolean => {
    const texts: string[] = []
    let isMarked = false
    const collect = (value: unknown, field: string): void => {
      if (typeof value === 'string') {
        if (value.length < 6 || idOrHash.test(value)) return
        texts.push(value)
        if (!knownOnly && secretField(field) && isSecretField(field, value)) isMarked = true
      } else if (Array.isArray(value)) for (const part of value) collect(part, field)
      else if (value !== null && typeof value === 'object')
        for (const name in value) {
          if (name.length >= 8 && !plainNames.has(name)) texts.push(name)
          collect((value as Record<string, unknown>)[name], name)
        }
    }
    for (const value of values) collect(value, '')
    if (isMarked) return true
    const all = texts.join('\n\n')
    if (!knownOnly && findEverywhere(all, plain).length > 0) return true
    return known.size() > 0 && texts.some((text) => known.find(text).length > 0)
  }

  const lines = (text: string): string => {
    const all = text.split('\n')
    const heads: string[] = []
    const values = all.map((line, at) => {
      const head = /^(?:data:\s?)?(?=[{[])/.exec(line)?.[0]
      if (head === undefined) return undefined
      heads[at] = head
      try {
        return JSON.parse(line.slice(head.length)) as unknown
      } catch {
        return undefined
      }
    })
    const joined = new Map<string, Leaf[]>()
    values.forEach((value, line) => {
      if (value === null || typeof value !== 'object') return
      const of = value as Record<string, unknown>
      const apart = [of.type, of.item_id, of.output_index, of.content_index, of.index].join('|')
      for (const leaf of leaves(value, line, [])) {
        const key = `${apart}|${leaf.path.join('.')}`
        joined.set(key, [...(joined.get(key) ?? []), leaf])
      }
    })
    const touched = new Set<number>()
    for (const pieces of joined.values()) if (pieces.length > 1) cutJoined(pieces, values, touched)
    return all
      .map((line, at) => {
        const value = values[at]
        if (value === undefined) return cutText(line)
        const cut = walk(value, '')
        return cut === value && !touched.has(at) ? line : `${heads[at] ?? ''}${JSON.stringify(cut)}`
      })
      .join('\n')
  }

  const cutJoined = (pieces: Leaf[], values: unknown[], touched: Set<number>): void => {
    const whole = pieces.map(({ text }) => text).join('')
    const found = find(whole)
    if (found.length === 0) return
    let from = 0
    for (const { line, path, text } of pieces) {
      const to = from + text.length
      const inside = found.filter(({ start, end }) => start < to && end > from)
      if (inside.length > 0) {
        const parts: string[] = []
        let last = 0
        for (const { start, end, kind } of inside) {
          parts.push(text.slice(last, Math.max(0, start - from)), start >= from ? replacement(kind) : '')
          last = Math.min(text.length, end - from)
        }
        setAt(values[line], path, parts.join('') + text.slice(last))
        touched.add(line)
      }
      from = to
    }
  }

  return { text: cutText, find, holds, json: <T>(value: T): T => walk(value, '') as T, lines, known }
}

function* leaves(value: unknown, line: number, path: (string | number)[]): Generator<Leaf> {
  if (typeof value === 'string') {
    const field = path.findLast((part) => typeof part === 'string')
    if (value !== '' && typeof field === 'string' && growing.has(field)) yield { line, path, text: value }
  } else if (value !== null && typeof value === 'object' && path.length < 12) {
    for (const [name, inner] of Array.isArray(value) ? value.entries() : Object.entries(value))
      yield* leaves(inner, line, [...path, name])
  }
}

const setAt = (value: unknown, path: (string | number)[], text: string): void => {
  let at = value as Record<string | number, unknown>
  for (const part of path.slice(0, -1)) at = at[part] as Record<string | number, unknown>
  const last = path.at(-1)
  if (last !== undefined) at[last] = text
}
