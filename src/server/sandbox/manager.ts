/**
 * All sandboxes of this process: who has one, the warm pool, idle stops, and the comparison with the engine at start.
 * Composes the parts of this room; the containers' own states are the boxes' business.
 */
import pLimit from 'p-limit'
import { CONTAINER } from '../../../sandbox/supervisor/protocol.ts'
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import type { Log } from '../log.ts'
import type { SandboxRow, SandboxStore } from '../store/types.ts'
import { Box, type BoxContext } from './box.ts'
import type { Trees } from './checkpoints.ts'
import { specOf, volumesOf } from './container-spec.ts'
import { createEngine, type Engine } from './engine.ts'
import { Pool } from './pool.ts'
import { ThreadSandbox } from './thread-sandbox.ts'
import type { Sandbox, SandboxConfig, SandboxManager, SandboxNews } from './types.ts'

const startsAtOnce = 4

export type ManagerOptions = {
  config: SandboxConfig
  rows: SandboxStore
  log: Log
  /** Absent: the Docker engine that the configuration names. */
  engine?: Engine
  /** Whether a thread has a turn or an open terminal: then its sandbox is not idle, whatever was last called. */
  isWorking?: (threadId: string) => boolean
  /** Milliseconds; absent: the clock. */
  now?: () => number
}

export class Manager implements SandboxManager {
  private readonly config: SandboxConfig
  private readonly rows: SandboxStore
  private readonly log: Log
  private readonly now: () => number
  private readonly isWorking: (threadId: string) => boolean
  private readonly engine: Engine
  private readonly boxes = new Map<string, Box>()
  private readonly threads = new Map<string, Promise<ThreadSandbox>>()
  private readonly pool: Pool
  private readonly boxContext: BoxContext
  private readonly closing = new AbortController()
  private readonly idleTimer: NodeJS.Timeout
  private uids: Promise<Set<number>> | null = null

  constructor({ config, rows, log, engine, isWorking, now }: ManagerOptions) {
    this.config = config
    this.rows = rows
    this.log = log
    this.now = now ?? Date.now
    this.isWorking = isWorking ?? (() => false)
    this.engine = engine ?? createEngine(config.dockerHost)
    const limit = pLimit(startsAtOnce)
    this.boxContext = {
      engine: this.engine,
      rows,
      config,
      log,
      now: this.now,
      limitStarts: (work) => limit(work),
      onRemoved: (box) => void this.forgetBox(box),
    }
    this.pool = new Pool({
      size: config.poolSize,
      make: () => this.make(null, { base: null, last: null }, null),
      isBusy: () =>
        [...this.boxes.values()].some((box) => box.calls + box.readers > 0 || box.status === 'starting'),
      log,
    })
    this.idleTimer = setInterval(() => this.stopIdle(), 60_000)
    this.idleTimer.unref()
    this.engine.watch(
      config.installId,
      (sandboxId) => {
        const ended = sandboxId === null ? this.boxes.values() : [this.boxes.get(sandboxId)]
        for (const box of ended) box?.check()
      },
      this.closing.signal,
    )
  }

  async forThread(threadId: string, onNews: (news: SandboxNews) => void): Promise<Sandbox> {
    let handle = this.threads.get(threadId)
    if (handle === undefined) {
      handle = this.openThread(threadId)
      this.threads.set(threadId, handle)
      handle.catch(() => this.threads.delete(threadId))
    }
    const sandbox = await handle
    sandbox.listen(onNews)
    return sandbox
  }

  private async openThread(threadId: string): Promise<ThreadSandbox> {
    const row = await this.rows.ofThread(threadId)
    const known = row === null ? undefined : this.boxes.get(row.sandboxId)
    const confirmed = row === null || known ? row : await this.asEngineSays(row)
    // Whoever was quicker has the one box there is per sandbox.
    const box = confirmed === null ? null : (this.boxes.get(confirmed.sandboxId) ?? this.track(confirmed))
    return new ThreadSandbox(threadId, box, {
      obtain: (thread, trees, listener) => this.obtain(thread, trees, listener),
      now: this.now,
      onDestroyed: () => void this.threads.delete(threadId),
    })
  }

  /** The row with the status that the engine confirms. A row without container and volumes says `lost`. */
  private async asEngineSays(row: SandboxRow): Promise<SandboxRow> {
    try {
      const state = row.containerId === null ? null : await this.engine.inspect(row.containerId)
      if (state?.running) return { ...row, status: 'ready' }
      if (state !== null) return { ...row, status: row.status === 'lost' ? 'lost' : 'stopped' }
      return { ...row, status: (await this.engine.hasVolumes(row.volume)) ? 'stopped' : 'lost' }
    } catch (error) {
      // Without an engine nothing is known: the first call asks again.
      this.log.warn('a sandbox’s state is not known', { sandboxId: row.sandboxId, error })
      return { ...row, status: 'stopped' }
    }
  }

  private track(row: SandboxRow): Box {
    const box = new Box(row, this.boxContext)
    this.boxes.set(row.sandboxId, box)
    return box
  }

  /** The container of a sandbox, for tests that break it. */
  boxOf(sandboxId: string): Box | undefined {
    return this.boxes.get(sandboxId)
  }

  private async forgetBox(box: Box): Promise<void> {
    this.boxes.delete(box.row.sandboxId)
    ;(await this.uids)?.delete(box.row.uid)
  }

  /** Pool first, else a new container. Only for threads without a workspace: whoever has one has a row. */
  private async obtain(threadId: string, trees: Trees, listener: (news: SandboxNews) => void): Promise<Box> {
    const startedAt = this.now()
    for (let box = this.pool.take(); box !== null; box = this.pool.take()) {
      if (!(await this.rows.assign(box.row.sandboxId, threadId))) {
        this.boxes.delete(box.row.sandboxId)
        box.close()
        continue
      }
      box.row = {
        ...box.row,
        threadId,
        data: { ...box.row.data, baseTree: trees.base, lastTree: trees.last },
      }
      const { sandboxId, image } = box.row
      try {
        await box.up('first use')
      } catch (error) {
        this.log.warn('a pooled sandbox was not usable', { sandboxId, error })
        await box.destroy().catch(() => undefined)
        continue
      }
      listener({ type: 'starting', sandboxId, image, why: 'first use' })
      box.usedAt = this.now()
      await box.save()
      listener({ type: 'ready', sandboxId, fromPool: true, durationMs: this.now() - startedAt })
      box.listen(listener)
      return box
    }
    return this.make(threadId, trees, listener)
  }

  private async make(
    threadId: string | null,
    trees: Trees,
    listener: ((news: SandboxNews) => void) | null,
  ): Promise<Box> {
    const sandboxId = newId('sbx')
    const { rows } = this
    const { installId, image, limits } = this.config
    const now = this.now()
    const row: SandboxRow = {
      sandboxId,
      installId,
      threadId,
      containerId: null,
      volume: `baton-${installId}-${sandboxId.slice('sbx_'.length)}`,
      image,
      status: 'starting',
      uid: await this.takeUid(),
      createdAt: now,
      usedAt: now,
      data: { spec: specOf(image, limits), baseTree: trees.base, lastTree: trees.last },
    }
    // The row is there before the container, so that no container is without one.
    await rows.save(row)
    const box = this.track(row)
    if (listener) box.listen(listener)
    try {
      await box.up(threadId === null ? 'kept ready' : 'first use')
      return box
    } catch (error) {
      await box.destroy().catch(async (failed: unknown) => {
        // What the engine still has of it belongs to nobody then; the next comparison removes it.
        this.log.warn('a sandbox that did not start was not removed', { sandboxId, error: failed })
        box.close()
        await rows.remove(sandboxId)
        await this.forgetBox(box)
      })
      throw error
    }
  }

  private async takeUid(): Promise<number> {
    this.uids ??= this.rows.list(this.config.installId).then((rows) => new Set(rows.map(({ uid }) => uid)))
    const taken = await this.uids
    for (let uid: number = CONTAINER.uidFirst; uid <= CONTAINER.uidLast; uid += 1) {
      if (taken.has(uid)) continue
      taken.add(uid)
      return uid
    }
    throw new Fault(
      'limit_reached',
      'There are as many sandboxes as user ids for them.',
      'Delete threads that are done.',
    )
  }

  stopIdle(): void {
    const isIdle = (box: Box): boolean =>
      box.row.threadId !== null &&
      box.calls === 0 &&
      this.now() - box.usedAt >= this.config.idleMs &&
      !this.isWorking(box.row.threadId)
    for (const box of this.boxes.values()) {
      if (!box.isUp || !isIdle(box)) continue
      box
        .down('idle', () => !isIdle(box))
        .catch((error: unknown) => this.log.warn('an idle sandbox was not stopped', { error }))
    }
  }

  async reconcile(): Promise<{ adopted: number; removed: number; lost: number }> {
    const { installId, image, limits } = this.config
    // The engine first: a container made meanwhile has its row already when the rows are read.
    const found = await this.engine.list(installId)
    const rows = await this.rows.list(installId)
    const known = new Map(rows.map((row) => [row.sandboxId, row]))
    const running = new Map(found.containers.map((entry) => [entry.containerId, entry.running]))
    const volumes = new Set(found.volumes.map(({ name }) => name))
    const count = { adopted: 0, removed: 0, lost: 0 }
    for (const { containerId, sandboxId } of found.containers) {
      // Unknown to the database, or made a moment before a crash: nothing ever ran in it.
      if (known.get(sandboxId)?.containerId === containerId || this.boxes.has(sandboxId)) continue
      await this.engine.removeContainer(containerId)
      count.removed += 1
    }
    const spec = specOf(image, limits)
    for (const row of rows) {
      if (this.boxes.has(row.sandboxId)) continue
      const isUp = row.containerId === null ? undefined : running.get(row.containerId)
      const isSpare = row.threadId === null && isUp === true && row.data.spec === spec
      if (isSpare && this.pool.size < this.config.poolSize) {
        this.pool.adopt(this.track({ ...row, status: 'ready' }))
        count.adopted += 1
      } else if (row.threadId === null || row.containerId === null) {
        // Spare ones of another kind, and those that the server's end came before: there is nothing to keep.
        await this.track(row).destroy()
        count.removed += 1
      } else {
        const isThere = isUp !== undefined || volumesOf(row.volume).every(({ name }) => volumes.has(name))
        const status = isUp ? 'ready' : isThere && row.status !== 'lost' ? 'stopped' : 'lost'
        const box = this.track({ ...row, status })
        if (isUp) count.adopted += 1
        if (!isThere) count.lost += 1
        if (status !== row.status) await box.save()
      }
    }
    for (const { name, sandboxId } of found.volumes)
      if (!known.has(sandboxId) && !this.boxes.has(sandboxId)) await this.engine.removeVolume(name)
    return count
  }

  warm(): void {
    this.pool.fill()
  }

  async health(): Promise<{ ok: boolean; message: string }> {
    try {
      await this.engine.ping()
      await this.engine.checkImage(this.config.image)
      return { ok: true, message: `${this.boxes.size} sandboxes, ${this.pool.size} kept ready` }
    } catch (error) {
      return { ok: false, message: error instanceof Fault ? `${error.message} ${error.next}` : 'unknown' }
    }
  }

  async close(): Promise<void> {
    clearInterval(this.idleTimer)
    this.closing.abort()
    await this.pool.close()
    for (const box of this.boxes.values()) box.close()
  }
}

/** The manager of this process's sandboxes. Reads nothing of the environment and starts nothing by itself. */
export const createSandboxManager = (options: ManagerOptions): SandboxManager => new Manager(options)
