/**
 * Lays two digests side by side: turns by what the person said, in their order; within a pair of turns what was said and
 * called, by longest common sequence. Pure; its cost is bounded whatever the rollouts are.
 */
import { diffArrays } from 'diff'
import { type DifferenceField, differenceFields } from '../../protocol/compare.ts'
import type { Digest, DigestEntry, DigestTurn } from './compare-digest.ts'

/** Edits that one search for a common sequence tries; beyond them unique places are the anchors. */
const maxEdits = 1_000
/** Squares of edits that all searches of one comparison may cost together: a fraction of a second. */
const maxEffort = 4_000_000
/** Pairs of turns whose likeness is looked at, in one gap. */
const maxLikenessPairs = 40_000
/** Share of words in common from which on two messages count as the same request put differently. */
const minLikeness = 0.3

/** A line: places in the entries of each side, -1 = nothing there; bits of `differenceFields`; number of the turn. */
export type AlignedLines = { a: Int32Array; b: Int32Array; fields: Uint8Array; turn: Int32Array }
type Pair = [a: number, b: number]

/** Pairs at which a key stands once on each side, in an order that both have. */
const uniqueAnchors = (a: readonly number[], b: readonly number[]): Pair[] => {
  const once = (keys: readonly number[]): Map<number, number> => {
    const places = new Map<number, number>()
    for (const [at, key] of keys.entries()) places.set(key, places.has(key) ? -1 : at)
    return places
  }
  const inB = once(b)
  const pairs: Pair[] = []
  for (const [key, at] of once(a)) {
    const other = inB.get(key) ?? -1
    if (at >= 0 && other >= 0) pairs.push([at, other])
  }
  pairs.sort((x, y) => x[0] - y[0])
  // The longest ascending run of places in b, by patience.
  const tails: number[] = []
  const before = new Array<number>(pairs.length).fill(-1)
  for (const [at, pair] of pairs.entries()) {
    let low = 0
    let high = tails.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pairs[tails[middle] ?? 0]?.[1] ?? 0) < pair[1]) low = middle + 1
      else high = middle
    }
    before[at] = low > 0 ? (tails[low - 1] ?? -1) : -1
    tails[low] = at
  }
  const run: Pair[] = []
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) run.push(pairs[at] as Pair)
  return run.reverse()
}

/** What is left for searches; shared by all of one comparison. */
export type Effort = { left: number }

/** Places where both have the same key, ascending on both sides. */
export const commonPairs = (
  a: readonly number[],
  b: readonly number[],
  effort: Effort = { left: maxEffort },
): Pair[] => {
  const pairs: Pair[] = []
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) {
    pairs.push([start, start])
    start += 1
  }
  let endA = a.length
  let endB = b.length
  const tail: Pair[] = []
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA -= 1
    endB -= 1
    tail.push([endA, endB])
  }
  const middleA = a.slice(start, endA)
  const middleB = b.slice(start, endB)
  if (middleA.length > 0 && middleB.length > 0) {
    const edits = Math.min(maxEdits, middleA.length + middleB.length, Math.floor(Math.sqrt(effort.left)))
    effort.left -= edits ** 2
    const changes = diffArrays(middleA, middleB, { maxEditLength: edits })
    if (changes === undefined)
      for (const [x, y] of uniqueAnchors(middleA, middleB)) pairs.push([start + x, start + y])
    else {
      let x = start
      let y = start
      for (const { added, removed, count } of changes) {
        if (!added && !removed) for (let n = 0; n < count; n += 1) pairs.push([x + n, y + n])
        if (!added) x += count
        if (!removed) y += count
      }
    }
  }
  return [...pairs, ...tail.reverse()]
}

/** Calls `visit` with each stretch between the pairs, and with each pair. */
const walk = (
  pairs: readonly Pair[],
  lengthA: number,
  lengthB: number,
  gap: (fromA: number, toA: number, fromB: number, toB: number) => void,
  pair: (a: number, b: number) => void,
): void => {
  let x = 0
  let y = 0
  for (const [a, b] of pairs) {
    gap(x, a, y, b)
    pair(a, b)
    x = a + 1
    y = b + 1
  }
  gap(x, lengthA, y, lengthB)
}

const likeness = (a: readonly number[], b: readonly number[]): number => {
  if (a.length === 0 || b.length === 0) return 0
  const inA = new Set(a)
  const both = b.filter((word) => inA.has(word)).length
  return both / (a.length + b.length - both)
}

/** The pairs of turns that are most alike together, in order. */
const alikePairs = (a: readonly DigestTurn[], b: readonly DigestTurn[]): Pair[] => {
  if (a.length * b.length > maxLikenessPairs) return []
  const width = b.length + 1
  const best = new Float64Array((a.length + 1) * width)
  const alike = (x: number, y: number): number => likeness(a[x]?.words ?? [], b[y]?.words ?? [])
  const scores = new Float64Array(a.length * b.length)
  for (let x = a.length - 1; x >= 0; x -= 1)
    for (let y = b.length - 1; y >= 0; y -= 1) {
      const score = alike(x, y)
      scores[x * b.length + y] = score
      const paired = score >= minLikeness ? score + (best[(x + 1) * width + y + 1] ?? 0) : 0
      best[x * width + y] = Math.max(paired, best[(x + 1) * width + y] ?? 0, best[x * width + y + 1] ?? 0)
    }
  const pairs: Pair[] = []
  let [x, y] = [0, 0]
  while (x < a.length && y < b.length) {
    const score = scores[x * b.length + y] ?? 0
    const here = best[x * width + y] ?? 0
    if (score >= minLikeness && here === score + (best[(x + 1) * width + y + 1] ?? 0)) {
      pairs.push([x, y])
      x += 1
      y += 1
    } else if (here === best[(x + 1) * width + y]) x += 1
    else y += 1
  }
  return pairs
}

/** Pairs of turns in order; -1 = the other side has none. */
export const alignTurns = (a: Digest, b: Digest, effort?: Effort): Pair[] => {
  const said = ({ entries, turns }: Digest): number[] => turns.map(({ from }) => entries[from]?.said ?? 0)
  const out: Pair[] = []
  const byOrder = (fromA: number, toA: number, fromB: number, toB: number): void => {
    let [x, y] = [fromA, fromB]
    while (x < toA && y < toB) out.push([x++, y++])
    while (x < toA) out.push([x++, -1])
    while (y < toB) out.push([-1, y++])
  }
  walk(
    commonPairs(said(a), said(b), effort),
    a.turns.length,
    b.turns.length,
    (fromA, toA, fromB, toB) =>
      walk(
        alikePairs(a.turns.slice(fromA, toA), b.turns.slice(fromB, toB)),
        toA - fromA,
        toB - fromB,
        (x, endX, y, endY) => byOrder(fromA + x, fromA + endX, fromB + y, fromB + endY),
        (x, y) => out.push([fromA + x, fromB + y]),
      ),
    (x, y) => out.push([x, y]),
  )
  return out
}

const bit = (field: DifferenceField): number => 1 << differenceFields.indexOf(field)

export const fieldsOf = (bits: number): DifferenceField[] =>
  differenceFields.filter((field) => bits & bit(field))

const kindNumber = { head: 1, words: 2, text: 3, tool: 4 } as const
/** Numbers stay exact: a name and what was said are mixed into one. */
const exactKey = ({ kind, name, said }: DigestEntry): number => kindNumber[kind] + ((name % 1e6) * 31 + said)
const kindKey = ({ kind, name }: DigestEntry): number => kindNumber[kind] + name

const differ = (a: DigestEntry | undefined, b: DigestEntry | undefined): number => {
  if (a === undefined || b === undefined) return bit('only')
  if (a.kind === 'tool') {
    if (a.name !== b.name) return bit('tool')
    return (a.said === b.said ? 0 : bit('arguments')) | (a.gave === b.gave ? 0 : bit('result'))
  }
  return a.said === b.said ? 0 : bit(a.kind === 'text' ? 'text' : 'message')
}

/** What was said and called in a pair of turns, heads left out; places count from the first entry of the rollout. */
const alignEntries = (a: Digest, b: Digest, turnA: DigestTurn, turnB: DigestTurn, effort: Effort): Pair[] => {
  const inA = a.entries.slice(turnA.from + 1, turnA.to)
  const inB = b.entries.slice(turnB.from + 1, turnB.to)
  const [baseA, baseB] = [turnA.from + 1, turnB.from + 1]
  const out: Pair[] = []
  const put = (x: number, y: number): void => void out.push([x < 0 ? -1 : baseA + x, y < 0 ? -1 : baseB + y])
  /** Nothing here is of one kind and name in the same order: calls are laid against calls, the rest stands alone. */
  const byOrder = (fromA: number, toA: number, fromB: number, toB: number): void => {
    let [x, y] = [fromA, fromB]
    while (x < toA && y < toB) {
      const [kindA, kindB] = [inA[x]?.kind, inB[y]?.kind]
      if (kindA === kindB) put(x++, y++)
      else if (kindA === 'tool') put(-1, y++)
      else put(x++, -1)
    }
    while (x < toA) put(x++, -1)
    while (y < toB) put(-1, y++)
  }
  walk(
    commonPairs(inA.map(exactKey), inB.map(exactKey), effort),
    inA.length,
    inB.length,
    (fromA, toA, fromB, toB) =>
      walk(
        commonPairs(inA.slice(fromA, toA).map(kindKey), inB.slice(fromB, toB).map(kindKey), effort),
        toA - fromA,
        toB - fromB,
        (x, endX, y, endY) => byOrder(fromA + x, fromA + endX, fromB + y, fromB + endY),
        (x, y) => put(fromA + x, fromB + y),
      ),
    put,
  )
  return out
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n)

/** All lines. Lets other work of the process run between turns. */
export const align = async (a: Digest, b: Digest, pause: () => Promise<void>): Promise<AlignedLines> => {
  const [placesA, placesB, bits, turns]: [number[], number[], number[], number[]] = [[], [], [], []]
  const put = (turn: number, x: number, y: number): void => {
    placesA.push(x)
    placesB.push(y)
    bits.push(differ(a.entries[x], b.entries[y]))
    turns.push(turn)
  }
  const effort: Effort = { left: maxEffort }
  for (const [turn, [x, y]] of alignTurns(a, b, effort).entries()) {
    const [turnA, turnB] = [a.turns[x], b.turns[y]]
    if (turnA && turnB) {
      put(turn, turnA.from, turnB.from)
      for (const [entryA, entryB] of alignEntries(a, b, turnA, turnB, effort)) put(turn, entryA, entryB)
    } else if (turnA) for (const at of range(turnA.from, turnA.to)) put(turn, at, -1)
    else if (turnB) for (const at of range(turnB.from, turnB.to)) put(turn, -1, at)
    await pause()
  }
  return {
    a: Int32Array.from(placesA),
    b: Int32Array.from(placesB),
    fields: Uint8Array.from(bits),
    turn: Int32Array.from(turns),
  }
}
