/**
 * Threads as lists and screens see them: states, the projection row, and what a live subscription carries.
 */
import { z } from 'zod'
import { ErrorFact } from './error.ts'
import { type ItemDelta, type ThreadEvent, Usage } from './event.ts'
import { CommandId, ItemId, ProjectId, ThreadId, TurnId, UserId, WindowId } from './ids.ts'
import { DeltaPart } from './item.ts'
import { ThreadSettings } from './settings.ts'

export const ThreadStatus = z.enum([
  'idle',
  'queued',
  'working',
  'waiting_for_person',
  'stopping',
  'failed',
  'closed',
])
export type ThreadStatus = z.infer<typeof ThreadStatus>

export const SandboxStatus = z.enum([
  'absent',
  'starting',
  'ready',
  'busy',
  'idle',
  'stopping',
  'stopped',
  'lost',
])
export type SandboxStatus = z.infer<typeof SandboxStatus>

export const ConnectionStatus = z.enum(['connecting', 'live', 'catching_up', 'offline'])
export type ConnectionStatus = z.infer<typeof ConnectionStatus>

/** Seqs of events: what a hint is made from, so that a hand-over reads a few rows and never the history. */
export const Landmarks = z.object({
  /** The first message of the thread. */
  goal: z.int().nullable(),
  /** The newest messages of people, oldest first. */
  requests: z.array(z.int()),
  plan: z.int().nullable(),
  /** The last thing that the agent said. */
  answer: z.int().nullable(),
  checkpoint: z.int().nullable(),
  failure: z.int().nullable(),
  /** The last question that a person answered. */
  question: z.int().nullable(),
  /** Commands that have begun and not ended. */
  commands: z.array(z.object({ commandId: CommandId, seq: z.int() })),
  /** The last change of the workspace's rules. */
  rules: z.int().nullable(),
  /** The model's wish for a new window, while none was opened since. */
  renewal: z.int().nullable(),
})
export type Landmarks = z.infer<typeof Landmarks>

export const noLandmarks: Landmarks = {
  goal: null,
  requests: [],
  plan: null,
  answer: null,
  checkpoint: null,
  failure: null,
  question: null,
  commands: [],
  rules: null,
  renewal: null,
}

/** The row that lists read and that a thread opens with; derived from the log, written in the append's transaction. */
export const ThreadProjection = z.object({
  id: ThreadId,
  projectId: ProjectId,
  projectName: z.string(),
  ownerId: UserId,
  title: z.string(),
  status: ThreadStatus,
  sandbox: SandboxStatus,
  pinned: z.boolean(),
  archived: z.boolean(),
  settings: ThreadSettings,
  windowId: WindowId,
  windowIndex: z.int(),
  turnId: TurnId.nullable(),
  turnStartedAt: z.int().nullable(),
  /** The highest seq in the log. */
  head: z.int(),
  turns: z.int(),
  steps: z.int(),
  usage: Usage,
  costMicros: z.int().nullable(),
  /** Tokens of the last request, and the model's limit; null before the first step. */
  contextTokens: z.int().nullable(),
  contextLimit: z.int().nullable(),
  additions: z.int(),
  deletions: z.int(),
  filesChanged: z.int(),
  queued: z.int(),
  lastLine: z.string(),
  lastError: ErrorFact.nullable(),
  /** Items that come along into every new window, oldest pin first. */
  pinnedItems: z.array(ItemId),
  /** Where in the log the things are that a new window is told of. */
  landmarks: Landmarks,
  /** Wire and family that the current window was opened with; null before the first turn. */
  lockedModel: z.object({ wire: z.string(), family: z.string() }).nullable(),
  createdAt: z.int(),
  updatedAt: z.int(),
})
export type ThreadProjection = z.infer<typeof ThreadProjection>

/** Text in flight with its offset, given on subscribing and after a gap. */
export const Draft = z.object({
  itemId: ItemId,
  part: DeltaPart,
  offset: z.int(),
  text: z.string(),
  /** For `output`: the byte offset after `text`, which may hold replacement characters. */
  nextOffset: z.int().min(0).optional(),
})
export type Draft = z.infer<typeof Draft>

/**
 * What a thread's subscription yields, in this order: `ready` with the drafts, the events after the cursor, then live
 * events and deltas. Events are tracked by seq, so a reconnecting client goes on where it was.
 */
export type LiveMessage =
  | { type: 'ready'; head: number; drafts: Draft[] }
  | { type: 'events'; events: ThreadEvent[] }
  | { type: 'deltas'; deltas: ItemDelta[] }
  | { type: 'projection'; projection: ThreadProjection }

/** One block of a window, for its panel. `preview` is at most 200 characters of what it says. */
export type WindowBlockRow = {
  idx: number
  kind: string
  tokens: number
  reason: string
  itemId: string | null
  preview: string
}

/** One page of the log, newest page first; `before` = the seq to ask for next, null at the beginning. */
export type EventPage = { events: ThreadEvent[]; before: number | null; head: number }

/** One line of a list subscription: a thread row that changed or went away. */
export type ThreadListChange =
  | { type: 'upsert'; projection: ThreadProjection }
  | { type: 'removed'; threadId: string }
