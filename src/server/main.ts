/**
 * Boots the server: environment, database, sandboxes, runtime, doors, pages; tells its launcher when it is ready and
 * ends in the reverse order. Composes, does not act.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  modelDirectory,
  modelResolver,
  oidcOf,
  readVersion,
  setupPath,
  upsertDemo,
  upsertEnvironmentProviders,
} from './boot.ts'
import { prepareTokens } from './context/tokens.ts'
import { openDoors } from './doors.ts'
import { readEnv } from './env.ts'
import { openPages } from './http/pages.ts'
import { createLog } from './log.ts'
import { createImporter } from './rollouts/import/importer.ts'
import { firstState } from './runtime/new-thread.ts'
import { createRuntime, type Runtime } from './runtime/runtime.ts'
import { nextState } from './runtime/thread-state.ts'
import { createSandboxManager } from './sandbox/manager.ts'
import { migrate } from './store/migrate.ts'
import { createStore } from './store/store.ts'
import { standardTools } from './tools/tools.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const gib = 1_024 ** 3
/** One sandbox's limits; a container of a busy build is stopped by them, the machine is not. */
const sandboxLimits = { memoryBytes: 4 * gib, cpus: 2, pids: 1_024, tmpBytes: gib }
const idleMs = 30 * 60_000

const env = readEnv()
const log = createLog(env.BATON_LOG)
const closers: { name: string; close(): Promise<unknown> | unknown }[] = []
let stopping: Promise<void> | null = null

const stop = (why: string): Promise<void> => {
  stopping ??= (async () => {
    log.info('stopping', { why })
    for (const { name, close } of closers.reverse()) {
      try {
        await close()
      } catch (error) {
        log.error('a part did not close', { part: name, error })
      }
    }
  })()
  return stopping
}
const opened = <T>(name: string, part: T, close: (part: T) => Promise<unknown> | unknown): T => {
  closers.push({ name, close: () => close(part) })
  return part
}

const boot = async (): Promise<void> => {
  await migrate(env.DATABASE_URL)
  const secretKey = Buffer.from(env.BATON_KEY, 'base64')
  const store = opened('store', createStore({ databaseUrl: env.DATABASE_URL, secretKey }), (part) =>
    part.close(),
  )

  const sandboxes = opened(
    'sandboxes',
    createSandboxManager({
      rows: store.sandboxes,
      log: log.with({ room: 'sandbox' }),
      isWorking: (threadId) => runtime.isWorking(threadId),
      config: {
        installId: env.BATON_INSTALL_ID,
        secretKey: env.BATON_KEY,
        image: env.BATON_SANDBOX_IMAGE ?? 'baton-sandbox:latest',
        limits: sandboxLimits,
        poolSize: env.BATON_POOL,
        idleMs,
        ...(env.DOCKER_HOST ? { dockerHost: env.DOCKER_HOST } : {}),
      },
    }),
    (part) => part.close(),
  )

  const runtime: Runtime = opened(
    'runtime',
    createRuntime({
      store,
      sandboxes,
      resolveModel: modelResolver(store),
      tools: standardTools,
      installId: env.BATON_INSTALL_ID,
      worker: 'main',
      log: log.with({ room: 'runtime' }),
    }),
    (part) => part.stop(),
  )

  const imports = opened(
    'imports',
    createImporter({
      store,
      ownerId: runtime.ownerId,
      firstState,
      nextState,
      log: log.with({ room: 'imports' }),
    }),
    (part) => part.close(),
  )

  let ready = false
  const version = await readVersion(root)
  const pages = opened('pages', await openPages(root, env.HOST, env.PORT), (part) => part.close())
  const { server } = opened(
    'doors',
    openDoors({
      secret: env.AUTH_SECRET,
      publicUrl: env.BATON_URL,
      oidc: oidcOf(env),
      pages: pages.handle,
      ready: () => ready,
      services: {
        store,
        worker: runtime,
        imports,
        models: modelDirectory,
        version,
        log: log.with({ room: 'doors' }),
      },
    }),
    (part) => part.close(),
  )

  if (env.BATON_DEMO && env.BATON_DEMO_URL) {
    await upsertDemo(env.BATON_DEMO_URL, store, join(root, 'src/server/providers/demo/sample'))
  }
  await sandboxes.reconcile().then(
    (count) => log.info('sandboxes compared with the engine', count),
    (error: unknown) =>
      log.warn('the engine did not answer; sandboxes are looked up as they are needed', { error }),
  )
  await runtime.start()
  // Behind the doors' back: a long thread takes its time to go.
  void imports.recover().catch((error: unknown) => log.error('imports could not be tidied', { error }))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(env.PORT, env.HOST, resolve)
  })
  ready = true
  sandboxes.warm()
  // Blocks for 0.2 s: after the first page, before the first message.
  setTimeout(prepareTokens, 3_000).unref()

  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : env.PORT
  const url =
    env.BATON_URL ?? `http://${['0.0.0.0', '::'].includes(env.HOST) ? 'localhost' : env.HOST}:${port}`
  const setup = await setupPath(store)
  log.info('ready', { url, version })
  process.send?.({ type: 'ready', url, ...(setup ? { setupUrl: new URL(setup, url).href } : {}) })

  await upsertEnvironmentProviders(env, store, log)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void stop(signal).then(() => process.exit(0)))
}
process.on('unhandledRejection', (error) => log.error('a promise was rejected and nobody looked', { error }))
process.on('uncaughtException', (error) => {
  log.error('the server cannot go on', { error })
  process.exit(1)
})

await boot().catch(async (error: unknown) => {
  log.error('the server did not start', { error })
  await stop('failed start')
  process.exit(1)
})
