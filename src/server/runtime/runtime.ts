/**
 * All threads that this process runs: opens them when somebody needs them, keeps the heartbeat, goes on after a restart,
 * and is the `WorkerApi` of the doors. Knows no door and no container.
 */
import pLimit from 'p-limit'
import { createBehind } from '../../lib/behind.ts'
import { Fault } from '../../protocol/error.ts'
import type { OpReceipt, OpRequest } from '../../protocol/op.ts'
import type { Draft } from '../../protocol/thread.ts'
import { createRowMaker } from '../rollouts/rollouts.ts'
import type { SandboxNews } from '../sandbox/types.ts'
import { createIndexer } from '../search/indexer.ts'
import { createAppendQueue } from './append-queue.ts'
import { createBus } from './bus.ts'
import { readCommandOutput } from './command-output.ts'
import type { RuntimeDeps } from './context.ts'
import { createListFeed } from './list-feed.ts'
import { follow } from './live.ts'
import { createThread, defaultTitle } from './new-thread.ts'
import { createOwner } from './owner.ts'
import { createReading } from './reading.ts'
import { type Actor, openActor } from './thread-actor.ts'
import { firstLine } from './thread-state.ts'
import type { WorkerApi } from './types.ts'
import { readBlocks } from './window-blocks.ts'

const titleChars = 80
/** How long a door waits for an op to be decided; the op itself is stored long before. */
const decisionMs = 15_000
const saveDraftsMs = 1_000
/** How long a start waits for the container engine before it opens threads all the same. */
const reconcileMs = 5_000
/** A log that fails is opened again, a few times within ten minutes; after that the next op or start does it. */
const reopenMs = 1_000
const reopenTimes = 3
const reopenWithinMs = 600_000
/** Threads that are opened side by side after a start. */
const openAtOnce = 8
const defaultIdleMs = 5 * 60_000
/**
 * A thread that wrote nothing for so long is indexed, as while a model thinks; one that is never quiet once it is this
 * many commits ahead, which a search looks through in a tenth of a second.
 */
const derivedQuietMs = 4_000
const derivedChanges = 2_000

export type Runtime = WorkerApi & {
  /** Whether a turn of the thread runs here: its sandbox is not idle then, even while nothing is called. */
  isWorking(threadId: string): boolean
  /** This process as an owner of threads; another one after it was taken over. */
  ownerId(): string
  /** Takes over what a predecessor left and goes on with it. */
  start(): Promise<void>
  /** Turns are left as they are, for the next start; everything written is stored. */
  stop(): Promise<void>
}

export const createRuntime = (deps: RuntimeDeps): Runtime => {
  const { store, sandboxes, log } = deps
  const actors = new Map<string, Promise<Actor>>()
  const open = new Map<string, { actor: Actor; usedAt: number }>()
  const bus = createBus()
  /** Times at which a thread's log failed. */
  const failures = new Map<string, number[]>()
  let stopping = false
  const timers: NodeJS.Timeout[] = []

  const owner = createOwner({
    leases: store.leases,
    installId: deps.installId,
    worker: deps.worker,
    log,
    onLost: async () => {
      await Promise.all([...open.keys()].map((threadId) => drop(threadId, 'lease_lost')))
    },
    onTaken: () => void recoverUnfinished(),
  })
  const derived = createBehind({
    derivations: [createIndexer(store), createRowMaker(store)],
    quietMs: derivedQuietMs,
    manyChanges: derivedChanges,
    onFailure: (threadId, error) =>
      log.warn('what is derived from a log could not be brought up to it; the next change tries again', {
        threadId,
        error,
      }),
  })
  const appends = createAppendQueue(store.log, owner.id)

  const feed = createListFeed({
    read: async (threadIds) => {
      const rows = await store.threads.many(threadIds)
      // What shows only in memory, such as `stopping`, is part of the row.
      return rows.map((row) => {
        const live = open.get(row.id)?.actor.context.log.state()
        return live?.status === 'stopping' ? { ...row, status: live.status } : row
      })
    },
    onRow: (projection) => bus.projection(projection),
    onError: (error) => log.error('rows of lists could not be read', { error }),
  })
  const unlisten = store.threads.onChange((threadId) => {
    feed.changed(threadId)
    // One that was read from a file has no runner that would tell.
    derived.changed(threadId)
  })

  const openThread = async (threadId: string): Promise<Actor> => {
    if (stopping) throw new Fault('internal', 'The server is stopping.', 'Try again in a moment.')
    const actor = await openActor(await store.leases.claim(threadId, owner.id()), {
      runtime: deps,
      bus,
      appends,
      onState: (changed) => {
        feed.changed(changed)
        derived.changed(changed)
      },
      onNews,
      onLost: (lost, error) => void onLost(lost, error),
    })
    open.set(threadId, { actor, usedAt: Date.now() })
    await actor.recover()
    return actor
  }

  /** The thread's runner, opened if it is not in memory. */
  const actorOf = (threadId: string): Promise<Actor> => {
    const known = actors.get(threadId)
    if (known) {
      const entry = open.get(threadId)
      if (entry) entry.usedAt = Date.now()
      return known
    }
    const opening = openThread(threadId)
    actors.set(threadId, opening)
    opening.catch(() => {
      if (actors.get(threadId) === opening) {
        actors.delete(threadId)
        open.delete(threadId)
      }
    })
    return opening
  }

  const drop = async (threadId: string, reason: 'shutdown' | 'lease_lost'): Promise<void> => {
    const entry = open.get(threadId)
    actors.delete(threadId)
    open.delete(threadId)
    await entry?.actor.close(reason)
  }

  /** A runner whose log failed is let go; when the lease is still ours, the thread is opened again from the log. */
  const onLost = async (threadId: string, error: unknown): Promise<void> => {
    const isOurs = !(error instanceof Fault && error.code === 'lease_lost')
    log.warn('a thread’s log could not be written', { threadId, error })
    await drop(threadId, 'lease_lost')
    const recent = (failures.get(threadId) ?? []).filter((at) => at > Date.now() - reopenWithinMs)
    failures.set(threadId, [...recent, Date.now()])
    if (!isOurs || stopping || recent.length >= reopenTimes) return
    setTimeout(() => void recoverAll([threadId]), reopenMs).unref()
  }

  const onNews = (threadId: string, news: SandboxNews): void => {
    if (stopping) return
    void actorOf(threadId).then(
      (actor) => actor.news(news),
      (error: unknown) =>
        log.warn('news of a sandbox could not be told', { threadId, news: news.type, error }),
    )
  }

  const recoverAll = async (threadIds: string[]): Promise<void> => {
    const limit = pLimit(openAtOnce)
    await Promise.all(
      threadIds.map((threadId) =>
        limit(() => actorOf(threadId)).catch((error: unknown) =>
          log.error('a thread could not be opened again', { threadId, error }),
        ),
      ),
    )
  }

  const recoverUnfinished = async (): Promise<void> => {
    const leases = await store.leases.unfinished(owner.id())
    await recoverAll(leases.map((lease) => lease.threadId).filter((threadId) => !actors.has(threadId)))
  }

  /** What the database says of containers against what the engine says; an engine that is away must not keep threads shut. */
  const reconcile = async (): Promise<void> => {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, reconcileMs)
    const done = sandboxes.reconcile().then(
      (found) => log.info('sandboxes were compared with the engine', found),
      (error: unknown) => log.warn('sandboxes could not be compared with the engine', { error }),
    )
    await Promise.race([done, late])
    clearTimeout(timer)
  }

  const saveDrafts = async (): Promise<void> => {
    for (const { actor } of open.values()) await actor.context.log.saveDrafts()
  }

  const dropIdle = async (): Promise<void> => {
    const before = Date.now() - (deps.idleMs ?? defaultIdleMs)
    for (const [threadId, { actor, usedAt }] of open) {
      if (usedAt < before && actor.isIdle() && bus.readers(threadId) === 0) await drop(threadId, 'shutdown')
    }
  }

  const every = (ms: number, work: () => Promise<void>): void => {
    let busy = false
    const timer = setInterval(() => {
      if (busy) return
      busy = true
      work()
        .catch((error: unknown) => log.warn('housekeeping failed', { error }))
        .finally(() => {
          busy = false
        })
    }, ms)
    timer.unref()
    timers.push(timer)
  }

  const drafts = async (threadId: string): Promise<Draft[]> => {
    const entry = open.get(threadId)
    return entry ? entry.actor.context.log.drafts.list() : store.drafts.list(threadId)
  }

  /** A thread that nobody named is named after its first message. */
  const nameAfter = async (actor: Actor, { op, threadId }: OpRequest): Promise<void> => {
    if (op.type !== 'turn.start' || actor.context.log.state().turns > 1) return
    const words = op.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ')
    const title = firstLine(words, titleChars)
    if (title === '') return
    const { title: known } = await store.threads.get(threadId)
    if (known === defaultTitle) await store.threads.rename(threadId, title, 'system')
  }

  const submit = async (request: OpRequest, actorId: string): Promise<OpReceipt> => {
    const { stored, receipt } = await store.ops.accept({
      ...request,
      actorId,
      status: 'accepted',
      acceptedAt: Date.now(),
      position: null,
    })
    if (receipt) return receipt
    const accepted: OpReceipt = { opId: request.clientId, status: 'accepted' }
    const { promise: late, resolve } = Promise.withResolvers<OpReceipt>()
    const timer = setTimeout(() => resolve(accepted), decisionMs)
    try {
      // A fault from here on (a take-over, a stop) changes nothing: the op is stored, and decided by whoever goes on.
      const decided = (async () => {
        const actor = await actorOf(request.threadId)
        const given = await actor.deliver(stored)
        if (given.status !== 'refused') await nameAfter(actor, request)
        return given
      })().catch((error: unknown) => {
        log.warn('an op waits for its thread', { threadId: request.threadId, error })
        return accepted
      })
      return await Promise.race([decided, late])
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    ...createReading(store),
    createThread: (input) => createThread(store, owner.id(), input),
    submit,
    queue: async (threadId) => {
      const { context } = await actorOf(threadId)
      return context.queue.map(({ opId, actorId, op, queuedAt }) => ({
        opId,
        actorId,
        content: op.content,
        queuedAt,
      }))
    },
    page: (threadId, before, limit) => store.log.page(threadId, before, limit),
    subscribe: (threadId, after, signal) => follow({ bus, log: store.log, drafts }, threadId, after, signal),
    drafts,
    subscribeList: (signal) => feed.subscribe(signal),
    commandOutput: (threadId, commandId, from, limit) =>
      readCommandOutput(
        store,
        async () => (await (await actorOf(threadId)).context.workspace()).sandbox,
        { threadId, commandId },
        { from, limit },
      ),
    diff: async (threadId, from, to, path) => {
      const { sandbox } = await (await actorOf(threadId)).context.workspace()
      return sandbox.diff(from, to, path)
    },
    fileAt: async (threadId, tree, path) => {
      const { sandbox } = await (await actorOf(threadId)).context.workspace()
      return sandbox.fileAt(tree, path)
    },
    windowBlocks: (threadId, windowId, from, limit) => readBlocks(store, threadId, windowId, from, limit),
    windows: (threadId, wanted) => store.log.windows(threadId, wanted),
    deleteThread: async (threadId, actorId) => {
      const actor = await actorOf(threadId)
      const { sandbox } = await actor.context.workspace()
      await drop(threadId, 'lease_lost')
      await sandbox.destroy()
      await store.threads.remove(threadId, actorId)
    },
    health: async () => {
      const [database, engine] = await Promise.all([store.health(), sandboxes.health()])
      return { database, engine, threads: open.size }
    },

    ownerId: owner.id,
    isWorking: (threadId) => (open.get(threadId)?.actor.context.turn ?? null) !== null,

    start: async () => {
      await owner.start()
      await reconcile()
      every(saveDraftsMs, saveDrafts)
      every(Math.min(30_000, deps.idleMs ?? defaultIdleMs), dropIdle)
      await recoverUnfinished()
      sandboxes.warm()
      derived.start()
    },

    stop: async () => {
      stopping = true
      for (const timer of timers) clearInterval(timer)
      unlisten()
      const indexed = derived.stop()
      feed.close()
      await Promise.allSettled([...actors.values()])
      await Promise.all([...open.keys()].map((threadId) => drop(threadId, 'shutdown')))
      await appends.drain()
      appends.close()
      await indexed
      await owner.stop()
    },
  }
}
