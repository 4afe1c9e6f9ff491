// A server without doors, to be killed: the real runtime on a real database and the real engine, told what to do by
// messages from its parent. It ends with its parent.
import type { OpRequest } from '../../../src/protocol/op.ts'
import { createLog } from '../../../src/server/log.ts'
import { describeModel, resolveModel } from '../../../src/server/providers/directory.ts'
import { createRuntime } from '../../../src/server/runtime/runtime.ts'
import type { CreateThread } from '../../../src/server/runtime/types.ts'
import { createSandboxManager } from '../../../src/server/sandbox/manager.ts'
import type { SandboxConfig } from '../../../src/server/sandbox/types.ts'
import { createStore } from '../../../src/server/store/store.ts'
import { standardTools } from '../../../src/server/tools/tools.ts'

export type WorkerSetup = {
  databaseUrl: string
  /** Hex. */
  secretKey: string
  modelUrl: string
  sandbox: SandboxConfig
}
export type WorkerCall =
  | { id: number; do: 'create'; input: CreateThread }
  | { id: number; do: 'submit'; request: OpRequest; actorId: string }
  | { id: number; do: 'file'; threadId: string; tree: string; path: string }

const setup = JSON.parse(process.argv[2] ?? '{}') as WorkerSetup
const log = createLog('warn', (line) => process.stderr.write(`${line}\n`))
const store = createStore({
  databaseUrl: setup.databaseUrl,
  secretKey: Buffer.from(setup.secretKey, 'hex'),
})
const connection = { kind: 'openai-responses' as const, baseUrl: `${setup.modelUrl}/v1`, key: null }
const runtime = createRuntime({
  store,
  sandboxes: createSandboxManager({ config: setup.sandbox, rows: store.sandboxes, log }),
  tools: standardTools,
  resolveModel: async ({ model }) =>
    resolveModel(connection, describeModel(connection.kind, model, connection.baseUrl)),
  log,
  installId: setup.sandbox.installId,
  worker: 'main',
})

const perform = async (call: WorkerCall): Promise<unknown> => {
  switch (call.do) {
    case 'create':
      return (await runtime.createThread(call.input)).id
    case 'submit':
      return runtime.submit(call.request, call.actorId)
    case 'file': {
      const bytes = await runtime.fileAt(call.threadId, call.tree, call.path)
      return bytes === null ? null : Buffer.from(bytes).toString('utf8')
    }
  }
}

process.on('message', (call: WorkerCall) => {
  perform(call).then(
    (result) => process.send?.({ id: call.id, result }),
    (error: unknown) => process.send?.({ id: call.id, error: String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
await runtime.start()
process.send?.({ ready: true })
