/**
 * What one thread's runner holds in memory, shared by the parts that act on it. One per thread and process; everything
 * in it can be read from the database again.
 */

import type { Answers } from '../../protocol/item.ts'
import type { StoredOp } from '../../protocol/op.ts'
import type { ModelRef } from '../../protocol/settings.ts'
import type { Interceptors } from '../agent/types.ts'
import type { WindowState } from '../context/types.ts'
import type { Log } from '../log.ts'
import type { ModelInfo, Provider, WindowTraits } from '../providers/types.ts'
import type { SandboxManager } from '../sandbox/types.ts'
import type { Store, ThreadAgent } from '../store/types.ts'
import type { CommandSession, ToolSet } from '../tools/types.ts'
import type { AppendQueue } from './append-queue.ts'
import type { Bus } from './bus.ts'
import type { Commands } from './commands.ts'
import type { QueuedMessage } from './message-queue.ts'
import type { NoteMemory } from './notes.ts'
import type { ThreadLog } from './thread-log.ts'
import type { Workspace } from './workspace.ts'

/** For whom the key of a provider is taken. */
export type KeyUse = { threadId: string; actorId: string }

/** What the runtime is given by whoever composes the server. */
export type RuntimeDeps = {
  store: Store
  sandboxes: SandboxManager
  tools: ToolSet
  /**
   * A provider's connection and a model's figures; Fault `model_not_found`, `provider_auth`, … `use`: for whose turn its key
   * is taken; absent = it is only looked whether there is such a model.
   */
  resolveModel(
    ref: ModelRef,
    use?: KeyUse,
  ): Promise<{ provider: Provider; model: ModelInfo; traits: WindowTraits }>
  log: Log
  installId: string
  /** Name of this process among those of the installation; the next one of that name takes its threads at once. */
  worker: string
  interceptors?: Interceptors[]
  /** Milliseconds without a turn, a command or a reader after which a thread leaves memory. Default 5 minutes. */
  idleMs?: number
}

export type RunningTurn = {
  turnId: string
  controller: AbortController
  /** Resolves when the turn is over and what follows it has begun. */
  done: Promise<void>
}

export type ThreadContext = {
  readonly threadId: string
  readonly projectId: string
  /** Which agent of which tree of threads works here. */
  readonly agent: ThreadAgent
  readonly deps: RuntimeDeps
  readonly bus: Bus
  readonly appends: AppendQueue
  log: ThreadLog
  commands: Commands
  /** Made at the first use; makes no container yet. */
  workspace(): Promise<Workspace>
  /** Runs `work` after everything that was asked of this thread before. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  queue: QueuedMessage[]
  steers: StoredOp[]
  turn: RunningTurn | null
  /** Interrupt ops that are settled by the end of the turn. */
  interrupts: string[]
  /** Questions that the running turn waits for, by item id. */
  questions: Map<string, (answers: Answers | null) => void>
  /** Answers that came before the resumed turn asked again. */
  early: Map<string, Answers>
  /** Ops that answered a question, by item id; settled with `input.resolved`. */
  answered: Map<string, string>
  sessions: Map<string, CommandSession>
  window: WindowState | null
  noteMemory: NoteMemory
  /** New windows that people asked for while a turn runs; settled by the window that is opened. */
  windowOps: StoredOp[]
  /** The hand-over document that a model writes now, within a turn or between turns. */
  document: { stepId: string; controller: AbortController } | null
  /** The log is lost or the process ends: nothing more is begun. */
  closing: boolean
}
