/**
 * A thread's sandbox with its files: before the first call that needs a container, a new workspace is filled from its
 * seed, and one that was lost from its newest checkpoint. Otherwise every call goes straight through.
 */
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import { checkpointBody } from '../agent/checkpoint.ts'
import { type Sandbox, workspacePath } from '../sandbox/types.ts'
import type { Store, ThreadSeed } from '../store/types.ts'
import type { ThreadLog } from './thread-log.ts'

type WorkspaceDeps = {
  threadId: string
  sandbox: Sandbox
  store: Pick<Store, 'blobs' | 'log' | 'threads'>
  log: () => ThreadLog
}

export type Workspace = {
  sandbox: Sandbox
  /** The files are gone: the next call brings them back from the newest checkpoint. */
  lost(): void
  /** Takes a checkpoint outside a turn and records it. */
  checkpoint(): Promise<void>
}

/** The seed of a thread that starts with another one's files: what a restore needs, oldest pack first. */
export const seedFrom = async (
  store: Pick<Store, 'log' | 'threads'>,
  threadId: string,
): Promise<ThreadSeed | null> => {
  const own = await store.threads.seed(threadId)
  const checkpoints = await store.log.ofTypes(threadId, ['checkpoint.created'])
  let packs = own?.type === 'checkpoint' ? own.packs : []
  let snapshot: string | null = null
  for (const event of checkpoints) {
    if (event.type !== 'checkpoint.created') continue
    if (event.body.packBlob !== undefined) packs = [...packs, event.body.packBlob]
    snapshot = event.body.snapshot ?? event.body.tree
  }
  return snapshot === null ? own : { type: 'checkpoint', snapshot, packs }
}

export const createWorkspace = ({ threadId, sandbox, store, log }: WorkspaceDeps): Workspace => {
  let ready: Promise<void> | null = null
  let isLost = false

  async function* packsOf(hashes: string[]): AsyncGenerator<Uint8Array> {
    for (const hash of hashes) yield await store.blobs.get(hash)
  }

  const record = async (always: boolean): Promise<void> => {
    const made = await sandbox.checkpoint()
    if (!always && !made.changed && made.previousTree !== null) return
    const writer = log()
    const packBlob = made.pack === null ? undefined : await writer.recorder.blob(made.pack)
    const { committed } = await writer.emit({
      type: 'checkpoint.created',
      windowId: writer.state().windowId,
      actorId: 'system',
      body: checkpointBody(newId('chk'), made, packBlob),
    })
    await committed
  }

  const restore = async (seed: Extract<ThreadSeed, { type: 'checkpoint' }>): Promise<void> => {
    await sandbox.ensure()
    await sandbox.restore(seed.snapshot, packsOf(seed.packs))
  }

  /** A container that died has kept its files; one whose volume is gone comes back empty. */
  const bringBack = async (): Promise<void> => {
    try {
      await sandbox.ensure()
    } catch (error) {
      // Told once; the attempt after that gets a new, empty workspace.
      if (!(error instanceof Fault) || error.code !== 'sandbox_lost') throw error
      await sandbox.ensure()
    }
    const { entries } = await sandbox.listDir(workspacePath, { depth: 1, limit: 1 })
    const newest = entries.length > 0 ? null : await seedFrom(store, threadId)
    if (newest?.type === 'checkpoint') await restore(newest)
  }

  const prepare = async (): Promise<void> => {
    if (await store.log.last(threadId, 'checkpoint.created')) {
      if (isLost) await bringBack()
      isLost = false
      return
    }
    const seed = await store.threads.seed(threadId)
    if (seed === null) return
    if (seed.type === 'checkpoint') await restore(seed)
    else {
      await sandbox.ensure()
      await sandbox.importTar(store.blobs.read(seed.hash))
    }
    // From here on this checkpoint says that the workspace has been filled.
    await record(true)
    isLost = false
  }

  /** The container with its files; an attempt that failed is made again by the next call. */
  const filled = async (): Promise<Sandbox> => {
    ready ??= prepare()
    try {
      await ready
    } catch (error) {
      ready = null
      throw error
    }
    return sandbox
  }

  async function* output(
    ...args: Parameters<Sandbox['output']>
  ): ReturnType<Sandbox['output']> & AsyncGenerator {
    yield* (await filled()).output(...args)
  }

  return {
    sandbox: {
      status: () => sandbox.status(),
      ensure: async (signal) => (await filled()).ensure(signal),
      run: async (...args) => (await filled()).run(...args),
      output,
      wait: async (...args) => (await filled()).wait(...args),
      commands: async () => (await filled()).commands(),
      input: async (...args) => (await filled()).input(...args),
      kill: async (...args) => (await filled()).kill(...args),
      resize: async (...args) => (await filled()).resize(...args),
      forget: async (...args) => (await filled()).forget(...args),
      stat: async (...args) => (await filled()).stat(...args),
      readFile: async (...args) => (await filled()).readFile(...args),
      listDir: async (...args) => (await filled()).listDir(...args),
      writeFile: async (...args) => (await filled()).writeFile(...args),
      patch: async (...args) => (await filled()).patch(...args),
      search: async (...args) => (await filled()).search(...args),
      checkpoint: async () => (await filled()).checkpoint(),
      diff: async (...args) => (await filled()).diff(...args),
      fileAt: async (...args) => (await filled()).fileAt(...args),
      restore: async (...args) => (await filled()).restore(...args),
      importTar: async (...args) => (await filled()).importTar(...args),
      stop: (why) => sandbox.stop(why),
      destroy: () => sandbox.destroy(),
    },
    lost: () => {
      isLost = true
      ready = null
    },
    checkpoint: async () => {
      await filled()
      await record(false)
    },
  }
}
