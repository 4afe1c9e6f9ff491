/**
 * One thread's `Sandbox`: gets a container when the first call needs one, wakes it when it sleeps, and replaces it once
 * it is lost for good. Delegates every verb; decides only what must be up before it.
 */
import { Fault } from '../../protocol/error.ts'
import type { SandboxStatus } from '../../protocol/thread.ts'
import type { Box } from './box.ts'
import { fileAt, makeCheckpoint, restore, type Trees, unifiedDiff } from './checkpoints.ts'
import { raceAbort } from './command-stream.ts'
import { commandLost, sandboxLost } from './faults.ts'
import * as files from './files.ts'
import { importTar } from './import-tar.ts'
import type { Sandbox, SandboxNews } from './types.ts'

export type ThreadSandboxContext = {
  /** A ready container for the thread, from the pool or made now. `trees` are taken over from a lost one. */
  obtain(threadId: string, trees: Trees, onNews: (news: SandboxNews) => void): Promise<Box>
  now(): number
  /** The thread has given its sandbox up for good. */
  onDestroyed(): void
}

export const treesOf = (box: Box): Trees => {
  const { baseTree, lastTree } = box.row.data
  return {
    base: typeof baseTree === 'string' ? baseTree : null,
    last: typeof lastTree === 'string' ? lastTree : null,
  }
}

/** Without a call for so long it is shown as idle; when it is stopped is the manager’s business. */
const idleAfterMs = 60_000

const noTrees: Trees = { base: null, last: null }

export class ThreadSandbox implements Sandbox {
  private box: Box | null
  private obtaining: Promise<Box> | null = null
  /** Whether the last checkpoint's pack was stored is not known after a start: it is asked for again. */
  private lastIsStored = false
  private listener: (news: SandboxNews) => void = () => undefined
  private readonly threadId: string
  private readonly context: ThreadSandboxContext

  constructor(threadId: string, box: Box | null, context: ThreadSandboxContext) {
    this.threadId = threadId
    this.box = box
    this.context = context
  }

  listen(listener: (news: SandboxNews) => void): void {
    this.listener = listener
    this.box?.listen(listener)
  }

  status(): SandboxStatus {
    if (this.box === null) return this.obtaining ? 'starting' : 'absent'
    if (!this.box.isUp) return this.box.status
    if (this.box.calls + this.box.readers > 0) return 'busy'
    return this.context.now() - this.box.usedAt > idleAfterMs ? 'idle' : 'ready'
  }

  async ensure(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    await raceAbort(this.up(), signal)
  }

  private async up(): Promise<Box> {
    const { box } = this
    if (box !== null && box.status !== 'absent') {
      try {
        await box.up(box.status === 'stopped' ? 'woken' : box.status === 'lost' ? 'started again' : 'needed')
        return box
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== 'sandbox_lost' || box.status !== 'lost') throw error
        // Volumes and all are gone. This call says so; the next gets a fresh one.
        this.box = null
        this.lostTrees = treesOf(box)
        await box.destroy().catch(() => undefined)
        throw error
      }
    }
    this.obtaining ??= this.context
      .obtain(this.threadId, this.lostTrees, (news) => this.listener(news))
      .then((made) => {
        this.lostTrees = noTrees
        this.box = made
        return made
      })
      .finally(() => {
        this.obtaining = null
      })
    return this.obtaining
  }

  private lostTrees: Trees = noTrees

  /** Runs a call on the container that is up; while it runs the sandbox is busy. */
  private async use<T>(work: (box: Box) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    const box = await raceAbort(this.up(), signal)
    return this.hold(box, work)
  }

  private async hold<T>(box: Box, work: (box: Box) => Promise<T>): Promise<T> {
    box.calls += 1
    try {
      return await work(box)
    } catch (error) {
      if (error instanceof Fault && (error.code === 'sandbox_unavailable' || error.code === 'sandbox_lost')) {
        box.check()
        await box.settled()
        if (box.status === 'lost')
          throw sandboxLost('The sandbox’s container ended while this ran; files on its volumes are kept.')
      }
      throw error
    } finally {
      box.calls -= 1
      box.usedAt = this.context.now()
    }
  }

  /** For what only makes sense while the container that ran the command is there: never starts one. */
  private running(commandId: string): Box {
    if (this.box?.isUp !== true) throw commandLost(commandId)
    return this.box
  }

  run: Sandbox['run'] = (command, signal) => this.use((box) => box.commands.run(command, signal), signal)

  async *output(...[commandId, from, options]: Parameters<Sandbox['output']>): ReturnType<Sandbox['output']> {
    // An ended command's spool is on the volume: a sandbox that sleeps is woken for it.
    const box = await raceAbort(this.up(), options.signal)
    box.readers += 1
    box.usedAt = this.context.now()
    try {
      yield* box.commands.output(commandId, from, options)
    } finally {
      box.readers -= 1
      box.usedAt = this.context.now()
    }
  }

  /** A wait for a command in the background does not keep the sandbox awake. */
  wait: Sandbox['wait'] = async (commandId, signal) => {
    const box = this.box?.isUp ? this.box : await raceAbort(this.up(), signal)
    return box.commands.wait(commandId, signal)
  }

  commands: Sandbox['commands'] = async () =>
    this.box?.isUp ? this.hold(this.box, (box) => box.commands.list()) : []

  input: Sandbox['input'] = async (commandId, bytes) =>
    this.hold(this.running(commandId), (box) => box.commands.input(commandId, bytes))

  kill: Sandbox['kill'] = async (commandId) => {
    // Without its container nothing of a command is left.
    if (this.box?.isUp !== true) return
    await this.hold(this.box, (box) => box.commands.kill(commandId))
  }

  resize: Sandbox['resize'] = async (commandId, rows, cols) =>
    this.hold(this.running(commandId), (box) => box.commands.resize(commandId, rows, cols))

  forget: Sandbox['forget'] = async (commandId) => {
    if (this.box?.isUp) await this.hold(this.box, (box) => box.commands.forget(commandId))
  }

  stat: Sandbox['stat'] = (path) => this.use((box) => files.stat(box, path))
  readFile: Sandbox['readFile'] = (path, range) => this.use((box) => files.readFile(box, path, range))
  listDir: Sandbox['listDir'] = (path, options) => this.use((box) => files.listDir(box, path, options))
  writeFile: Sandbox['writeFile'] = (path, bytes, mode) =>
    this.use((box) => files.writeFile(box, path, bytes, mode))
  patch: Sandbox['patch'] = (text, options) =>
    this.use((box) => files.patch(box, text, options), options.signal)
  search: Sandbox['search'] = (query, signal) => this.use((box) => files.search(box, query, signal), signal)

  checkpoint: Sandbox['checkpoint'] = () =>
    this.use(async (box) => {
      const { last } = treesOf(box)
      const { storedTree } = box.row.data
      const before = typeof storedTree === 'string' ? storedTree : null
      const { result, trees } = await makeCheckpoint(box, treesOf(box), this.lastIsStored ? last : before)
      await this.remember(box, trees, last)
      this.lastIsStored = true
      return result
    })

  diff: Sandbox['diff'] = (from, to, path) => this.use((box) => unifiedDiff(box, from, to, path))
  fileAt: Sandbox['fileAt'] = (tree, path) => this.use((box) => fileAt(box, tree, path))

  restore: Sandbox['restore'] = (to, packs) =>
    this.use(async (box) => {
      const result = await restore(box, to, packs)
      const trees = treesOf(box)
      if (trees.base === null && trees.last === null) await this.remember(box, { base: 'next', last: null })
      return result
    })

  importTar: Sandbox['importTar'] = (tar) =>
    this.use(async (box) => {
      const imported = await importTar(box.commands, tar)
      await this.remember(box, { base: 'next', last: null })
      return imported
    })

  async stop(why: string): Promise<void> {
    await this.obtaining?.catch(() => undefined)
    await this.box?.down(why)
  }

  async destroy(): Promise<void> {
    await this.obtaining?.catch(() => undefined)
    const { box } = this
    this.box = null
    await box?.destroy()
    this.context.onDestroyed()
  }

  /** @param stored tree of the last checkpoint that the caller has surely stored */
  private async remember(box: Box, trees: Trees, stored: string | null = null): Promise<void> {
    const { baseTree, lastTree, storedTree } = box.row.data
    if (baseTree === trees.base && lastTree === trees.last && storedTree === stored) return
    await box.save({
      data: { ...box.row.data, baseTree: trees.base, lastTree: trees.last, storedTree: stored },
    })
  }
}
