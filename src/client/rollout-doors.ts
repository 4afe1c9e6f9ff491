/** Ways to a row that take more than one question: by a link, by what comes next. */
import type { RolloutFilter, RolloutPlace, RolloutRow } from '../protocol/rollout.ts'
import { api } from './api.ts'

const { rollout } = api

/** The row at a place of the filtered list. */
export async function rowAt(
  threadId: string,
  filter: RolloutFilter,
  place: number,
): Promise<RolloutRow | undefined> {
  return (await rollout.rows.query({ threadId, filter, from: place, limit: 1 })).rows[0]
}

/** A place with its row, and where in the filtered list it stands; `place` null when the filter hides it. */
export async function findRow(
  threadId: string,
  to: RolloutPlace,
  filter: RolloutFilter,
): Promise<{ row: RolloutRow; place: number | null }> {
  const located = await rollout.locate.query({ threadId, place: to, filter })
  // Without a filter a row's place is its number.
  const row = await rowAt(threadId, {}, located.idx)
  if (row === undefined) throw new Error('The row went away.')
  return { row, place: located.hidden ? null : located.place }
}

/** The row after or before `idx` that a filter shows; from nowhere the first or the last; undefined at the ends. */
export async function nextRow(
  threadId: string,
  filter: RolloutFilter,
  idx: number | null,
  by: 1 | -1,
): Promise<RolloutRow | undefined> {
  if (idx === null) {
    if (by === 1) return rowAt(threadId, filter, 0)
    const { total } = await rollout.rows.query({ threadId, filter, from: 0, limit: 1 })
    return total === 0 ? undefined : rowAt(threadId, filter, total - 1)
  }
  const { place, hidden, idx: at, total } = await rollout.locate.query({ threadId, place: { idx }, filter })
  if (total === 0) return undefined
  const wanted = hidden ? (by === 1 ? place : place - 1) : place + by
  if (wanted < 0 || wanted >= total) return undefined
  const row = await rowAt(threadId, filter, wanted)
  // Behind the last one the place is that of the last one.
  return row === undefined || (row.idx - at) * by <= 0 ? undefined : row
}
