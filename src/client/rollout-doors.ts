/** The questions that the viewer asks of the server, in one place. */
import type {
  HandOverDifference,
  RequestBlock,
  RequestDifference,
  RolloutFilter,
  RolloutPlace,
  RolloutRow,
  RolloutStep,
  RolloutSummary,
  WindowPicture,
} from '../protocol/rollout.ts'
import { api } from './api.ts'

type Query<I, O> = { query(input: I, options?: { signal?: AbortSignal }): Promise<O> }
type OneThread = { threadId: string }
type Doors = {
  step: Query<OneThread & { stepId: string }, RolloutStep>
  blocks: Query<
    OneThread & { stepId: string; from: number; limit: number },
    { blocks: RequestBlock[]; next: number | null }
  >
  block: Query<
    OneThread & { stepId: string; idx: number },
    { text: string; content: 'text' | 'markdown' | 'json' }
  >
  difference: Query<OneThread & { a: string; b: string }, RequestDifference>
  handOver: Query<OneThread & { windowId: string }, HandOverDifference>
  picture: Query<OneThread, WindowPicture>
  list: Query<{ limit: number; cursor?: string }, { rollouts: RolloutSummary[]; cursor: string | null }>
}
const { rollout } = api
export const doors = {
  ...(rollout as unknown as Doors),
  skeleton: rollout.skeleton,
  rows: rollout.rows,
  locate: rollout.locate,
}

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
