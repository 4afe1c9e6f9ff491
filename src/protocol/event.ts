/**
 * Events: what happened in a thread, append-only, numbered per thread from 1 without holes. The only transcript; every
 * screen, count and export is derived from it. `item.delta` alone is not durable and has no seq.
 */
import { z } from 'zod'
import { ErrorFact } from './error.ts'
import {
  ActorId,
  ApprovalId,
  BlobHash,
  CheckpointId,
  CommandId,
  ItemId,
  OpId,
  ProjectId,
  SandboxId,
  StepId,
  ThreadId,
  TurnId,
  WindowId,
} from './ids.ts'
import { ImportFormat } from './import.ts'
import { Answers, DeltaPart, Item, LongText, WindowReason } from './item.ts'
import { ModelRef, Strategy, ThreadSettings } from './settings.ts'

/** Tokens of one request or of many. `input` includes the cached and the cache-write tokens. */
export const Usage = z.object({
  input: z.int(),
  cachedInput: z.int(),
  cacheWrite: z.int(),
  output: z.int(),
  reasoning: z.int(),
})
export type Usage = z.infer<typeof Usage>

export const noUsage: Usage = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 }

/** Adds two usages field by field. */
export const addUsage = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  cachedInput: a.cachedInput + b.cachedInput,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  output: a.output + b.output,
  reasoning: a.reasoning + b.reasoning,
})

/** Micro-dollars; null = the model's prices are not known. */
const Cost = z.int().nullable()

export const FileChange = z.object({
  path: z.string(),
  change: z.enum(['added', 'modified', 'deleted', 'moved']),
  movedFrom: z.string().optional(),
  additions: z.int(),
  deletions: z.int(),
  binary: z.boolean(),
})
export type FileChange = z.infer<typeof FileChange>

/** Files named in one `checkpoint.created`; the rest is counted and read from the trees. */
export const filesInCheckpointEvent = 50

/** A block that a new window began with. Its tools are one entry with their number. */
export const GivenBlock = z.object({
  /** A kind of block, or `world:<section>`. */
  kind: z.string(),
  tokens: z.int(),
  reason: z.string(),
  itemId: ItemId.optional(),
  /** SHA-256 of what it says; of several blocks the hash of their hashes. */
  hash: BlobHash,
  count: z.int().optional(),
})
export type GivenBlock = z.infer<typeof GivenBlock>

/** Item ids of what stayed behind that `window.opened` names; all of it is in the history. */
export const leftItemIds = 30

/** A rules file that the model is given, with the SHA-256 of the words of it that it is given. */
export const RulesFile = z.object({ path: z.string(), hash: BlobHash })
export type RulesFile = z.infer<typeof RulesFile>

/** Rules files that an event names; a working directory has no more above it. */
export const rulesInEvent = 20

const windowOpened = z.object({
  index: z.int(),
  reason: WindowReason,
  blocks: z.int(),
  /** Estimated tokens of all that it began with. */
  tokens: z.int(),
  // Absent in events of before there was more than one window.
  strategy: Strategy.optional(),
  /** Tokens at which the window counts as full. */
  limitTokens: z.int().optional(),
  fromWindowId: WindowId.optional(),
  /** In the order of the window; with `givenBlob` its beginning, and the blob holds all of it as JSON. */
  given: z.array(GivenBlock).optional(),
  givenBlob: BlobHash.optional(),
  /** What the window before it had and this one has not; `itemIds` are the newest of `items`. */
  left: z
    .object({
      blocks: z.int(),
      items: z.int(),
      tokens: z.int(),
      itemIds: z.array(ItemId).max(leftItemIds),
    })
    .optional(),
  /** What it was told of the time before: the hint, or a model's hand-over document. */
  hint: LongText.optional(),
  /** Every rules file that it began with. */
  rules: z.array(RulesFile).optional(),
  pinned: z.array(ItemId).optional(),
  /** A person's line on what matters. */
  focus: z.string().optional(),
})

const turnEnd = {
  usage: Usage,
  costMicros: Cost,
  durationMs: z.int(),
  steps: z.int(),
}

export const eventBodies = {
  'thread.created': z.object({
    projectId: ProjectId,
    title: z.string(),
    settings: ThreadSettings,
    fromThreadId: ThreadId.optional(),
  }),
  'thread.settings_changed': z.object({ settings: ThreadSettings, changed: z.array(z.string()) }),
  'thread.forked': z.object({ toThreadId: ThreadId }),
  'thread.rewound': z.object({ beforeTurnId: TurnId, files: z.boolean(), toSeq: z.int() }),
  'thread.closed': z.object({}),
  'turn.queued': z.object({ opId: OpId, preview: z.string() }),
  'turn.started': z.object({ opId: OpId.optional(), model: ModelRef, modelLabel: z.string() }),
  'turn.completed': z.object(turnEnd),
  'turn.interrupted': z.object({ ...turnEnd, reason: z.string() }),
  'turn.failed': z.object({ ...turnEnd, error: ErrorFact }),
  'turn.limited': z.object({ ...turnEnd, error: ErrorFact }),
  'window.opened': windowOpened,
  /**
   * The model was told: `reminder` that little is left, `limit` to save its notes and to ask for a new window,
   * `not_renewed` that the window it asked for is not opened, since its last note was not saved.
   */
  'window.warned': z.object({
    kind: z.enum(['reminder', 'limit', 'not_renewed']),
    usedTokens: z.int(),
    remainingTokens: z.int(),
  }),
  'window.closed': z.object({ index: z.int(), reason: WindowReason, tokens: z.int() }),
  /** A pinned item is given to every later window. */
  'window.pinned': z.object({ itemId: ItemId, pinned: z.boolean() }),
  'step.started': z.object({
    index: z.int(),
    blockCount: z.int(),
    newBlocks: z.int(),
    bodySha256: BlobHash,
    estimatedTokens: z.int(),
    /** What the answer is for when it is no part of the conversation: the document for the window that follows. */
    purpose: z.literal('hand_over_document').optional(),
  }),
  'step.completed': z.object({
    usage: Usage,
    costMicros: Cost,
    firstTokenMs: z.int().nullable(),
    totalMs: z.int(),
    retries: z.int(),
    stopReason: z.string(),
    toolCalls: z.int(),
    contextTokens: z.int(),
    contextLimit: z.int(),
    /** What the request's input was thought to be before it was sent; `usage.input` is what it was. */
    estimatedTokens: z.int().optional(),
  }),
  'step.cut': z.object({ error: ErrorFact, usage: Usage, costMicros: Cost, totalMs: z.int() }),
  'step.failed': z.object({
    error: ErrorFact,
    usage: Usage,
    costMicros: Cost,
    totalMs: z.int(),
    retries: z.int(),
  }),
  'step.retried': z.object({ error: ErrorFact, attempt: z.int(), waitMs: z.int(), nextAt: z.int() }),
  'item.started': z.object({ item: Item }),
  'item.completed': z.object({ item: Item }),
  'approval.requested': z.object({ approvalId: ApprovalId, action: z.string(), reason: z.string() }),
  'approval.resolved': z.object({
    approvalId: ApprovalId,
    decision: z.enum(['allowed', 'refused', 'expired', 'withdrawn']),
  }),
  'input.requested': z.object({ itemId: ItemId }),
  'input.resolved': z.object({
    itemId: ItemId,
    answers: Answers.optional(),
    withdrawn: z.boolean().optional(),
  }),
  'queue.changed': z.object({
    queue: z.array(z.object({ opId: OpId, actorId: ActorId, preview: z.string(), queuedAt: z.int() })),
  }),
  'sandbox.starting': z.object({ sandboxId: SandboxId, image: z.string(), why: z.string() }),
  'sandbox.ready': z.object({ sandboxId: SandboxId, fromPool: z.boolean(), durationMs: z.int() }),
  'sandbox.stopped': z.object({ sandboxId: SandboxId, why: z.string() }),
  'sandbox.lost': z.object({ sandboxId: SandboxId.optional(), error: ErrorFact }),
  'command.started': z.object({
    commandId: CommandId,
    itemId: ItemId,
    command: z.string(),
    mode: z.string(),
    tty: z.boolean(),
  }),
  'command.exited': z.object({
    commandId: CommandId,
    itemId: ItemId,
    status: z.enum(['exited', 'killed', 'lost']),
    exitCode: z.int().nullable(),
    signal: z.string().nullable(),
    bytes: z.int(),
    outputBlob: BlobHash.optional(),
  }),
  'checkpoint.created': z.object({
    checkpointId: CheckpointId,
    tree: z.string(),
    /** What a restore takes: the tree and every `.git` in it. */
    snapshot: z.string().optional(),
    previousTree: z.string().nullable(),
    baseTree: z.string(),
    files: z.array(FileChange).max(filesInCheckpointEvent),
    fileCount: z.int(),
    additions: z.int(),
    deletions: z.int(),
    leftOut: z.array(z.object({ path: z.string(), why: z.string() })).max(20),
    packBlob: BlobHash.optional(),
    durationMs: z.int(),
  }),
  'checkpoint.failed': z.object({ error: ErrorFact }),
  'egress.denied': z.object({ host: z.string(), port: z.int(), rule: z.string() }),
  'budget.warned': z.object({ budget: z.string(), used: z.number(), limit: z.number() }),
  'budget.stopped': z.object({ budget: z.string(), used: z.number(), limit: z.number() }),
  'server.restarted': z.object({
    resumed: z.array(z.string()),
    repeated: z.array(z.string()),
    abandoned: z.array(z.string()),
  }),
  'agent.spawned': z.object({ childThreadId: ThreadId, agentPath: z.string() }),
  'agent.message': z.object({ fromThreadId: ThreadId, text: z.string() }),
  'agent.finished': z.object({ childThreadId: ThreadId, status: z.string() }),
  /** What the workspace's AGENTS.md files say is another than before; no files = they are gone. */
  'rules.changed': z.object({
    files: z.array(RulesFile).max(rulesInEvent),
    /** With its frame, as the model is given it. */
    text: LongText,
  }),
  'note.written': z.object({
    agentPath: z.string(),
    path: z.string(),
    version: z.int(),
    bytes: z.int(),
    /** The version that somebody else had written meanwhile and that this one lies on; both are kept. */
    overVersion: z.int().optional(),
  }),
  /** The first event after `thread.created` of a rollout that was read from a file; `report` is `ImportReport` as JSON. */
  'rollout.imported': z.object({
    format: ImportFormat,
    fileName: z.string().max(255),
    /** The program that wrote it, as the file says. */
    program: z.string().max(100).optional(),
  }),
  /** A line or part of the imported file that no other event tells: kept raw. */
  'record.kept': z.object({
    /** From 1; of files without lines the number of the record. */
    line: z.int(),
    /** Its type as the file names it; empty = none. */
    kind: z.string().max(200),
    why: z.enum(['unknown_type', 'unreadable', 'no_place', 'doubled']),
    raw: LongText,
  }),
} as const

export type EventType = keyof typeof eventBodies
export type EventBody<T extends EventType> = z.infer<(typeof eventBodies)[T]>

/** Bytes of JSON that one event's body may have; larger parts are blobs. */
export const maxEventBodyBytes = 8_192

type EventOf<T extends EventType> = {
  threadId: string
  seq: number
  type: T
  windowId: string
  turnId?: string
  stepId?: string
  itemId?: string
  actorId: ActorId
  /** Milliseconds since 1970, UTC. */
  at: number
  body: EventBody<T>
}

/** A durable event, discriminated by `type`. */
export type ThreadEvent = { [T in EventType]: EventOf<T> }[EventType]

/** An event before it has a place in the log: the writer gives thread, seq and time. */
export type NewEvent = { [T in EventType]: Omit<EventOf<T>, 'threadId' | 'seq' | 'at'> }[EventType]

const envelope = {
  threadId: ThreadId,
  seq: z.int().min(1),
  windowId: WindowId,
  turnId: TurnId.optional(),
  stepId: StepId.optional(),
  itemId: ItemId.optional(),
  actorId: ActorId,
  at: z.int(),
}

const eventSchemas = Object.fromEntries(
  Object.entries(eventBodies).map(([type, body]) => [
    type,
    z.object({ ...envelope, type: z.literal(type), body }),
  ]),
)

/** Parses a stored or received event; throws a ZodError when it is none. */
export const parseEvent = (value: unknown): ThreadEvent => {
  const type = (value as { type?: unknown } | null)?.type
  const schema =
    typeof type === 'string' && Object.hasOwn(eventSchemas, type) ? eventSchemas[type] : undefined
  if (!schema)
    throw new z.ZodError([
      { code: 'custom', path: ['type'], message: `unknown event type ${String(type)}`, input: type },
    ])
  return schema.parse(value) as unknown as ThreadEvent
}

/** A piece of text in flight. `offset` counts UTF-16 units of `part` from its start (bytes for `output`). */
export const ItemDelta = z.object({
  type: z.literal('item.delta'),
  threadId: ThreadId,
  itemId: ItemId,
  part: DeltaPart,
  offset: z.int().min(0),
  text: z.string(),
  /** For `output`: the byte offset after this piece (text may hold replacement characters). */
  nextOffset: z.int().min(0).optional(),
})
export type ItemDelta = z.infer<typeof ItemDelta>
