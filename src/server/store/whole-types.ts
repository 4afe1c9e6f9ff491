/**
 * A whole rollout as it is read for writing it out: what there was at one moment, and its parts in order.
 */
import type { WindowFrozen } from '../context/types.ts'
import type { BlockRow, StepEndRow, StepRow } from './log-types.ts'
import type { NoteVersion } from './note-types.ts'

/** A rollout as it was at one moment; what is only added to is told by how much there was. */
export type RolloutManifest = {
  threadId: string
  title: string
  createdAt: number
  /** See `maskIds`; null = it was made here. */
  idMask: string | null
  head: number
  windows: { windowId: string; index: number; frozen: WindowFrozen; blocks: number; steps: number }[]
  /** Every version, in order of agent, path and version. */
  notes: NoteVersion[]
  /** In order of hash. Not those that only the first workspace was made from. */
  blobs: { hash: string; bytes: number }[]
}

export type WholeStore = {
  /** Fault `not_found`. */
  manifest(threadId: string): Promise<RolloutManifest>
  /** In order of idx; `wire` null = the bytes are the blob `wireHash`. */
  blocks(
    windowId: string,
    from: number,
    limit: number,
  ): Promise<(Omit<BlockRow, 'wire' | 'windowId'> & { wireHash: string; wire: Uint8Array | null })[]>
  /** In order of their start; `from` counts steps of the window. */
  steps(
    windowId: string,
    from: number,
    limit: number,
  ): Promise<(StepRow & { end: Omit<StepEndRow, 'stepId'> | null })[]>
}
