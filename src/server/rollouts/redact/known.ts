/**
 * Secrets that were seen whole, looked for again where only a part of them stands: at a cut, before an ellipsis, over
 * two pieces of an output. Knows no format.
 */
import type { Found } from './find.ts'

/** Characters of a beginning or an end that stand for the whole in the middle of a text, and at its border. */
const partChars = 18
const borderChars = 10
/** Shorter ones are looked for whole; below the second figure not at all, since they could be ordinary words. */
const wholeBelow = 24
const leastChars = 12
/** More different secrets than this are looked for by their formats alone. */
const mostKnown = 500

export type Known = {
  add(secret: string, kind: string): void
  /** What is there now, ready to be looked for; made anew after more was added. */
  find(text: string): Found[]
  size(): number
}

type Part = { secret: string; kind: string; side: 'whole' | 'head' | 'tail' }

const escaped = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

const grown = (text: string, at: number, { secret, kind, side }: Part): Found => {
  if (side === 'whole') return { start: at, end: at + secret.length, kind }
  if (side === 'head') {
    let length = partChars
    while (length < secret.length && text.charAt(at + length) === secret.charAt(length)) length += 1
    return { start: at, end: at + length, kind }
  }
  let length = partChars
  const end = at + partChars
  while (
    length < secret.length &&
    text.charAt(end - length - 1) === secret.charAt(secret.length - length - 1)
  )
    length += 1
  return { start: end - length, end, kind }
}

export const createKnown = (): Known => {
  const known = new Map<string, string>()
  let parts: Map<string, Part> | null = null
  let anyPart: RegExp | null = null
  const heads = new Map<string, { secret: string; kind: string }>()
  const tails = new Map<string, { secret: string; kind: string }>()

  const prepare = (): void => {
    const next = new Map<string, Part>()
    for (const [secret, kind] of known) {
      if (secret.length < wholeBelow) next.set(secret, { secret, kind, side: 'whole' })
      else {
        heads.set(secret.slice(0, borderChars), { secret, kind })
        tails.set(secret.slice(-borderChars), { secret, kind })
        next.set(secret.slice(0, partChars), { secret, kind, side: 'head' })
        next.set(secret.slice(-partChars), { secret, kind, side: 'tail' })
      }
    }
    parts = next
    const literals = [...next.keys()].sort((a, b) => b.length - a.length).map(escaped)
    anyPart = literals.length === 0 ? null : new RegExp(literals.join('|'), 'g')
  }

  /** A text that ends within a secret, or begins within one. */
  const atBorders = (text: string): Found[] => {
    const found: Found[] = []
    const end = text.endsWith('…') ? text.length - 1 : text.length
    for (let length = borderChars; length < partChars && length <= end; length += 1) {
      const from = end - length
      const begun = heads.get(text.slice(from, from + borderChars))
      if (begun?.secret.startsWith(text.slice(from, end))) found.push({ start: from, end, kind: begun.kind })
      const ended = tails.get(text.slice(length - borderChars, length))
      if (ended?.secret.endsWith(text.slice(0, length)))
        found.push({ start: 0, end: length, kind: ended.kind })
    }
    return found
  }

  return {
    add: (secret, kind) => {
      if (kind === 'private-key') {
        // Its first and last line are the same in every key.
        for (const line of secret.split(/\r?\n|\\n/))
          if (line.length >= 40 && !line.startsWith('-----') && known.size < mostKnown) known.set(line, kind)
      } else if (secret.length >= leastChars && secret.length <= 4_096 && known.size < mostKnown) {
        if (secret.length >= wholeBelow || !/^(?:password|assigned-secret|home-name|email)$/.test(kind))
          known.set(secret, kind)
      }
      parts = null
    },
    find: (text) => {
      if (known.size === 0) return []
      if (parts === null) prepare()
      const found = text.length < borderChars ? [] : atBorders(text)
      if (!anyPart || !parts) return found
      for (const match of text.matchAll(anyPart)) {
        const part = parts.get(match[0])
        if (part) found.push(grown(text, match.index, part))
      }
      return found
    },
    size: () => known.size,
  }
}
