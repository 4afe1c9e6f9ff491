/**
 * Time of a rollout as a line from 0 to 1. Work lasts minutes and pauses last nights: pauses are folded to a sliver, so
 * that work can be seen. Pure numbers; it draws nothing.
 */
import type { RolloutSkeleton, RolloutSpans } from '../protocol/rollout.ts'

type Piece = { fromMs: number; toMs: number; x: number; width: number; folded: boolean }
export type Axis = { pieces: Piece[]; lastMs: number }

/** A pause shorter than this is never folded. */
const shortestFoldMs = 5_000
/** What all folded pauses together may take of the line, and one alone. */
const foldsShare = 0.25
const foldShare = 0.02

/** Spans of several lanes as stretches of time in which something went on, in order, without overlaps. */
function busyOf(lanes: readonly RolloutSpans[], lastMs: number): [number, number][] {
  const spans = lanes
    .flatMap(({ startMs, durationMs }) =>
      startMs.map((start, at): [number, number] => [start, start + (durationMs[at] ?? 0)]),
    )
    .sort((a, b) => a[0] - b[0])
  const busy: [number, number][] = []
  for (const [start, end] of spans) {
    const [from, to] = [Math.max(0, Math.min(start, lastMs)), Math.max(0, Math.min(end, lastMs))]
    const before = busy.at(-1)
    if (before !== undefined && from - before[1] < shortestFoldMs) before[1] = Math.max(before[1], to)
    else busy.push([from, to])
  }
  return busy
}

/** The line of a skeleton. With `fold` false time is even. */
export function axisOf(skeleton: Pick<RolloutSkeleton, 'firstAt' | 'lastAt' | 'lanes'>, fold: boolean): Axis {
  const { steps, tools, agents } = skeleton.lanes
  const ends = [steps, tools, agents].flatMap(({ startMs, durationMs }) =>
    startMs.map((start, at) => start + (durationMs[at] ?? 0)),
  )
  const lastMs = ends.reduce(
    (most, end) => Math.max(most, end),
    Math.max(1, skeleton.lastAt - skeleton.firstAt),
  )
  const even: Axis = { pieces: [{ fromMs: 0, toMs: lastMs, x: 0, width: 1, folded: false }], lastMs }
  if (!fold) return even
  const busy = busyOf([steps, tools, agents], lastMs)
  const worked = busy.reduce((sum, [from, to]) => sum + to - from, 0)
  if (busy.length === 0 || worked === 0) return even
  const cap = Math.min(foldShare, foldsShare / (busy.length + 1)) * worked
  const pieces: (Omit<Piece, 'x' | 'width'> & { weight: number })[] = []
  let now = 0
  const pause = (to: number): void => {
    if (to <= now) return
    const length = to - now
    const folded = length > Math.max(cap, shortestFoldMs)
    pieces.push({ fromMs: now, toMs: to, folded, weight: folded ? cap : length })
  }
  for (const [from, to] of busy) {
    pause(from)
    // What takes no time still has a place.
    pieces.push({ fromMs: from, toMs: to, folded: false, weight: Math.max(to - from, worked / 10_000) })
    now = to
  }
  pause(lastMs)
  const all = pieces.reduce((sum, { weight }) => sum + weight, 0)
  let x = 0
  return {
    lastMs,
    pieces: pieces.map(({ weight, ...piece }) => {
      const placed = { ...piece, x, width: weight / all }
      x += placed.width
      return placed
    }),
  }
}

/** The last piece for which `isBefore` holds, by halving. */
function pieceAt({ pieces }: Axis, isBefore: (piece: Piece) => boolean): Piece | undefined {
  let [low, high] = [0, pieces.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const piece = pieces[middle]
    if (piece !== undefined && isBefore(piece)) low = middle
    else high = middle - 1
  }
  return pieces[low]
}

/** Place of a time on the line, from 0 to 1. */
export function toX(axis: Axis, ms: number): number {
  const piece = pieceAt(axis, ({ fromMs }) => fromMs <= ms)
  if (piece === undefined) return 0
  const length = piece.toMs - piece.fromMs
  const share = length <= 0 ? 0 : Math.max(0, Math.min(1, (ms - piece.fromMs) / length))
  return piece.x + share * piece.width
}

/** The time at a place of the line. */
export function toMs(axis: Axis, x: number): number {
  const piece = pieceAt(axis, (candidate) => candidate.x <= x)
  if (piece === undefined) return 0
  const share = piece.width <= 0 ? 0 : Math.max(0, Math.min(1, (x - piece.x) / piece.width))
  return piece.fromMs + share * (piece.toMs - piece.fromMs)
}

/** The part of the line that is shown. */
export type Sight = { from: number; to: number }
export const wholeSight: Sight = { from: 0, to: 1 }
/** The nearest one can look: a hundred-thousandth of the line. */
const nearest = 0.00001

/** Looks nearer (`factor` < 1) or from further away, with what is at `x` of the line kept in its place. */
export function zoomed({ from, to }: Sight, x: number, factor: number): Sight {
  const width = Math.max(nearest, Math.min(1, (to - from) * factor))
  const share = (x - from) / (to - from)
  return held({ from: x - share * width, to: x + (1 - share) * width })
}

/** Moves by a part of the line. */
export const panned = ({ from, to }: Sight, by: number): Sight => held({ from: from + by, to: to + by })

/** Shows a place of the line, with as little movement as there can be. */
export function sightOn(sight: Sight, x: number): Sight {
  if (x >= sight.from && x <= sight.to) return sight
  const half = (sight.to - sight.from) / 2
  return held({ from: x - half, to: x + half })
}

function held({ from, to }: Sight): Sight {
  const width = Math.min(1, to - from)
  const start = Math.max(0, Math.min(1 - width, from))
  return { from: start, to: start + width }
}

/** Round times for the marks of an axis, in milliseconds. */
const rounds = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000,
  172_800_000, 604_800_000,
]

/** Marks of time in sight, at least `apart` of the sight from each other; none inside of folded pauses. */
export function marksOf(
  axis: Axis,
  sight: Sight,
  apart: number,
): { ms: number; x: number; roundMs: number }[] {
  const width = sight.to - sight.from
  const marks: { ms: number; x: number; roundMs: number }[] = []
  let free = sight.from
  for (const piece of axis.pieces) {
    if (piece.folded || piece.x + piece.width < sight.from || piece.x > sight.to) continue
    const perX = (piece.toMs - piece.fromMs) / Math.max(piece.width, 1e-12)
    const roundMs = rounds.find((round) => round / Math.max(perX, 1e-9) >= apart * width) ?? 1_209_600_000
    const from = Math.max(piece.fromMs, toMs(axis, sight.from))
    const to = Math.min(piece.toMs, toMs(axis, sight.to))
    const first = Math.ceil(from / roundMs) * roundMs
    const starts = piece.x >= free && piece.fromMs > 0 && first > piece.fromMs ? [piece.fromMs] : []
    for (const ms of [...starts, ...range(first, to, roundMs)]) {
      const x = toX(axis, ms)
      if (x < free || x > sight.to) continue
      // The begin of a stretch is no round time, and is told more exactly.
      const exact = ms % roundMs === 0 ? roundMs : ms < 60_000 ? 100 : 1_000
      marks.push({ ms, x, roundMs: exact })
      free = x + apart * width
      if (marks.length >= 60) return marks
    }
  }
  return marks
}

function* range(from: number, to: number, by: number): Generator<number> {
  for (let value = from; value <= to; value += by) yield value
}

/** The span of a lane at a time, or the nearest within `slackMs`; -1 when there is none. Spans are in order of start. */
export function spanAt({ startMs, durationMs }: RolloutSpans, ms: number, slackMs: number): number {
  let [best, distance] = [-1, slackMs]
  let [low, high] = [0, startMs.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((startMs[middle] ?? 0) <= ms + slackMs) low = middle + 1
    else high = middle
  }
  // Spans overlap, so a long one may begin far before; two hundred back is far enough for what is drawn.
  for (let at = low - 1; at >= 0 && at > low - 200; at -= 1) {
    const [start, end] = [startMs[at] ?? 0, (startMs[at] ?? 0) + (durationMs[at] ?? 0)]
    const away = ms < start ? start - ms : ms > end ? ms - end : 0
    if (away < distance || (away === 0 && best === -1)) [best, distance] = [at, away]
    if (away === 0 && distance === 0) break
  }
  return best
}
