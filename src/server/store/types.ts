/**
 * What the rest of the server may ask of the database. Protocol types in and out, never a row type of a library.
 * Every function rejects with a `Fault` (`not_found`, `conflict`, `lease_lost`, `internal` when the database is away).
 */
import type { ErrorFact } from '../../protocol/error.ts'
import type { EventBody, EventType, ThreadEvent } from '../../protocol/event.ts'
import type { HistoryRole, HistoryWindow, SearchMode } from '../../protocol/history.ts'
import type { Item } from '../../protocol/item.ts'
import type { Op, OpReceipt, OpStatus, StoredOp } from '../../protocol/op.ts'
import type { ModelInfo, Project, Provider, ProviderKind, ThreadSettings } from '../../protocol/settings.ts'
import type { Draft, EventPage, ThreadProjection } from '../../protocol/thread.ts'
import type { NewBlock, WindowFrozen } from '../context/types.ts'
import type { ImportStore, ThreadOrigin } from './import-types.ts'
import type { NoteStore } from './note-types.ts'

export type { NoteOrder, NoteStore, NotesOf } from './note-types.ts'

import type { ReviewStore } from './review-types.ts'
import type { RolloutStore } from './rollout-types.ts'
import type { WholeStore } from './whole-types.ts'

export type MemberRole = 'owner' | 'admin' | 'member' | 'viewer'
export type Member = { userId: string; name: string; email: string; role: MemberRole; disabled: boolean }

export type MemberStore = {
  /** The installation's one team; made at the first call. */
  team(): Promise<{ id: string; name: string }>
  /** Null when the user does not exist, is no member or is disabled. */
  get(userId: string): Promise<Member | null>
  list(): Promise<Member[]>
  /** Members behind sessions that are valid now, by session id; ended sessions and disabled members are absent. */
  ofSessions(sessionIds: string[]): Promise<Map<string, Member>>
  count(): Promise<number>
  add(userId: string, role: MemberRole): Promise<Member>
  /** A one-time link's secret: only its SHA-256 is kept. Replaces an unused one of the same kind. */
  makeInvite(kind: 'setup' | 'member', role: MemberRole, expiresInMs: number): Promise<{ token: string }>
  /** Whether the token is unused and not expired. */
  checkInvite(token: string): Promise<{ kind: 'setup' | 'member'; role: MemberRole } | null>
  /** Uses the token up and makes the user a member, in one transaction; Fault `forbidden` when it is not valid. */
  redeemInvite(token: string, userId: string): Promise<Member>
}

export type SaveProvider = {
  name: string
  kind: ProviderKind
  baseUrl: string | null
  /** Plain text, encrypted before it is stored; absent = unchanged, null = no key. */
  key?: string | null
  models: ModelInfo[]
}

export type ProviderStore = {
  list(): Promise<Provider[]>
  get(providerId: string): Promise<Provider>
  create(input: SaveProvider, actorId: string): Promise<Provider>
  update(providerId: string, input: Partial<SaveProvider>, actorId: string): Promise<Provider>
  /** The one provider of this source and kind, made or changed at start (`environment`, `demo`). */
  upsertManaged(source: 'environment' | 'demo', input: SaveProvider): Promise<Provider>
  remove(providerId: string, actorId: string): Promise<void>
  /** The key in plain text, for the connection only; null when there is none. */
  key(providerId: string): Promise<string | null>
}

export type SaveProject = { name: string; instructions?: string; defaults?: Partial<ThreadSettings> }

export type ProjectStore = {
  list(): Promise<Project[]>
  get(projectId: string): Promise<Project>
  create(input: SaveProject, actorId: string): Promise<Project>
  update(projectId: string, input: Partial<SaveProject>, actorId: string): Promise<Project>
  /** Fault `conflict` while threads exist in it. */
  remove(projectId: string, actorId: string): Promise<void>
  /** The tar (already stored as a blob) that new workspaces start from. */
  setUpload(
    projectId: string,
    upload: { hash: string; files: number; bytes: number },
    actorId: string,
  ): Promise<Project>
  upload(projectId: string): Promise<string | null>
}

export type ThreadQuery = {
  /** Only threads of this user. */
  ownerId?: string
  projectId?: string
  /** Literal, without case, in title and last line. */
  search?: string
  archived?: boolean
  /** At most this many, pinned first, then newest first. Default 200. */
  limit?: number
}

export type ThreadStore = {
  list(query: ThreadQuery): Promise<ThreadProjection[]>
  get(threadId: string): Promise<ThreadProjection>
  many(threadIds: string[]): Promise<ThreadProjection[]>
  rename(threadId: string, title: string, actorId: string): Promise<ThreadProjection>
  pin(threadId: string, pinned: boolean, actorId: string): Promise<ThreadProjection>
  archive(threadId: string, archived: boolean, actorId: string): Promise<ThreadProjection>
  /** Rows, events, ops, windows, drafts and blobs that nobody else refers to. Runtime calls it after the sandbox. */
  remove(threadId: string, actorId: string): Promise<void>
  /** Thread, lease, projection and first event in one transaction. */
  create(input: NewThread): Promise<void>
  seed(threadId: string): Promise<ThreadSeed | null>
  /** A title that the thread's own making gives it: no audit row. */
  name(threadId: string, title: string): Promise<void>
  /** Threads that were being imported show from now on. */
  reveal(threadIds: string[]): Promise<void>
  /** Where an imported thread comes from; null = it was made here. */
  origin(threadId: string): Promise<ThreadOrigin | null>
  /** Which agents these threads are; unknown ones are left out. */
  agents(threadIds: string[]): Promise<ThreadAgent[]>
  /** The agent of this name in the tree of a root, for example `/root/tests`; null when there is none. */
  agentNamed(rootThreadId: string, agentPath: string): Promise<ThreadAgent | null>
  /** Called with the ids of threads whose title, pin or archive mark changed, or that were removed. */
  onChange(listener: (threadId: string) => void): () => void
}

/** What the first workspace of a thread starts from; its blobs are referred to by the thread itself. */
export type ThreadSeed =
  | { type: 'upload'; hash: string }
  | { type: 'checkpoint'; snapshot: string; packs: string[] }

/** A thread as the agent that it is. An ordinary one is its own root and the agent `/root`. */
export type ThreadAgent = {
  threadId: string
  rootThreadId: string
  parentThreadId: string | null
  agentPath: string
  ownerId: string
}

export type NewThread = {
  threadId: string
  projectId: string
  ownerId: string
  title: string
  fromThreadId: string | null
  seed: ThreadSeed | null
  /** Of a rollout that was read from a file of our own; see `maskIds`. */
  idMask?: string
  /** Of a sub-agent: the thread that it works for, and its name in the tree. */
  agent?: { parentThreadId: string; rootThreadId: string; agentPath: string }
  lease: { ownerId: string }
  first: ThreadEvent
  state: ThreadState
  /** Such a thread shows nowhere until it is revealed. */
  imported?: ThreadOrigin
}

/** The derived part of a projection: what the log says. Title, pin, archive and names come from ordinary tables. */
export type ThreadState = Omit<
  ThreadProjection,
  'id' | 'projectId' | 'projectName' | 'ownerId' | 'title' | 'pinned' | 'archived' | 'createdAt'
>

export type Lease = { threadId: string; fence: number }

export type LeaseStore = {
  /** Registers this process; its heartbeat is good for 4 s by the database's clock. */
  register(owner: { ownerId: string; installId: string; worker: string }): Promise<void>
  /** False when somebody took over: then nothing of this owner may be written again. */
  renew(ownerId: string): Promise<boolean>
  release(ownerId: string): Promise<void>
  /** Takes all threads of earlier owners with the same installation and worker name, alive or not. */
  takePredecessors(owner: { ownerId: string; installId: string; worker: string }): Promise<Lease[]>
  /** Takes the threads of owners whose heartbeat expired. */
  sweep(ownerId: string): Promise<Lease[]>
  /** The lease of one thread, taken over when its owner is gone; Fault `lease_lost` while another is alive. */
  claim(threadId: string, ownerId: string): Promise<Lease>
  /** Threads of this owner with work left: ops not settled, a state that is not at rest, or a container that runs. */
  unfinished(ownerId: string): Promise<Lease[]>
}

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

/** Content-addressed bytes. */
export type BlobStore = {
  /** Stores the bytes (1 MB chunks) and answers with their SHA-256. */
  put(bytes: Uint8Array): Promise<string>
  putStream(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<{ hash: string; bytes: number }>
  /** Fault `not_found`. */
  get(hash: string): Promise<Uint8Array>
  /** Chunks in order, optionally a range. */
  read(hash: string, range?: { from: number; limit: number }): AsyncIterable<Uint8Array>
  size(hash: string): Promise<number | null>
  ref(threadId: string, hash: string): Promise<void>
  /** Whether the blob may be served under this thread. */
  reachable(threadId: string, hash: string): Promise<boolean>
}

export type DraftStore = {
  save(threadId: string, drafts: Draft[]): Promise<void>
  list(threadId: string): Promise<Draft[]>
  clear(threadId: string): Promise<void>
}

/** A container and its volume as the database knows them. `threadId` null = in the pool. */
export type SandboxRow = {
  sandboxId: string
  installId: string
  threadId: string | null
  containerId: string | null
  volume: string
  image: string
  status: string
  uid: number
  createdAt: number
  usedAt: number
  /** Particulars of the sandbox room. */
  data: Record<string, unknown>
}

export type SandboxStore = {
  list(installId: string): Promise<SandboxRow[]>
  /** The thread's newest row. */
  ofThread(threadId: string): Promise<SandboxRow | null>
  save(row: SandboxRow): Promise<void>
  /** Gives a pooled sandbox to a thread; false when it is not free any more. */
  assign(sandboxId: string, threadId: string): Promise<boolean>
  remove(sandboxId: string): Promise<void>
}

export type EntryFilter = {
  agentPath?: string
  windowId?: string
  role?: HistoryRole
  tool?: string
  status?: string
}

/** An item as its newest event tells it. */
export type ItemRow = {
  threadId: string
  seq: number
  windowId: string
  actorId: string
  at: number
  done: boolean
  item: Item
}

export type HistoryStore = {
  /** Every window of the thread, oldest first. */
  windows(threadId: string): Promise<Omit<HistoryWindow, 'agentPath'>[]>
  /** Completed items, at most `limit`, on the far side of the cursor (a seq). */
  items(
    threadId: string,
    filter: EntryFilter,
    page: { limit: number; recentFirst: boolean; cursor: number | null },
  ): Promise<ItemRow[]>
  /** Null when the thread has no such item. */
  item(threadId: string, itemId: string): Promise<ItemRow | null>
  /** The newest call of one of the tools among the last events, whatever became of it. */
  lastCall(threadId: string, tools: string[]): Promise<ItemRow | null>
  /** How the command of a call ended, and where in the log. */
  exit(threadId: string, itemId: string): Promise<{ seq: number; body: EventBody<'command.exited'> } | null>
}

/** A row of `SearchDoc`. */
export type SearchDoc = {
  threadId: string
  seq: number
  part: number
  itemId: string
  windowId: string
  agentPath: string
  role: HistoryRole
  kind: Item['type']
  tool: string | null
  status: string | null
  actorId: string
  at: number
  offset: number
  text: string
}

export type SearchScope = { type: 'thread'; threadId: string } | { type: 'owner'; ownerId: string }

export type SearchQuery = EntryFilter & {
  scope: SearchScope
  mode: SearchMode
  text: string
  limit: number
  recentFirst: boolean
  /** What `SearchPlace` says of the last hit of the page before. */
  after: SearchPlace | null
}
export type SearchPlace = { at: number; threadId: string; seq: number }

/** What an event's row and its thread's say of it now. */
export type EventPlace = {
  threadTitle: string
  agentPath: string
  turnId: string | null
  stepId: string | null
}

export type SearchStore = {
  /** Everything up to this seq is indexed; 0 at first. */
  mark(threadId: string): Promise<number>
  /** Threads whose log is ahead of their mark; of one owner, or of all; the ones changed last come first. */
  behind(ownerId?: string): Promise<{ threadId: string; mark: number }[]>
  /**
   * Stores the documents and moves the mark from `from` to `to` (the same for the first documents of an event whose
   * others follow); false when somebody else moved it meanwhile.
   */
  add(threadId: string, from: number, to: number, docs: SearchDoc[]): Promise<boolean>
  /**
   * One document per event, in order of place; with `stoppedAt` the search cost what one may, and goes on from there. A
   * literal of one or two characters needs a scope of one thread, Fault `bad_input` otherwise.
   */
  find(query: SearchQuery): Promise<{ docs: SearchDoc[]; stoppedAt: SearchPlace | null }>
  /** Events that fit by thread, up to `most` in all, of threads in `marks` only those up to there. */
  count(
    query: SearchQuery,
    most: number,
    marks: Map<string, number>,
  ): Promise<{ threads: Map<string, number>; more: boolean }>
  /** The documents in the order of how well they fit the words. */
  rank(words: string, docs: SearchDoc[]): Promise<SearchDoc[]>
  /** By `<thread id> <seq>`; events of threads that are gone are absent. */
  events(places: { threadId: string; seq: number }[]): Promise<Map<string, EventPlace>>
  /** Which of the texts, not indexed yet, hold the words: the same rule as for those that are. */
  matches(words: string, texts: string[]): Promise<boolean[]>
}

export type Store = {
  members: MemberStore
  providers: ProviderStore
  projects: ProjectStore
  threads: ThreadStore
  leases: LeaseStore
  log: LogStore
  ops: OpStore
  windows: WindowStore
  whole: WholeStore
  blobs: BlobStore
  imports: ImportStore
  drafts: DraftStore
  sandboxes: SandboxStore
  notes: NoteStore
  history: HistoryStore
  search: SearchStore
  reviews: ReviewStore
  rollouts: RolloutStore
  /** The database client that the sign-in library's adapter takes; tables User, Session, Account, Verification. */
  authClient: object
  /** One audit row, for doors whose change is not one of this room's functions. */
  audit(entry: AuditEntry): Promise<void>
  health(): Promise<boolean>
  close(): Promise<void>
}

export type AuditEntry = {
  actorId: string
  action: string
  targetType: string
  targetId: string
  details?: Record<string, unknown>
}
