/**
 * One thread's runner: takes its ops one after the other, runs its turns, and tells what its sandbox does. Opened from
 * the database, it goes on with whatever a dead process left. Knows no door.
 */
import type { ThreadEvent } from '../../protocol/event.ts'
import type { OpReceipt, StoredOp } from '../../protocol/op.ts'
import type { ThreadProjection } from '../../protocol/thread.ts'
import { releaseHeadCopy } from '../agent/head-copy.ts'
import type { SandboxNews } from '../sandbox/types.ts'
import type { Lease, OpChange, ThreadAgent, ThreadState } from '../store/types.ts'
import type { AppendQueue } from './append-queue.ts'
import type { Bus } from './bus.ts'
import { createCommands } from './commands.ts'
import type { RuntimeDeps, ThreadContext } from './context.ts'
import { newNoteMemory } from './notes.ts'
import { decideOp } from './op-decisions.ts'
import { readInbox, recoverSandbox, recoverTurn } from './recover-thread.ts'
import { sandboxEvent, settledBy } from './thread-events.ts'
import { createThreadLog } from './thread-log.ts'
import { emitQueue, goOn, stopTurn } from './turn-runner.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

/** Ops that wait for a container: they must not keep others, an interrupt above all, from being decided. */
const slowOps = new Set<StoredOp['op']['type']>([
  'command.kill',
  'command.input',
  'sandbox.start',
  'sandbox.stop',
])
/** How long a stopped process waits for its turns to let go. */
const letGoMs = 3_000

export type Actor = {
  readonly context: ThreadContext
  /** Decides the op; resolves with its receipt once that is stored. */
  deliver(op: StoredOp): Promise<OpReceipt>
  news(news: SandboxNews): void
  /** Goes on with what was left; called once after opening. */
  recover(): Promise<void>
  isIdle(): boolean
  /** Lets go of everything; the log holds all that is needed to go on. */
  close(reason: 'shutdown' | 'lease_lost'): Promise<void>
}

export type ActorDeps = {
  runtime: RuntimeDeps
  bus: Bus
  appends: AppendQueue
  /** The state changed: lists want to know. */
  onState(threadId: string): void
  onNews(threadId: string, news: SandboxNews): void
  /** The log can no longer be written by this runner. */
  onLost(threadId: string, error: unknown): void
}

const stateOf = (projection: ThreadProjection): ThreadState => {
  const {
    id: _id,
    projectId: _projectId,
    projectName: _projectName,
    ownerId: _ownerId,
    title: _title,
    pinned: _pinned,
    archived: _archived,
    createdAt: _createdAt,
    ...state
  } = projection
  return state
}

/** Opens a thread whose lease this process holds. */
export const openActor = async (lease: Lease, deps: ActorDeps): Promise<Actor> => {
  const { threadId } = lease
  const { runtime } = deps
  const [projection, [agent]] = await Promise.all([
    runtime.store.threads.get(threadId),
    runtime.store.threads.agents([threadId]),
  ])
  let tail: Promise<unknown> = Promise.resolve()
  let opened: Promise<Workspace> | null = null
  const waiting = new Map<string, { promise: Promise<OpReceipt>; resolve: (receipt: OpReceipt) => void }>()

  const onOps = (ops: OpChange[]): void => {
    for (const { opId, status, error } of ops) {
      waiting.get(opId)?.resolve({ opId, status, ...(error === undefined ? {} : { error }) })
      waiting.delete(opId)
    }
  }

  const openWorkspace = async (): Promise<Workspace> =>
    createWorkspace({
      threadId,
      sandbox: await runtime.sandboxes.forThread(threadId, (news) => deps.onNews(threadId, news)),
      store: runtime.store,
      log: () => context.log,
    })

  const context: ThreadContext = {
    threadId,
    projectId: projection.projectId,
    agent: agent as ThreadAgent,
    deps: runtime,
    bus: deps.bus,
    appends: deps.appends,
    log: createThreadLog(threadId, lease.fence, stateOf(projection), {
      store: runtime.store,
      queue: deps.appends,
      bus: deps.bus,
      log: runtime.log,
      now: Date.now,
      opsOf: (event) => settledBy(context, event),
      onOps,
      onCommitted: (events: ThreadEvent[]) => {
        if (events.length > 0) deps.onState(threadId)
      },
      onLost: (error) => deps.onLost(threadId, error),
    }),
    commands: createCommands({
      threadId,
      sandbox: async () => (await context.workspace()).sandbox,
      threadLog: () => context.log,
      log: runtime.log,
      isSession: (commandId) => context.sessions.has(commandId),
      onExit: () => void checkpointAtRest(),
    }),
    workspace: () => {
      opened ??= openWorkspace()
      opened.catch(() => {
        opened = null
      })
      return opened
    },
    inTurn: (work) => {
      const result = tail.then(work)
      tail = result.catch(() => undefined)
      return result
    },
    queue: [],
    steers: [],
    turn: null,
    interrupts: [],
    questions: new Map(),
    early: new Map(),
    answered: new Map(),
    sessions: new Map(),
    window: null,
    noteMemory: newNoteMemory(),
    windowOps: [],
    document: null,
    closing: false,
  }

  /** What a background command wrote is recorded when it ends, unless a turn does so anyway. */
  const checkpointAtRest = async (): Promise<void> => {
    if (context.turn || context.closing) return
    try {
      await (await context.workspace()).checkpoint()
    } catch (error) {
      runtime.log.warn('a checkpoint after a background command failed', { threadId, error })
    }
  }

  const decide = async (op: StoredOp): Promise<void> => {
    await decideOp(context, op)
    if (op.op.type === 'turn.interrupt') deps.onState(threadId)
  }

  const deliver = (op: StoredOp): Promise<OpReceipt> => {
    const known = waiting.get(op.clientId)
    if (known) return known.promise
    const { promise, resolve, reject } = Promise.withResolvers<OpReceipt>()
    waiting.set(op.clientId, { promise, resolve })
    const decided = slowOps.has(op.op.type) ? decide(op) : context.inTurn(() => decide(op))
    decided.catch((error: unknown) => {
      waiting.delete(op.clientId)
      reject(error)
    })
    return promise
  }

  const tell = (news: SandboxNews): void => {
    if (news.type === 'lost')
      void context.workspace().then(
        (workspace) => workspace.lost(),
        () => undefined,
      )
    // Opening a thread finds out by itself what such news says once more.
    if (!context.log.alive() || context.log.state().sandbox === news.type) return
    context.log.emit(sandboxEvent(context.log.state().windowId, news)).catch(() => undefined)
  }

  return {
    context,
    deliver,
    news: tell,

    recover: () =>
      context.inTurn(async () => {
        const undecided = await readInbox(context)
        await recoverTurn(context)
        const news = await recoverSandbox(context).catch((error: unknown) => {
          runtime.log.warn('the sandbox of a thread could not be looked at', { threadId, error })
          return null
        })
        if (news !== null) tell(news)
        if (context.queue.length !== context.log.state().queued) await emitQueue(context, 'system')
        for (const op of undecided) void deliver(op).catch(() => undefined)
        if (!context.turn) void context.inTurn(() => goOn(context)).catch(() => undefined)
      }),

    isIdle: () => !context.turn && context.commands.running().length === 0 && waiting.size === 0,

    close: async (reason) => {
      context.closing = true
      stopTurn(context, { type: reason })
      context.commands.close()
      if (context.turn) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const timer = setTimeout(resolve, letGoMs)
        await Promise.race([context.turn.done, promise])
        clearTimeout(timer)
      }
      if (reason === 'shutdown') {
        await context.log.saveDrafts().catch(() => undefined)
        await context.log.flush().catch(() => undefined)
      }
      context.log.retire()
      if (context.window !== null) releaseHeadCopy(context.window)
    },
  }
}
