/**
 * A rollout as its viewer reads it: a skeleton that fits in one answer, rows by place, one step in full. Everything here
 * is derived from the log and from stored blocks. Rows stand in the order of the log; `place` counts rows of a filter.
 */
import { z } from 'zod'
import { type GivenBlock, type ThreadEvent, Usage } from './event.ts'
import { ItemId, StepId, ThreadId, TurnId, WindowId } from './ids.ts'
import type { Item, WindowReason } from './item.ts'
import type { WindowBlockRow } from './thread.ts'

/** Bytes of JSON that a skeleton may have at 100,000 events, and rows of one answer. */
export const maxSkeletonBytes = 300_000
export const maxRowsPerAnswer = 200

/**
 * `turn` and `window` are heads of what follows; `step` one model request; `message` words of a person or of the agent;
 * `tool` one call; `marker` a hand-over, an error, a wait for a person, a restart, a limit, a checkpoint, a notice;
 * `record` a line of an imported file that has no other place.
 */
export const RolloutRowKind = z.enum(['turn', 'window', 'step', 'message', 'tool', 'marker', 'record'])
export type RolloutRowKind = z.infer<typeof RolloutRowKind>

/** `none` = nothing to say of it; `running` also for what has no recorded end yet. */
export const RolloutRowStatus = z.enum(['none', 'running', 'ok', 'failed', 'refused', 'interrupted'])
export type RolloutRowStatus = z.infer<typeof RolloutRowStatus>

export const RolloutRow = z.object({
  /** Number of the row among all rows of the rollout, from 0, without holes; it never changes once given. */
  idx: z.int(),
  /** Seq of the event that it begins with. */
  seq: z.int(),
  kind: RolloutRowKind,
  /**
   * Within the kind: a tool's name, a message's item type, a window's reason, a kept record's type; of a marker its event
   * (`approval.requested`, `checkpoint.created`, …), `hand_over`, or the kind of a notice.
   */
  name: z.string(),
  /** At most 160 characters, one line. */
  label: z.string(),
  status: RolloutRowStatus,
  at: z.int(),
  /** Null while it runs, and for what takes no time. */
  durationMs: z.int().nullable(),
  windowId: WindowId,
  turnId: TurnId.nullable(),
  stepId: StepId.nullable(),
  itemId: ItemId.nullable(),
  /** Number of the step in the rollout, from 1; of a tool or message the step it belongs to. */
  step: z.int().nullable(),
  /** Of steps and turns. */
  usage: Usage.nullable(),
  costMicros: z.int().nullable(),
  /** Lines that a tool call or a checkpoint changed. */
  additions: z.int().nullable(),
  deletions: z.int().nullable(),
})
export type RolloutRow = z.infer<typeof RolloutRow>

/** What a list of rows shows; kept in the address. An empty filter shows every row. */
export const RolloutFilter = z.object({
  kinds: z.array(RolloutRowKind).optional(),
  /** Names of tools; other kinds are not touched by it. */
  tools: z.array(z.string().max(100)).max(50).optional(),
  /** Failed, refused and interrupted rows alone. */
  errors: z.boolean().optional(),
  minDurationMs: z.int().min(0).optional(),
  minCostMicros: z.int().min(0).optional(),
  windowId: WindowId.optional(),
  turnId: TurnId.optional(),
})
export type RolloutFilter = z.infer<typeof RolloutFilter>

/** `total` counts the rows of events up to `head`; those up to `logHead` are still to come. */
export type RolloutRows = {
  rows: RolloutRow[]
  from: number
  total: number
  head: number
  logHead: number
}

/** Spans of a lane as columns; a span that stands for several (`count` > 1) covers them all. Times count from `firstAt`. */
export type RolloutSpans = {
  startMs: number[]
  durationMs: number[]
  idx: number[]
  count: number[]
  /** 0 = ok, 1 = something in it failed, 2 = it still runs. */
  flag: number[]
}

export const rolloutLanes = ['steps', 'tools', 'waits', 'agents'] as const
export type RolloutLane = (typeof rolloutLanes)[number]

export type RolloutSkeleton = {
  threadId: string
  title: string
  /** Where it comes from: `null` = made here. */
  imported: { format: string; fileName: string } | null
  /** Everything up to this seq is in it. */
  head: number
  /** The log's own head: while it is ahead of `head`, asking again brings more. */
  logHead: number
  firstAt: number
  lastAt: number
  rows: number
  counts: {
    events: Record<string, number>
    kinds: Record<RolloutRowKind, number>
    tools: Record<string, number>
  }
  totals: {
    turns: number
    steps: number
    usage: z.infer<typeof Usage>
    costMicros: number | null
    modelMs: number
    toolMs: number
    waitMs: number
    errors: number
    retries: number
    filesChanged: number
    additions: number
    deletions: number
  }
  models: string[]
  windows: {
    windowId: string
    index: number
    idx: number
    seq: number
    startMs: number
    reason: z.infer<typeof WindowReason>
    /** Tokens that it began with and that it ended with. */
    tokens: number
    endTokens: number | null
    steps: number
  }[]
  /** All of them; of more than fit every second, third… is listed. */
  windowsTotal: number
  turns: RolloutSpans
  lanes: Record<RolloutLane, RolloutSpans>
  /**
   * Points along the steps, at most 1,000: after the step at `idx`. Sums are of all steps up to it; `context` is what the
   * request weighed, `cached` its cached part.
   */
  series: {
    idx: number[]
    startMs: number[]
    step: number[]
    context: number[]
    cached: number[]
    inputSum: number[]
    cachedSum: number[]
    outputSum: number[]
    costSum: number[]
    modelMsSum: number[]
    toolMsSum: number[]
  }
  /** In order; of each type the newest when there are more than fit. */
  notable: {
    idx: number
    seq: number
    type: 'error' | 'hand_over' | 'wait' | 'restart' | 'limit'
    label: string
  }[]
  notableTotal: number
}

/** How one block of a request is related to the request of the step before. */
export type RequestBlock = WindowBlockRow & {
  hash: string
  callId: string | null
  /** Not in the request of the step before. */
  isNew: boolean
  /** Lies before the last cache mark, or within what the provider counted as cached. */
  cached: boolean
  bytes: number
}

/** One step in full, but for bodies. */
export type RolloutStep = {
  row: RolloutRow
  windowIndex: number
  model: string
  wire: string
  effort: string | null
  blockCount: number
  /** The first block that the step before was not given. */
  newFrom: number
  /** Blocks before this place came out of the provider's cache. */
  cachedTo: number
  cacheMarks: number[]
  request: {
    bodySha256: string
    /** Null when nothing was stored to rebuild it from (an imported rollout). */
    bytes: number | null
    /** What the stored parts hash to; equal to `bodySha256` unless something is broken. */
    rebuiltSha256: string | null
  }
  response: { hash: string | null; bytes: number | null }
  end: {
    status: 'completed' | 'cut' | 'failed'
    usage: z.infer<typeof Usage>
    costMicros: number | null
    firstTokenMs: number | null
    totalMs: number
    retries: number
    providerRequestId: string | null
    stopReason: string
  } | null
  estimatedTokens: number | null
  /** Retries, errors, command and checkpoint events of the step, in order. */
  events: ThreadEvent[]
  /** What the model answered and its calls with their results, in order. */
  items: { item: Item; seq: number; at: number; completedAt: number | null }[]
  /** True when events or items were left out for want of room. */
  cut: boolean
}

/** Blocks of a request from a place on; `next` = where to go on, null at the end. A step without a kept request has none. */
export type RequestBlocks = { blocks: RequestBlock[]; total: number; next: number | null }

/**
 * A part of what one block says, in UTF-16 units. A picture stands in the text as `[image/png, 1,234 bytes]`; its bytes
 * are the thread's blob `hash` when a message brought it.
 */
export type RequestBlockText = {
  content: 'text' | 'markdown' | 'json'
  text: string
  offset: number
  nextOffset: number | null
  totalChars: number
  images: { mediaType: string; bytes: number; hash: string }[]
}

/** The request of one step against another's: what both have, then what only one has. */
export type RequestDifference = {
  a: { stepId: string; blocks: number; tokens: number }
  b: { stepId: string; blocks: number; tokens: number }
  sameTokens: number
  sameBlocks: number
  onlyA: RequestBlock[]
  onlyB: RequestBlock[]
  /** True when a list was cut to 500 blocks. */
  cut: boolean
}

/** Kinds of blocks over the steps of a rollout, at most 500 points: the stacked picture. `tokens[kind][point]`. */
export type WindowPicture = {
  idx: number[]
  step: number[]
  windowIndex: number[]
  kinds: string[]
  tokens: number[][]
  limit: number[]
}

/** A hand-over as the inspector tells it. */
export type HandOverDifference = {
  fromWindowId: string
  toWindowId: string
  reason: z.infer<typeof WindowReason>
  given: z.infer<typeof GivenBlock>[]
  left: RequestBlock[]
  leftTotal: { blocks: number; tokens: number }
  pinned: string[]
}

/** A place in a rollout that a link can name. */
export const RolloutPlace = z.union([
  z.object({ seq: z.int().min(1) }),
  z.object({ stepId: StepId }),
  z.object({ itemId: ItemId }),
  z.object({ turnId: TurnId }),
  z.object({ idx: z.int().min(0) }),
])
export type RolloutPlace = z.infer<typeof RolloutPlace>

/**
 * Where a place stands: the number of its row, and its place in the filtered list; `hidden` when the filter does not show
 * it, then `place` is the next row that it shows.
 */
export type RolloutLocated = { idx: number; place: number; hidden: boolean; total: number }

/** One line of the list of rollouts. */
export const RolloutSummary = z.object({
  threadId: ThreadId,
  title: z.string(),
  projectName: z.string(),
  ownerId: z.string(),
  imported: z.string().nullable(),
  status: z.string(),
  turns: z.int(),
  steps: z.int(),
  windows: z.int(),
  usage: Usage,
  costMicros: z.int().nullable(),
  models: z.array(z.string()),
  errors: z.int(),
  createdAt: z.int(),
  updatedAt: z.int(),
  verdict: z.string().nullable(),
  labels: z.array(z.string()),
})
export type RolloutSummary = z.infer<typeof RolloutSummary>
