/**
 * The whole way of a turn without a browser: a real database, the real runtime and loop, a model played by a script, and
 * sandboxes in memory that live on when the runtime is started again, as containers do.
 */

import type { ThreadEvent } from '../../src/protocol/event.ts'
import { newId } from '../../src/protocol/ids.ts'
import type { Op, OpReceipt } from '../../src/protocol/op.ts'
import { createLog } from '../../src/server/log.ts'
import type { Provider } from '../../src/server/providers/types.ts'
import type { RuntimeDeps } from '../../src/server/runtime/context.ts'
import { createRuntime, type Runtime } from '../../src/server/runtime/runtime.ts'
import type { SandboxManager, SandboxNews } from '../../src/server/sandbox/types.ts'
import { standardTools } from '../../src/server/tools/tools.ts'
import { type FakeSandbox, fakeSandbox } from './fake-sandbox.ts'
import { answers, model, type Script, scriptedProvider, traits } from './scripted-provider.ts'
import { openTestStore, type TestStore } from './store.ts'

export const testUser = 'usr_0197a0a0-0000-7000-8000-000000000001'
const modelRef = { providerId: 'prv_0197a0a0-0000-7000-8000-000000000001', model: model.id }

export type TestRuntime = TestStore & {
  runtime: Runtime
  /** Bodies of the requests that the model got. */
  bodies: string[]
  sandbox(threadId: string): FakeSandbox
  /** What the manager of sandboxes would tell. */
  news(threadId: string, news: SandboxNews): void
  /** What the model does from now on, one script a request; the last one repeats. */
  play(scripts: Script[]): void
  createThread(settings?: Record<string, unknown>): Promise<string>
  send(threadId: string, op: Op, opId?: string): Promise<OpReceipt>
  say(threadId: string, text: string): Promise<OpReceipt>
  events(threadId: string): Promise<ThreadEvent[]>
  /** Waits until the log holds an event for which `wanted` is true. */
  until(threadId: string, wanted: (event: ThreadEvent, all: ThreadEvent[]) => boolean): Promise<ThreadEvent[]>
  /** Plays the scripts one after the other, then ends the turn; what each call answered, in full. */
  turn(threadId: string, ...scripts: Script[]): Promise<string[]>
  /** A new process, of the same worker name or another: the old one is left as a crash leaves it, or stopped properly. */
  restart(how: 'crash' | 'stop', worker?: string): Promise<void>
}

const patienceMs = 60_000

export const isTurnEnd = ({ type }: ThreadEvent): boolean =>
  /^turn\.(completed|interrupted|failed|limited)$/.test(type)

type Life = { dead: boolean }

/**
 * The same thing until its process dies; from then on every call hangs, as nothing a dead process does has an effect.
 * Rooms of the thing (`store.log`) are cut as well.
 */
const mortal = <T extends object>(target: T, life: Life): T =>
  new Proxy(target, {
    get: (held, key) => {
      const value: unknown = Reflect.get(held, key)
      if (typeof value === 'function')
        return (...args: unknown[]) =>
          life.dead && key !== 'status' ? new Promise(() => undefined) : Reflect.apply(value, held, args)
      return typeof value === 'object' && value !== null && !(value instanceof Map)
        ? mortal(value, life)
        : value
    },
  })

/** Sandboxes in memory, by thread. */
const memorySandboxes = () => {
  const boxes = new Map<string, FakeSandbox>()
  const listeners = new Map<string, (news: SandboxNews) => void>()
  const box = (threadId: string): FakeSandbox => {
    const known = boxes.get(threadId)
    if (known) return known
    const made = fakeSandbox()
    boxes.set(threadId, made)
    return made
  }
  const manager = (life: Life): SandboxManager => ({
    forThread: async (threadId, onNews) => {
      listeners.set(threadId, onNews)
      return mortal(box(threadId), life)
    },
    reconcile: async () => ({ adopted: 0, removed: 0, lost: 0 }),
    warm: () => undefined,
    stopIdle: async () => undefined,
    health: async () => ({ ok: true, message: 'in memory' }),
    close: async () => undefined,
  })
  return {
    box,
    manager,
    tell: (threadId: string, news: SandboxNews): void => listeners.get(threadId)?.(news),
  }
}

/**
 * Starts a runtime on a database of its own, or on the migrated one of `databaseUrl`; `change` replaces parts of what it
 * is given.
 */
export const startTestRuntime = async (
  change: Partial<Pick<RuntimeDeps, 'sandboxes' | 'tools' | 'interceptors' | 'idleMs' | 'resolveModel'>> = {},
  databaseUrl?: string,
): Promise<TestRuntime> => {
  const base = await openTestStore(databaseUrl)
  const { store } = base
  const memory = memorySandboxes()
  const lines: string[] = []
  const bodies: string[] = []
  let current: Provider = scriptedProvider('openai-responses', [[]])
  const play = (scripts: Script[]): void => {
    current = scriptedProvider('openai-responses', scripts)
  }
  const provider: Provider = {
    wire: current.wire,
    listModels: async () => [],
    stream: (request, signal, hooks) => {
      bodies.push(Buffer.from(request.body).toString('utf8'))
      return current.stream(request, signal, hooks)
    },
  }
  let life: Life = { dead: false }
  const start = async (worker = 'one'): Promise<Runtime> => {
    life = { dead: false }
    const made = createRuntime({
      store: mortal(store, life),
      sandboxes: memory.manager(life),
      tools: standardTools,
      resolveModel: async () => ({ provider, model, traits }),
      log: createLog('warn', (line) => lines.push(line)),
      installId: 'test',
      worker,
      ...change,
    })
    await made.start()
    return made
  }
  let runtime = await start()
  const project = await store.projects.create({ name: 'Sample' }, testUser)

  const events = (threadId: string): Promise<ThreadEvent[]> => store.log.after(threadId, 0, 100_000)
  const send: TestRuntime['send'] = (threadId, op, opId = newId('op')) =>
    runtime.submit({ threadId, clientId: opId, op }, testUser)

  const say: TestRuntime['say'] = (threadId, text) =>
    send(threadId, { type: 'turn.start', content: [{ type: 'text', text }] })

  const until: TestRuntime['until'] = async (threadId, wanted) => {
    const deadline = Date.now() + patienceMs
    for (;;) {
      // A database that is killed by a test may not answer for a while.
      const all = await events(threadId).catch((): ThreadEvent[] => [])
      if (all.some((event) => wanted(event, all))) return all
      if (Date.now() > deadline) {
        const types = all.map((event) => event.type).join(' ')
        throw new Error(`the log never got there: ${types}\n${lines.join('\n')}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 15))
    }
  }

  return {
    ...base,
    get runtime() {
      return runtime
    },
    bodies,
    sandbox: memory.box,
    news: memory.tell,
    play,
    createThread: async (settings = {}) => {
      const made = await runtime.createThread({
        projectId: project.id,
        actorId: testUser,
        settings: { model: modelRef, ...settings },
      })
      return made.id
    },
    send,
    say,
    events,
    until,
    turn: async (threadId, ...scripts) => {
      const from = (await events(threadId)).length
      play([...scripts, answers('Done.')])
      await say(threadId, 'go on')
      const all = await until(threadId, (event) => event.seq > from && isTurnEnd(event))
      return all.slice(from).flatMap((event) => {
        if (event.type !== 'item.completed' || event.body.item.type !== 'tool_call') return []
        const { state } = event.body.item
        return 'output' in state ? [state.output.text] : []
      })
    },
    restart: async (how, worker) => {
      if (how === 'stop') await runtime.stop()
      else life.dead = true
      runtime = await start(worker)
    },
    close: async () => {
      await runtime.stop()
      await base.close()
    },
  }
}
