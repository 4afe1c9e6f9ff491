/**
 * What the tables of the viewer of rollouts offer: rows derived from the log, listed by filter, read by number.
 */
import type { WindowReason } from '../../protocol/item.ts'
import type {
  RolloutFilter,
  RolloutPlace,
  RolloutRowKind,
  RolloutRowStatus,
  RolloutSummary,
} from '../../protocol/rollout.ts'

/** A row of `RolloutRow`: of what it is, and the events that say the rest. */
export type RolloutRowKey = {
  idx: number
  seq: number
  /** The event that says how it ended, or what is known so far. */
  endSeq: number
  /** The id of what it is of; null = it has one event. */
  key: string | null
  windowId: string
  turnId: string | null
  kind: RolloutRowKind
  name: string
  status: RolloutRowStatus
  at: number
  durationMs: number | null
  step: number | null
  costMicros: number | null
}

/** Everything up to `seq` is in the rows; `head` is the log's. */
export type RolloutMark = {
  seq: number
  rows: number
  steps: number
  /** Events by type. */
  events: Record<string, number>
  head: number
}

/** Times count from `firstAt`; a duration of -1 is none yet. `flag`: 0 = ok, 1 = it failed, 2 = it still runs. */
export type RolloutLaneColumns = { idx: number[]; at: number[]; durationMs: number[]; flag: number[] }

/** All rows of a rollout as columns of numbers. */
export type RolloutColumns = {
  firstAt: number
  lastAt: number
  kinds: Partial<Record<RolloutRowKind, number>>
  toolNames: Record<string, number>
  errors: number
  turns: RolloutLaneColumns
  /** `costMicros` -1 = not known. */
  steps: RolloutLaneColumns &
    Record<
      'input' | 'cachedInput' | 'cacheWrite' | 'output' | 'reasoning' | 'retries' | 'costMicros',
      number[]
    >
  tools: RolloutLaneColumns
  waits: RolloutLaneColumns
  agents: RolloutLaneColumns
  windows: {
    windowId: string
    idx: number
    seq: number
    at: number
    steps: number
    /** Null for a window that the log does not open. */
    index: number | null
    reason: WindowReason | null
    tokens: number | null
    endTokens: number | null
  }[]
  /** The newest of each type. */
  notable: { idx: number; type: 'error' | 'hand_over' | 'wait' | 'restart' | 'limit' }[]
  notableTotal: number
}

export type RolloutPictureRow = {
  idx: number
  step: number
  windowId: string
  windowIndex: number
  kind: string
  tokens: number
}

export type RolloutListQuery = {
  /** Who asks. */
  visibleTo: string
  projectId?: string
  imported?: boolean
  status?: string
  verdict?: string
  labelId?: string
  /** Literal, without case, in the title. */
  text?: string
  after: { updatedAt: number; threadId: string } | null
  limit: number
}
export type RolloutStore = {
  mark(threadId: string): Promise<RolloutMark>
  /** Threads whose log is ahead of their rows; the ones changed last come first. */
  behind(): Promise<string[]>
  /** Derives rows from at most `maxEvents` further events, in one transaction, and answers how far it came. */
  derive(threadId: string, maxEvents: number): Promise<RolloutMark>
  /** Numbers of the rows that the filter shows, ascending. */
  listed(threadId: string, filter: RolloutFilter): Promise<Int32Array>
  rows(threadId: string, idxs: number[]): Promise<RolloutRowKey[]>
  /** For rows of turns, by their numbers: the event of the first message that a person wrote into that turn. */
  asked(threadId: string, idxs: number[]): Promise<Map<number, number>>
  ofKey(threadId: string, key: string): Promise<RolloutRowKey | null>
  /** Number of the row that a place names; null when there is none. */
  place(threadId: string, place: RolloutPlace): Promise<number | null>
  /** Seq at which the step after this row begins; null when it is the last. */
  nextStep(threadId: string, idx: number): Promise<number | null>
  /** Number of a window; of one that the log does not open, its place among the windows. */
  windowIndex(threadId: string, windowId: string): Promise<number>
  /** Tokens of what requests were given, by kind of block, at every so many-th step and the last one. */
  picture(threadId: string, every: number): Promise<RolloutPictureRow[]>
  /** The limit of each window that was opened with one. */
  limits(threadId: string): Promise<Map<string, number>>
  list(query: RolloutListQuery): Promise<RolloutSummary[]>
  /** Numbers of steps by their ids. */
  steps(threadId: string, stepIds: string[]): Promise<Map<string, number>>
  columns(threadId: string): Promise<RolloutColumns>
  /** Models that its steps asked, in order of the first use. */
  models(threadId: string): Promise<string[]>
}
