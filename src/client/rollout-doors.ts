/** The questions that the viewer asks of the server, in one place. */
import type { RolloutFilter, RolloutPlace, RolloutRow, RolloutRows, RolloutSkeleton, RolloutStep, RolloutSummary, RequestBlock, RequestDifference, HandOverDifference, WindowPicture } from '../protocol/rollout.ts'
import { api } from './api.ts'

type Query<I, O> = { query(input: I, options?: { signal?: AbortSignal }): Promise<O> }
type OneThread = { threadId: string }
type Doors = {
  skeleton: Query<OneThread, RolloutSkeleton>
  rows: Query<OneThread & { filter: RolloutFilter; from: number; limit: number }, RolloutRows>
  locate: Query<OneThread & { place: RolloutPlace; filter: RolloutFilter }, { row: RolloutRow; place: number | null }>
  step: Query<OneThread & { stepId: string }, RolloutStep>
  blocks: Query<OneThread & { stepId: string; from: number; limit: number }, { blocks: RequestBlock[]; next: number | null }>
  difference: Query<OneThread & { a: string; b: string }, RequestDifference>
  handOver: Query<OneThread & { windowId: string }, HandOverDifference>
  picture: Query<OneThread, WindowPicture>
  list: Query<{ limit: number; cursor?: string }, { rollouts: RolloutSummary[]; cursor: string | null }>
}
export const doors = (api as unknown as { rollout: Doors }).rollout
