/**
 * The real runtime on a real database and the real engine, without doors: for benchmarks of what a turn costs.
 */
import { newId } from '../../src/protocol/ids.ts'
import type { ModelInfo, ModelRef } from '../../src/protocol/settings.ts'
import { modelResolver } from '../../src/server/boot.ts'
import { createLog } from '../../src/server/log.ts'
import { describeModel } from '../../src/server/providers/directory.ts'
import { createRuntime, type Runtime } from '../../src/server/runtime/runtime.ts'
import { createSandboxManager } from '../../src/server/sandbox/manager.ts'
import { standardTools } from '../../src/server/tools/tools.ts'
import { realSandboxes } from './sandboxes.ts'
import { openTestStore, type TestStore } from './store.ts'

export type ServerParts = TestStore & {
  runtime: Runtime
  /** A new thread that speaks to a model of the server at `url`. */
  createThread(model: string): Promise<string>
  setModel(threadId: string, model: string): Promise<void>
  /** Says something and waits for the end of the turn; throws when it does not complete. */
  turn(threadId: string, text: string): Promise<void>
}

const userId = 'usr_0197a0a0-0000-7000-8000-000000000001'

/** `models` of a server at `url` that speaks OpenAI Responses. Close it, or containers stay behind. */
export const startServerParts = async (url: string, models: string[]): Promise<ServerParts> => {
  const base = await openTestStore()
  const { store } = base
  const real = await realSandboxes()
  const log = createLog('warn', (line) => process.stderr.write(`${line}\n`))
  const sandboxes = createSandboxManager({ config: real.config, rows: store.sandboxes, log })
  const infos: ModelInfo[] = models.map((id) => ({
    ...describeModel('openai-responses', id, url),
    contextTokens: 10_000_000,
    family: 'scripted',
  }))
  const provider = await store.providers.create(
    { name: 'Scripted', kind: 'openai-responses', baseUrl: `${url}/v1`, key: 'none', models: infos },
    userId,
  )
  const runtime = createRuntime({
    store,
    sandboxes,
    tools: standardTools,
    resolveModel: modelResolver(store),
    log,
    installId: real.config.installId,
    worker: 'bench',
  })
  await runtime.start()
  const project = await store.projects.create({ name: 'Benchmark' }, userId)
  const refOf = (model: string): ModelRef => ({ providerId: provider.id, model })

  const turn = async (threadId: string, text: string): Promise<void> => {
    const stop = new AbortController()
    const { head } = await store.threads.get(threadId)
    const op = { type: 'turn.start' as const, content: [{ type: 'text' as const, text }] }
    const live = runtime.subscribe(threadId, head, stop.signal)
    await runtime.submit({ threadId, clientId: newId('op'), op }, userId)
    for await (const message of live) {
      if (message.type !== 'events') continue
      const end = message.events.find(({ type }) =>
        ['turn.completed', 'turn.failed', 'turn.limited', 'turn.interrupted'].includes(type),
      )
      if (end === undefined) continue
      if (end.type !== 'turn.completed') throw new Error(`${end.type}: ${JSON.stringify(end.body)}`)
      break
    }
    stop.abort()
  }

  return {
    ...base,
    runtime,
    createThread: async (model) => {
      const settings = { model: refOf(model) }
      return (await runtime.createThread({ projectId: project.id, actorId: userId, settings })).id
    },
    setModel: async (threadId, model) => {
      const op = { type: 'thread.settings' as const, settings: { model: refOf(model) } }
      await runtime.submit({ threadId, clientId: newId('op'), op }, userId)
    },
    turn,
    close: async () => {
      await runtime.stop()
      await sandboxes.close()
      await real.clean()
      await base.close()
    },
  }
}
