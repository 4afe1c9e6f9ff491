// Checkpoints as the routes see them: one request after the other to the thread that makes them, started again when it
// ends. What git ignores is asked by a read-only command, since a repository's own configuration decides it.
import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { WorkerAnswer, WorkerCall } from './checkpoint/worker-types.ts'
import type { Commands } from './commands.ts'
import { Failure, notFound } from './failure.ts'
import type { Checkpoint, CheckpointRequest, RestoreResult, TreeDiff } from './protocol.ts'
import { quoted } from './shell-words.ts'

const IGNORED_LIMIT_MS = 20_000
/** Folders that nobody wants back, where no repository says so. */
const USUALLY_IGNORED = ['node_modules', '.venv', '__pycache__', '.cache', '.next', 'target']

type Waiter = { resolve: (value: unknown) => void; reject: (error: Error) => void }

export class Checkpoints {
  private readonly folder: string
  private readonly workspace: string
  private readonly commands: Commands
  private worker: Worker | undefined
  private ids = 0
  private readonly waiters = new Map<number, Waiter>()
  private queue: Promise<unknown> = Promise.resolve()

  constructor(folder: string, workspace: string, commands: Commands) {
    this.folder = folder
    this.workspace = workspace
    this.commands = commands
  }

  /** @throws Failure; the workspace is untouched */
  make({ base, since }: CheckpointRequest): Promise<Checkpoint> {
    return this.inTurn(async () => {
      const began = Date.now()
      const ignored = await this.ignored()
      return this.call<Checkpoint>({ type: 'make', base: base ?? null, since, ignored, began })
    })
  }

  restore(to: string): Promise<RestoreResult> {
    return this.inTurn(async () =>
      this.call<RestoreResult>({ type: 'restore', to, ignored: await this.ignored() }),
    )
  }

  diff(request: { from: string; to: string; path: string | null }): Promise<TreeDiff> {
    return this.inTurn(() => this.call<TreeDiff>({ type: 'diff', ...request }))
  }

  unified(request: { from: string; to: string; path: string | null; context: number }): Promise<Uint8Array> {
    return this.inTurn(() => this.call<Uint8Array>({ type: 'unified', ...request }))
  }

  file(tree: string, path: string): Promise<Uint8Array> {
    return this.inTurn(() => this.call<Uint8Array>({ type: 'file', tree, path }))
  }

  takePack(bytes: Buffer): Promise<number> {
    return this.inTurn(() => this.call<number>({ type: 'take-pack', bytes: new Uint8Array(bytes) }))
  }

  packPath(id: string): string {
    const path = [`${this.folder}/objects/pack`, `${this.folder}/outgoing`]
      .map((folder) => `${folder}/pack-${id}.pack`)
      .find((file) => existsSync(file))
    if (path === undefined) throw notFound(`There is no pack ${id} in this container.`)
    return path
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.queue.then(work)
    this.queue = mine.catch(() => {})
    return mine
  }

  /** Absolute paths in latin1; empty while the workspace is small enough to be taken whole. */
  private async ignored(): Promise<string[]> {
    const { ask } = await this.call<{ ask: string[] | null }>({ type: 'look' })
    if (ask === null) return []
    const lists = await Promise.all(ask.map((folder) => this.ignoredIn(folder)))
    return [...lists.flat(), ...(ask.includes(this.workspace) ? [] : await this.usuallyIgnored())]
  }

  private async ignoredIn(folder: string): Promise<string[]> {
    const path = quoted(Buffer.from(folder, 'latin1').toString('utf8'))
    const git = `git -C ${path} -c core.fsmonitor=false ls-files --others --ignored --exclude-standard --directory -z`
    return this.list(`exec ${git} 2>/dev/null`, (name) => `${folder}/${name.replace(/\/$/, '')}`)
  }

  private usuallyIgnored(): Promise<string[]> {
    const names = USUALLY_IGNORED.map((name) => `-name ${quoted(name)}`).join(' -o ')
    const find = `find . -type d '(' ${names} ')' -prune -print0`
    return this.list(`exec ${find} 2>/dev/null`, (name) => `${this.workspace}/${name.replace(/^\.\//, '')}`)
  }

  private async list(script: string, pathOf: (name: string) => string): Promise<string[]> {
    const command = this.commands.startHidden({ script, mode: 'read-only', timeoutMs: IGNORED_LIMIT_MS })
    await command.ended
    const parts: Buffer[] = []
    for (let from = 0; ; ) {
      const part = command.spool.read(from)
      if (!part) break
      if (part.type === 'data') parts.push(Buffer.from(part.bytes))
      from += part.type === 'data' ? part.bytes.length : part.missing
    }
    command.spool.close()
    const names = Buffer.concat(parts).toString('latin1').split('\0')
    return names.filter((name) => name !== '').map(pathOf)
  }

  private call<T>(call: WorkerCall): Promise<T> {
    const worker = this.worker ?? this.start()
    const id = ++this.ids
    return new Promise<unknown>((resolve, reject) => {
      this.waiters.set(id, { resolve, reject })
      worker.postMessage({ ...call, id })
    }) as Promise<T>
  }

  private start(): Worker {
    const worker = new Worker(new URL('./checkpoint-worker.mjs', import.meta.url), {
      workerData: { folder: this.folder, workspace: this.workspace },
    })
    this.worker = worker
    worker.on('message', (answer: WorkerAnswer) => {
      const waiter = this.waiters.get(answer.id)
      this.waiters.delete(answer.id)
      if ('failure' in answer) {
        const { code, message, next } = answer.failure
        waiter?.reject(new Failure(code, message, next))
      } else waiter?.resolve(answer.value)
    })
    let why = 'it ended'
    worker.on('error', (error) => {
      why = error.message
    })
    worker.on('exit', () => {
      if (this.worker === worker) this.worker = undefined
      for (const { reject } of this.waiters.values())
        reject(new Failure('internal', `The checkpoint could not be made: ${why}`, 'Try again.'))
      this.waiters.clear()
    })
    return worker
  }
}
