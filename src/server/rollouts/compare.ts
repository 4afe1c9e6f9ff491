/**
 * Two rollouts compared, each up to a seq that the caller names again for its lines: so a rollout that goes on does not
 * move them. Bodies are never loaded as a whole; who may read both is decided at the door.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { createKept } from '../../lib/kept.ts'
import {
  type CompareCell,
  type CompareDetail,
  type ComparedFile,
  type CompareLine,
  type CompareLines,
  type CompareSide,
  type DifferenceField,
  type Divergence,
  differenceFields,
  maxComparedFiles,
  maxDifferences,
  type RolloutComparison,
} from '../../protocol/compare.ts'
import { Fault } from '../../protocol/error.ts'
import type { ThreadEvent } from '../../protocol/event.ts'
import type { RolloutSkeleton } from '../../protocol/rollout.ts'
import type { ThreadProjection } from '../../protocol/thread.ts'
import type { Store } from '../store/types.ts'
import { type AlignedLines, align, fieldsOf } from './compare-align.ts'
import { cellOf, textOf } from './compare-cells.ts'
import { createDigest, type Digest, digestTypes } from './compare-digest.ts'

export type CompareSource = Pick<Store, 'log'>

/** A rollout and how far of it is compared. */
export type ComparePlace = { threadId: string; head: number }

type Totals = RolloutSkeleton['totals']
export type CompareGiven = { thread: ThreadProjection; head: number; totals: Totals }

export type Comparer = {
  compare(a: CompareGiven, b: CompareGiven): Promise<RolloutComparison>
  /** Lines from a place on; `only` counts those that differ in one of the fields. */
  lines(
    a: ComparePlace,
    b: ComparePlace,
    range: { from: number; limit: number; only?: DifferenceField[] },
  ): Promise<CompareLines>
  /** Fault `not_found` when there is no such line. */
  detail(a: ComparePlace, b: ComparePlace, line: number): Promise<CompareDetail>
}

/** Places in the log of one read, and entries of digests and lines that are kept for the next call. */
const eventsPerRead = 2_000
const keptEntries = 1_000_000

type Compared = { a: Digest; b: Digest; lines: AlignedLines }

const filesOf = (a: Digest, b: Digest): RolloutComparison['files'] => {
  const paths = [...new Set([...a.files.files.keys(), ...b.files.files.keys()])].sort()
  const files = paths.map(
    (path): ComparedFile => ({
      path,
      a: a.files.files.get(path) ?? null,
      b: b.files.files.get(path) ?? null,
    }),
  )
  return {
    files: files.slice(0, maxComparedFiles),
    total: files.length,
    both: files.filter((file) => file.a !== null && file.b !== null).length,
  }
}

/** The step whose request the two lines are to be judged by: the one that wrote them, or the one that read them. */
const stepAt = (digest: Digest, lines: Int32Array, line: number, reads: boolean): string | null => {
  let at = line
  while (at > 0 && (lines[at] ?? -1) < 0) at -= 1
  const place = lines[at] ?? -1
  const entry = digest.entries[place]
  if (!entry) return null
  if (entry.kind === 'head') {
    const turn = digest.turns.find(({ from, to }) => place >= from && place < to)
    return digest.steps[turn?.firstStep ?? -1] ?? null
  }
  if (entry.step < 0) return null
  return digest.steps[reads ? entry.step + 1 : entry.step] ?? digest.steps[entry.step] ?? null
}

const createComparer = (store: CompareSource): Comparer => {
  const digests = createKept<Digest>(keptEntries, ({ entries }) => entries.length)
  const comparisons = createKept<Compared>(keptEntries, ({ lines }) => lines.a.length)

  const digestOf = ({ threadId, head }: ComparePlace): Promise<Digest> =>
    digests(`${threadId} ${head}`, async () => {
      const builder = createDigest()
      // By place and not by number: so each read is of its own stretch, whatever the database thinks of the log's length.
      for (let after = 0; after < head; after += eventsPerRead) {
        const upTo = Math.min(head, after + eventsPerRead)
        const events = await store.log.stretch(threadId, [...digestTypes], after, upTo, eventsPerRead)
        for (const event of events) builder.add(event)
        await breathe()
      }
      return builder.build()
    })

  const compared = (a: ComparePlace, b: ComparePlace): Promise<Compared> =>
    comparisons(`${a.threadId} ${a.head} ${b.threadId} ${b.head}`, async () => {
      const [digestA, digestB] = await Promise.all([digestOf(a), digestOf(b)])
      return { a: digestA, b: digestB, lines: await align(digestA, digestB, breathe) }
    })

  const eventsAt = async (
    { threadId }: ComparePlace,
    digest: Digest,
    places: number[],
  ): Promise<Map<number, ThreadEvent>> => {
    const seqs = places.flatMap((place) => digest.entries[place]?.seq ?? [])
    const events = await store.log.at(threadId, [...new Set(seqs)])
    const bySeq = new Map(events.map((event) => [event.seq, event]))
    return new Map(
      places.flatMap((place) => {
        const event = bySeq.get(digest.entries[place]?.seq ?? -1)
        return event ? [[place, event] as const] : []
      }),
    )
  }

  /** Lines in full, with the events that they stand for. */
  const told = async (a: ComparePlace, b: ComparePlace, at: number[]) => {
    const known = await compared(a, b)
    const { lines } = known
    const side = async (place: ComparePlace, digest: Digest, places: Int32Array) => {
      const events = await eventsAt(
        place,
        digest,
        at.map((line) => places[line] ?? -1).filter((n) => n >= 0),
      )
      const cell = (line: number): CompareCell | null => {
        const entry = places[line] ?? -1
        const event = events.get(entry)
        return event ? cellOf(event, digest.entries[entry]?.kind === 'head') : null
      }
      return { cell, event: (line: number) => events.get(places[line] ?? -1) }
    }
    const [sideA, sideB] = await Promise.all([side(a, known.a, lines.a), side(b, known.b, lines.b)])
    const rows = at.map(
      (line): CompareLine => ({
        line,
        turn: lines.turn[line] ?? 0,
        a: sideA.cell(line),
        b: sideB.cell(line),
        fields: fieldsOf(lines.fields[line] ?? 0),
      }),
    )
    return { known, rows, sideA, sideB }
  }

  const divergence = async (a: ComparePlace, b: ComparePlace, line: number): Promise<Divergence> => {
    const { known, rows } = await told(a, b, [line])
    const [row] = rows
    const fields = row?.fields ?? []
    // What a tool gave is an input: the request that follows it is where the windows part.
    const reads = fields.length === 1 && fields[0] === 'result'
    return {
      line,
      turn: row?.turn ?? 0,
      fields,
      a: row?.a ?? null,
      b: row?.b ?? null,
      stepA: stepAt(known.a, known.lines.a, line, reads),
      stepB: stepAt(known.b, known.lines.b, line, reads),
    }
  }

  const sideOf = async ({ thread, head, totals }: CompareGiven, digest: Digest): Promise<CompareSide> => {
    const [last] = digest.lastWordsSeq === null ? [] : await store.log.at(thread.id, [digest.lastWordsSeq])
    return {
      threadId: thread.id,
      title: thread.title,
      head,
      totals,
      model: digest.model,
      result: digest.result,
      lastWords: last ? cellOf(last, false).label : '',
      spanMs: Math.max(0, digest.lastAt - digest.firstAt),
    }
  }

  return {
    compare: async (givenA, givenB) => {
      const a = { threadId: givenA.thread.id, head: givenA.head }
      const b = { threadId: givenB.thread.id, head: givenB.head }
      const known = await compared(a, b)
      const { fields, turn } = known.lines
      const counts = Object.fromEntries(differenceFields.map((field) => [field, 0])) as Record<
        DifferenceField,
        number
      >
      const firstOf: Partial<Record<DifferenceField, number>> = {}
      const differences: number[] = []
      let total = 0
      for (const [line, bits] of fields.entries()) {
        if (bits === 0) continue
        total += 1
        if (differences.length < maxDifferences) differences.push(line)
        for (const field of fieldsOf(bits)) {
          counts[field] += 1
          firstOf[field] ??= line
        }
      }
      const first = differences[0]
      const turns = [known.a.turns.length, known.b.turns.length] as const
      const pairs = (turn.at(-1) ?? -1) + 1
      return {
        a: await sideOf(givenA, known.a),
        b: await sideOf(givenB, known.b),
        lines: fields.length,
        same: fields.length - total,
        counts,
        first: first === undefined ? null : await divergence(a, b, first),
        firstOf,
        differences: { lines: differences, total },
        turns: { a: turns[0], b: turns[1], both: turns[0] + turns[1] - pairs },
        files: filesOf(known.a, known.b),
      }
    },

    lines: async (a, b, { from, limit, only }) => {
      const { lines } = await compared(a, b)
      const wanted = only?.reduce((bits, field) => bits | (1 << differenceFields.indexOf(field)), 0)
      if (wanted === undefined) {
        const count = Math.max(0, Math.min(limit, lines.fields.length - from))
        const { rows } = await told(
          a,
          b,
          Array.from({ length: count }, (_, n) => from + n),
        )
        return { lines: rows, from, total: lines.fields.length }
      }
      const found: number[] = []
      let total = 0
      for (const [line, bits] of lines.fields.entries()) {
        if ((bits & wanted) === 0) continue
        if (total >= from && found.length < limit) found.push(line)
        total += 1
      }
      return { lines: (await told(a, b, found)).rows, from, total }
    },

    detail: async (a, b, line) => {
      const { rows, sideA, sideB } = await told(a, b, [line])
      const [row] = rows
      if (!row || (row.a === null && row.b === null))
        throw new Fault(
          'not_found',
          'There is no such line in this comparison.',
          'Open the comparison again.',
        )
      const [eventA, eventB] = [sideA.event(line), sideB.event(line)]
      return { line: row, a: eventA ? textOf(eventA) : null, b: eventB ? textOf(eventB) : null }
    },
  }
}

const comparers = new WeakMap<object, Comparer>()

/** The comparer of this store; what it has aligned once is kept for the next call. */
export const comparerOf = (store: CompareSource): Comparer => {
  let comparer = comparers.get(store)
  if (!comparer) {
    comparer = createComparer(store)
    comparers.set(store, comparer)
  }
  return comparer
}
