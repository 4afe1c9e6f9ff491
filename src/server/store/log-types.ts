/**
 * What the rest of the server may ask of the log and of windows: what one append writes, and how events, ops, blocks and
 * steps are read again.
 */
import type { ErrorFact } from '../../protocol/error.ts'
import type { EventBody, EventType, ThreadEvent } from '../../protocol/event.ts'
import type { Op, OpReceipt, OpStatus, StoredOp } from '../../protocol/op.ts'
import type { EventPage, ThreadProjection } from '../../protocol/thread.ts'
import type { NewBlock, WindowFrozen } from '../context/types.ts'

/** The derived part of a projection: what the log says. Title, pin, archive and names come from ordinary tables. */
export type ThreadState = Omit<
  ThreadProjection,
  'id' | 'projectId' | 'projectName' | 'ownerId' | 'title' | 'pinned' | 'archived' | 'createdAt'
>

/** One thread's part of an append. Events are numbered from the stored head by the lease holder. */
export type ThreadAppend = {
  threadId: string
  fence: number
  events: ThreadEvent[]
  /** The state after the last event. */
  state: ThreadState
  ops?: OpChange[]
  windows?: NewWindow[]
  blocks?: BlockRow[]
  steps?: StepRow[]
  stepEnds?: StepEndRow[]
  /** Items whose drafts are over. */
  endedDrafts?: string[]
  /** Small blobs written in the same statement (≤ 64 KB each); larger ones are put before. */
  blobs?: { hash: string; bytes: Uint8Array }[]
  /** Blobs that become reachable under this thread. */
  refs?: string[]
}

export type OpChange = {
  opId: string
  status: OpStatus
  error?: ErrorFact
  /** Place among the waiting ops; null = none. */
  position?: number | null
  /** New content of an edited op. */
  op?: Op
}

/** `frozen` is JSON: what is fixed for the window's whole life. */
export type NewWindow = { windowId: string; index: number; frozen: WindowFrozen }
/** `wireHash`: the bytes are a blob of that name, stored on its own; `wire` is empty then. */
export type BlockRow = NewBlock & { windowId: string; wireHash?: string }
export type StepRow = {
  stepId: string
  windowId: string
  turnId: string
  index: number
  blockCount: number
  envelopeHash: string
  cacheMarks: number[]
  bodySha256: string
  model: string
  startedAt: number
}
export type StepEndRow = {
  stepId: string
  status: 'completed' | 'cut' | 'failed'
  usage: ThreadState['usage']
  costMicros: number | null
  firstTokenMs: number | null
  totalMs: number
  retries: number
  providerRequestId: string | null
  stopReason: string
  rawResponseHash: string | null
}

export type LogStore = {
  /**
   * One statement for all threads; ids of the threads whose lease no longer fits come back in `lost`. Rejects at once with
   * `details.away` while the database does not answer: doing the same append again changes nothing.
   */
  append(ownerId: string, appends: ThreadAppend[]): Promise<{ lost: string[] }>
  head(threadId: string): Promise<number>
  /** Newest first page before a seq; at most `limit` events and 1 MB of bodies, at least one event. */
  page(threadId: string, before: number | null, limit: number): Promise<EventPage>
  /** Events with seq > after, in order, at most `limit`. */
  after(threadId: string, after: number, limit: number): Promise<ThreadEvent[]>
  /** The events at these places, in order; a place without one is left out. */
  at(threadId: string, seqs: number[]): Promise<ThreadEvent[]>
  /** Events that bear the step's id, of a stretch [from, to], in order, at most 2,000. */
  ofStep(threadId: string, stepId: string, from: number, to: number): Promise<ThreadEvent[]>
  /** The newest event about each of these items, in the order of the log; items that are not in it are left out. */
  lastOfItems(threadId: string, itemIds: string[]): Promise<ThreadEvent[]>
  /** Events of the given types, in order. */
  ofTypes(threadId: string, types: ThreadEvent['type'][], after?: number): Promise<ThreadEvent[]>
  /**
   * How windows were opened and closed, of the whole thread or of one window, with seq > after, in order: at most 1,000
   * and 1 MB of them, one at least. `next` = where to go on after, null at the end.
   */
  windows(
    threadId: string,
    wanted: { windowId: string | null; after: number },
  ): Promise<{ events: ThreadEvent[]; next: number | null }>
  /** Events of the given types with a seq in (after, upTo], in order, at most `limit`. */
  stretch(
    threadId: string,
    types: ThreadEvent['type'][],
    after: number,
    upTo: number,
    limit: number,
  ): Promise<ThreadEvent[]>
  /** The newest event of a type; null when there is none. */
  last<T extends EventType>(threadId: string, type: T): Promise<Extract<ThreadEvent, { type: T }> | null>
  /** Commands that have begun and not ended, oldest first. */
  openCommands(threadId: string): Promise<Extract<ThreadEvent, { type: 'command.started' }>[]>
  /** How a command ended; null while it runs, or when there is none of this id. */
  commandEnd(threadId: string, commandId: string): Promise<EventBody<'command.exited'> | null>
}

export type OpStore = {
  /** Stores the op unless its id is known; Fault `conflict` when the id is known with other content. */
  accept(op: StoredOp): Promise<{ stored: StoredOp; receipt: OpReceipt | null; isNew: boolean }>
  /** Ops that are not decided yet (`accepted`), oldest first, then the queue in order (`queued`). */
  pending(threadId: string): Promise<StoredOp[]>
  get(threadId: string, opId: string): Promise<StoredOp | null>
}

export type StoredWindow = NewWindow & { threadId: string }

/** `bytes`: how long its storage form is. */
export type BlockInList = Omit<BlockRow, 'wire' | 'windowId'> & { bytes: number }
export type BlockHead = BlockInList & { head: Uint8Array }
export type StoredStep = StepRow & { end: Omit<StepEndRow, 'stepId'> | null }

export type WindowStore = {
  get(windowId: string): Promise<StoredWindow | null>
  /** Blocks with their wire bytes, in order, from one place to before another. */
  blocks(windowId: string, from?: number, to?: number): Promise<BlockRow[]>
  /** The thread's first window, and all whose number is above `after`, oldest first. */
  newest(threadId: string, after: number): Promise<{ windowId: string; index: number }[]>
  /**
   * Blocks without their bytes, in order, for people: of each the first `headBytes` bytes of its storage form. At most
   * `limit` from `from` on.
   */
  heads(windowId: string, from: number, limit: number, headBytes: number): Promise<BlockHead[]>
  /** The newest step of a window that was answered; null when there is none. */
  lastAnswered(windowId: string): Promise<{ blockCount: number; usage: ThreadState['usage'] } | null>
  /** Of these blocks the first bytes of their storage form, by place. */
  headsAt(windowId: string, idxs: number[], headBytes: number): Promise<Map<number, Uint8Array>>
  /** The step of the window that was asked before this one; null for its first. */
  before(windowId: string, stepId: string): Promise<StoredStep | null>
  /** The first `to` blocks without their bytes, in order. */
  list(windowId: string, to: number): Promise<BlockInList[]>
  steps(threadId: string): Promise<StoredStep[]>
  /** Null when the thread has no such step. */
  step(threadId: string, stepId: string): Promise<StoredStep | null>
}
