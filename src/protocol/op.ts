/**
 * Ops: what a client asks of a thread, in the imperative. The client makes the id, so that sending twice is one op.
 */
import { z } from 'zod'
import { ErrorFact } from './error.ts'
import { type ActorId, ApprovalId, CommandId, ItemId, OpId, StepId, ThreadId, TurnId } from './ids.ts'
import { Answers, ContentPart } from './item.ts'
import { Effort, ModelRef, ThreadSettings } from './settings.ts'

const Content = z.array(ContentPart).min(1).max(50)

export const Op = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('turn.start'),
    content: Content,
    model: ModelRef.optional(),
    effort: Effort.nullable().optional(),
    cwd: z.string().max(4_096).optional(),
  }),
  z.object({ type: z.literal('turn.steer'), content: Content, expectedTurnId: TurnId }),
  z.object({ type: z.literal('turn.interrupt'), turnId: TurnId }),
  z.object({ type: z.literal('queue.edit'), opId: OpId, content: Content }),
  z.object({ type: z.literal('queue.move'), opId: OpId, before: OpId.nullable() }),
  z.object({ type: z.literal('queue.cancel'), opId: OpId }),
  z.object({
    type: z.literal('approval.answer'),
    approvalId: ApprovalId,
    decision: z.enum(['once', 'thread', 'refuse']),
    pattern: z.string().max(1_000).optional(),
    expiresAt: z.int().optional(),
    words: z.string().max(4_000).optional(),
  }),
  z.object({ type: z.literal('input.answer'), itemId: ItemId, answers: Answers }),
  z.object({ type: z.literal('window.start'), focus: z.string().max(4_000).optional() }),
  /** The document that this step writes is not waited for: the new window goes on from notes and history. */
  z.object({ type: z.literal('document.stop'), stepId: StepId }),
  z.object({ type: z.literal('window.pin'), itemId: ItemId, pinned: z.boolean() }),
  z.object({
    type: z.literal('note.write'),
    path: z.string().min(1).max(500),
    text: z.string().max(1_000_000),
    baseVersion: z.int().optional(),
  }),
  z.object({ type: z.literal('thread.settings'), settings: ThreadSettings.partial() }),
  z.object({ type: z.literal('thread.rewind'), beforeTurnId: TurnId, files: z.boolean() }),
  z.object({ type: z.literal('thread.redo') }),
  z.object({ type: z.literal('command.kill'), commandId: CommandId }),
  z.object({ type: z.literal('command.input'), commandId: CommandId, text: z.string().max(65_536) }),
  z.object({ type: z.literal('sandbox.start') }),
  z.object({ type: z.literal('sandbox.stop') }),
  z.object({
    type: z.literal('egress.allow'),
    host: z.string().min(1).max(253),
    scope: z.enum(['once', 'thread']),
  }),
  z.object({ type: z.literal('thread.close') }),
])
export type Op = z.infer<typeof Op>

/** What a client sends. `clientId` is an op id made by the client; the same one again answers with the first receipt. */
export const OpRequest = z.object({ threadId: ThreadId, clientId: OpId, op: Op })
export type OpRequest = z.infer<typeof OpRequest>

export const OpStatus = z.enum(['accepted', 'queued', 'applied', 'cancelled', 'refused'])
export type OpStatus = z.infer<typeof OpStatus>

/** The durable answer to an op: it is stored; whether and how it was applied shows in `status` and in the log. */
export const OpReceipt = z.object({
  opId: OpId,
  status: OpStatus,
  error: ErrorFact.optional(),
})
export type OpReceipt = z.infer<typeof OpReceipt>

/** An op as stored in the inbox. */
export type StoredOp = OpRequest & {
  actorId: ActorId
  status: OpStatus
  acceptedAt: number
  position: number | null
}
