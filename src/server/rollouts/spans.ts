/**
 * Fewer spans that look the same from afar: neighbours become one where the gaps between them are smallest. Knows
 * numbers alone.
 */
import type { RolloutSpans } from '../../protocol/rollout.ts'
import type { RolloutLaneColumns } from '../store/rollout-types.ts'

type Columns = RolloutLaneColumns

/** Places where a new span begins: the largest gaps, and evenly among the rest, so that what is dense keeps its grain. */
const beginnings = (starts: Float64Array, ends: Float64Array, most: number): Uint8Array => {
  const n = starts.length
  const begins = new Uint8Array(n)
  if (n <= most) return begins.fill(1)
  const evenly = Math.floor(most / 2)
  for (let part = 0; part < evenly; part += 1) begins[Math.floor((part * n) / evenly)] = 1
  const gaps = new Float64Array(n)
  let reached = Number.NEGATIVE_INFINITY
  for (let at = 0; at < n; at += 1) {
    gaps[at] = (starts[at] ?? 0) - reached
    reached = Math.max(reached, ends[at] ?? 0)
  }
  const least = gaps.slice().sort()[n - (most - evenly)] ?? 0
  let left = most - evenly
  for (let at = 0; at < n && left > 0; at += 1) {
    if (begins[at] === 1 || (gaps[at] ?? 0) <= least) continue
    begins[at] = 1
    left -= 1
  }
  return begins
}

/** At most `most` spans. What has no duration yet lasts until `untilMs`. */
export const mergeSpans = (columns: Columns, most: number, untilMs: number): RolloutSpans => {
  const n = columns.idx.length
  const starts = Float64Array.from(columns.at)
  const ends = Float64Array.from(columns.durationMs, (duration, at) => {
    const start = columns.at[at] ?? 0
    if (duration >= 0) return start + duration
    return columns.flag[at] === 2 ? Math.max(start, untilMs) : start
  })
  const begins = beginnings(starts, ends, most)
  const spans: RolloutSpans = { startMs: [], durationMs: [], idx: [], count: [], flag: [] }
  let last = -1
  let end = 0
  for (let at = 0; at < n; at += 1) {
    const start = starts[at] ?? 0
    if (begins[at] === 1 || last < 0) {
      last += 1
      end = ends[at] ?? start
      spans.startMs.push(start)
      spans.durationMs.push(Math.max(0, end - start))
      spans.idx.push(columns.idx[at] ?? 0)
      spans.count.push(1)
      spans.flag.push(columns.flag[at] ?? 0)
      continue
    }
    const from = Math.min(spans.startMs[last] ?? start, start)
    end = Math.max(end, ends[at] ?? start)
    spans.startMs[last] = from
    spans.durationMs[last] = Math.max(0, end - from)
    spans.count[last] = (spans.count[last] ?? 0) + 1
    // What failed is seen from afar; what still runs more so.
    spans.flag[last] = Math.max(spans.flag[last] ?? 0, columns.flag[at] ?? 0)
  }
  return spans
}
