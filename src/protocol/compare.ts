/**
 * Two rollouts side by side: what each came to, their lines aligned by turn and then by call, and where they part. Made
 * of hashes of what was said and given; texts are read for the lines that are shown.
 */
import { z } from 'zod'
import type { RolloutRowStatus, RolloutSkeleton } from './rollout.ts'

/** Lines of one answer, places of differences in the first one, files named. */
export const maxCompareLines = 200
export const maxDifferences = 10_000
export const maxComparedFiles = 500

/**
 * How two lines that belong together differ. `message`: the person's words; `text`: the model's; `tool`: another tool
 * was called; `arguments`, `result`: of the same tool; `only`: one side has nothing there.
 */
export const differenceFields = ['message', 'text', 'tool', 'arguments', 'result', 'only'] as const
export const DifferenceField = z.enum(differenceFields)
export type DifferenceField = z.infer<typeof DifferenceField>

/** One side of a line. */
export type CompareCell = {
  seq: number
  /** `turn` is a head: the person's words that began it. */
  kind: 'turn' | 'message' | 'tool'
  /** A tool's name; of a message who said it. */
  name: string
  /** At most 300 characters. Of a call its arguments. */
  label: string
  /** Of a call the beginning of what it gave; null otherwise. */
  result: string | null
  status: RolloutRowStatus
  at: number
  durationMs: number | null
  turnId: string | null
  stepId: string | null
  /** Null for a turn that no message began. */
  itemId: string | null
}

export type CompareLine = {
  /** Number among all lines, from 0. */
  line: number
  /** Number of the pair of turns that it is in, from 0. */
  turn: number
  a: CompareCell | null
  b: CompareCell | null
  /** Empty = the same. */
  fields: DifferenceField[]
}

export type CompareSide = {
  threadId: string
  title: string
  /** Everything up to this seq is compared. */
  head: number
  model: string | null
  /** How the last turn ended. */
  result: 'completed' | 'interrupted' | 'failed' | 'limited' | 'running' | 'none'
  /** The last words of the agent, at most 300 characters. */
  lastWords: string
  totals: RolloutSkeleton['totals']
  /** From the first event to the last. */
  spanMs: number
}

export type ComparedFile = {
  path: string
  a: { additions: number; deletions: number } | null
  b: { additions: number; deletions: number } | null
}

/** Where the two part first, and the last step that each had begun by then. */
export type Divergence = {
  line: number
  turn: number
  fields: DifferenceField[]
  a: CompareCell | null
  b: CompareCell | null
  stepA: string | null
  stepB: string | null
}

export type RolloutComparison = {
  a: CompareSide
  b: CompareSide
  lines: number
  same: number
  /** Lines that differ in this field. */
  counts: Record<DifferenceField, number>
  /** Null when nothing differs. */
  first: Divergence | null
  /** The first line at which a field differs. */
  firstOf: Partial<Record<DifferenceField, number>>
  /** Lines that differ, at most `maxDifferences`; `total` counts all. */
  differences: { lines: number[]; total: number }
  turns: { a: number; b: number; both: number }
  files: { files: ComparedFile[]; total: number; both: number }
}

/** What a line says and gave, as far as it stands in the log itself: texts up to 2,000 characters. */
export type CompareText = {
  said: string
  gave: string | null
  /** True when a text goes on; the rollout has all of it. */
  cut: boolean
}
export type CompareDetail = { line: CompareLine; a: CompareText | null; b: CompareText | null }

/** Lines by range; with `only` those that differ, counted among themselves. */
export type CompareLines = { lines: CompareLine[]; from: number; total: number }
