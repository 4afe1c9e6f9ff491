/**
 * Items: what a thread consists of for people and models. A whole item stands in every event about it, so that a page
 * of events folds alone. Long texts are blobs with a preview.
 */
import { z } from 'zod'
import { ErrorFact } from './error.ts'
import { ActorId, ApprovalId, BlobHash, CommandId, ItemId, OpId, WindowId } from './ids.ts'

/** Characters (UTF-16 units) of a long text that stay in the event beside the blob. */
export const previewChars = 2_000

/** A text of any length. With `blob` the `text` is its first `previewChars` units and `chars` its whole length. */
export const LongText = z.object({
  text: z.string(),
  blob: BlobHash.optional(),
  chars: z.int().optional(),
})
export type LongText = z.infer<typeof LongText>

export const ContentPart = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('text'),
    text: z.string().max(1_000_000),
    blob: BlobHash.optional(),
    chars: z.int().optional(),
  }),
  z.object({
    type: z.literal('image'),
    blob: BlobHash,
    mediaType: z.enum(['image/png', 'image/jpeg', 'image/webp', 'image/gif']),
    name: z.string().max(255).optional(),
    bytes: z.int().optional(),
  }),
  z.object({
    type: z.literal('file'),
    blob: BlobHash,
    name: z.string().max(255),
    mediaType: z.string().max(200),
    bytes: z.int(),
  }),
])
export type ContentPart = z.infer<typeof ContentPart>

export const PlanEntry = z.object({
  text: z.string().max(2_000),
  status: z.enum(['pending', 'in_progress', 'completed']),
})
export type PlanEntry = z.infer<typeof PlanEntry>

export const Question = z.object({
  id: z.string().max(100),
  header: z.string().max(100).optional(),
  text: z.string().max(4_000),
  options: z
    .array(z.object({ label: z.string().max(200), description: z.string().max(1_000).optional() }))
    .max(10),
})
export type Question = z.infer<typeof Question>

/** Answers by question id: the chosen labels and words of the person's own. */
export const Answers = z.record(z.string(), z.array(z.string().max(10_000)).max(20))
export type Answers = z.infer<typeof Answers>

/** What a tool did, for the screen: one shape per kind of work. */
export const ToolDetail = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('command'),
    commandId: CommandId,
    command: z.string(),
    cwd: z.string().optional(),
    /** Absent while the command runs on after its call. */
    exitCode: z.int().nullable().optional(),
    signal: z.string().nullable().optional(),
    timedOut: z.boolean().optional(),
    /** True when the call handed back a session and the command goes on. */
    running: z.boolean(),
    bytes: z.int(),
    /** The raw bytes printed, up to 50 MB. */
    outputBlob: BlobHash.optional(),
  }),
  z.object({
    type: z.literal('patch'),
    files: z.array(
      z.object({
        path: z.string(),
        change: z.enum(['added', 'modified', 'deleted', 'moved']),
        movedTo: z.string().optional(),
        additions: z.int(),
        deletions: z.int(),
      }),
    ),
  }),
  z.object({ type: z.literal('read'), path: z.string(), lines: z.int().optional() }),
  z.object({ type: z.literal('list'), path: z.string(), entries: z.int() }),
  z.object({ type: z.literal('search'), query: z.string(), path: z.string().optional(), matches: z.int() }),
  z.object({ type: z.literal('note'), path: z.string(), version: z.int(), bytes: z.int() }),
  z.object({ type: z.literal('plan') }),
  z.object({ type: z.literal('question') }),
  z.object({ type: z.literal('other') }),
])
export type ToolDetail = z.infer<typeof ToolDetail>

/** One type per stage: proposed → refused | waiting → running → succeeded | failed | interrupted. */
export const ToolCallState = z.discriminatedUnion('status', [
  z.object({ status: z.literal('proposed') }),
  z.object({ status: z.literal('refused'), error: ErrorFact, output: LongText }),
  z.object({
    status: z.literal('waiting'),
    for: z.enum(['approval', 'input']),
    approvalId: ApprovalId.optional(),
  }),
  z.object({ status: z.literal('running'), startedAt: z.int(), detail: ToolDetail.optional() }),
  z.object({
    status: z.literal('succeeded'),
    startedAt: z.int(),
    endedAt: z.int(),
    /** The text that the model was given. */
    output: LongText,
    /** The whole text when `output` was shortened for the model. */
    full: BlobHash.optional(),
    detail: ToolDetail,
  }),
  z.object({
    status: z.literal('failed'),
    startedAt: z.int(),
    endedAt: z.int(),
    error: ErrorFact,
    output: LongText,
    full: BlobHash.optional(),
    detail: ToolDetail.optional(),
  }),
  z.object({
    status: z.literal('interrupted'),
    startedAt: z.int().optional(),
    endedAt: z.int(),
    reason: z.string(),
    output: LongText,
    detail: ToolDetail.optional(),
  }),
])
export type ToolCallState = z.infer<typeof ToolCallState>

const base = { id: ItemId }

export const UserMessage = z.object({
  ...base,
  type: z.literal('user_message'),
  opId: OpId.optional(),
  actorId: ActorId,
  content: z.array(ContentPart).min(1),
  via: z.enum(['start', 'queue', 'steer']),
})
export const AgentMessage = z.object({
  ...base,
  type: z.literal('agent_message'),
  phase: z.enum(['commentary', 'final']),
  text: LongText,
  /** True when the stream ended before the message did. */
  cut: z.boolean().optional(),
})
export const Reasoning = z.object({
  ...base,
  type: z.literal('reasoning'),
  text: LongText,
  /** True when the provider sent reasoning that nobody can read (encrypted or redacted). */
  hidden: z.boolean().optional(),
})
export const ToolCall = z.object({
  ...base,
  type: z.literal('tool_call'),
  /** The provider's id of the call, unique in its window. */
  callId: z.string(),
  tool: z.string(),
  arguments: LongText,
  state: ToolCallState,
})
export const PlanItem = z.object({
  ...base,
  type: z.literal('plan'),
  entries: z.array(PlanEntry).max(100),
  explanation: z.string().max(4_000).optional(),
})
export const QuestionItem = z.object({
  ...base,
  type: z.literal('question'),
  callItemId: ItemId.optional(),
  questions: z.array(Question).min(1).max(10),
  answers: Answers.optional(),
  answeredBy: ActorId.optional(),
  withdrawn: z.boolean().optional(),
})
/** Why a window was opened: the closed list. */
export const WindowReason = z.enum([
  'first_turn',
  /** The model called `new_context`. */
  'asked',
  /** The budget was reached. */
  'budget',
  /** The provider said that the request was too long. */
  'overflow',
  /** By hand. */
  'person',
  'model_changed',
  'tools_changed',
  'thinking_changed',
  // The three cuts of the strategy `layers`.
  'results_cut',
  'middle_cut',
  'latest_only',
  /** The request for a hand-over document was too long; its oldest part was dropped. */
  'oldest_dropped',
])
export type WindowReason = z.infer<typeof WindowReason>

export const HandOver = z.object({
  ...base,
  type: z.literal('hand_over'),
  fromWindowId: WindowId,
  toWindowId: WindowId,
  reason: WindowReason,
  /** Of the window that was opened, from 0; `windowNumber` is what it is called. */
  index: z.int(),
})
/** What people and models call the window of this index: a thread begins with window 1. */
export const windowNumber = (index: number): number => index + 1
export const Notice = z.object({
  ...base,
  type: z.literal('notice'),
  level: z.enum(['info', 'warning', 'error']),
  /** A key of messages/<locale>.json under `notices`, with `values` for its places; `text` is the English sentence. */
  kind: z.string(),
  values: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  text: z.string(),
  error: ErrorFact.optional(),
})

export const Item = z.discriminatedUnion('type', [
  UserMessage,
  AgentMessage,
  Reasoning,
  ToolCall,
  PlanItem,
  QuestionItem,
  HandOver,
  Notice,
])
export type Item = z.infer<typeof Item>
export type UserMessage = z.infer<typeof UserMessage>
export type AgentMessage = z.infer<typeof AgentMessage>
export type Reasoning = z.infer<typeof Reasoning>
export type ToolCall = z.infer<typeof ToolCall>
export type PlanItem = z.infer<typeof PlanItem>
export type QuestionItem = z.infer<typeof QuestionItem>
export type HandOver = z.infer<typeof HandOver>
export type Notice = z.infer<typeof Notice>

/** The parts of an item that stream. `output` is a command's live text. */
export const DeltaPart = z.enum(['text', 'arguments', 'output'])
export type DeltaPart = z.infer<typeof DeltaPart>
