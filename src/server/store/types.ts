/**
 * What the rest of the server may ask of the database. Protocol types in and out, never a row type of a library.
 * Every function rejects with a `Fault` (`not_found`, `conflict`, `lease_lost`, `internal` when the database is away).
 */
import type { ThreadEvent } from '../../protocol/event.ts'
import type { ModelInfo, Project, Provider, ProviderKind, ThreadSettings } from '../../protocol/settings.ts'
import type { Draft, ThreadProjection } from '../../protocol/thread.ts'
import type { ImportStore, ThreadOrigin } from './import-types.ts'
import type { LinkStore } from './link-types.ts'
import type { LogStore, OpStore, ThreadState, WindowStore } from './log-types.ts'
import type { NoteStore } from './note-types.ts'
import type {
  AuditStore,
  InviteStore,
  MemberStore,
  SessionStore,
  SharingStore,
  TokenStore,
} from './people-types.ts'
import type { ReviewStore } from './review-types.ts'
import type { RolloutStore } from './rollout-types.ts'
import type { HistoryStore, SearchStore } from './search-types.ts'
import type { WholeStore } from './whole-types.ts'

export type * from './link-types.ts'
export type * from './log-types.ts'
export type { NoteOrder, NoteStore, NotesOf } from './note-types.ts'
export type { Member, MemberStore, ThreadAccess, ThreadAudience, TokenUse } from './people-types.ts'
export type * from './search-types.ts'

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
  /** Only threads that this member sees: their own and those shared with them or the team. */
  visibleTo?: string
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
  /** Called with the ids of threads whose title, pin, archive mark or sharing changed, or that were removed. */
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

/** Content-addressed bytes. */
/** Answers of a blob that is not there, or not there for this reader, are the same. */
export type BlobReader = Pick<BlobStore, 'get' | 'read' | 'size'>

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
  /**
   * The blobs that one thread refers to. Whatever a log, a step, a block or a note names is read through this: a file that
   * was read in may name bytes of others, which it does not hold.
   */
  of(threadId: string): BlobReader
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

export type Store = {
  members: MemberStore
  invites: InviteStore
  sessions: SessionStore
  tokens: TokenStore
  sharing: SharingStore
  links: LinkStore
  auditLog: AuditStore
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
  /** Audit rows written within name the session or token that `auditedBy` tells of, once it is known. */
  audited<T>(work: () => T): T
  auditedBy(by: { type: 'session' | 'token'; id: string }): void
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
