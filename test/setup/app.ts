/**
 * The whole server as a process, on a free port, with a database and a data folder of its own: for journeys and for
 * tests that kill it. Needs what `npm test` provides: the built app, a Docker engine, the sandbox image.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeInstallation } from '../../scripts/lib/docker.mjs'
import { type Ready, startServer } from '../../scripts/lib/server.mjs'
import { testImage } from './image.ts'
import { emptyDatabase } from './postgres.ts'

export type App = {
  /** Where the server answers, without a slash at the end. */
  url: string
  /** The link that makes the owner; absent when there is one. */
  setupUrl: string | undefined
  databaseUrl: string
  installId: string
  /** Kills the server without a word; its launcher starts it again on the same port. */
  kill(): void
  /** Ends everything and removes database, containers and folder. */
  stop(): Promise<void>
}

/** Starts one. `settings` are added to its environment, or take something out of it when undefined. */
export async function startApp(settings: Record<string, string | undefined> = {}): Promise<App> {
  const database = await emptyDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'baton-app-'))
  // Each server is an installation of its own: a start tidies what carries its id.
  const installId = `test-${randomBytes(6).toString('hex')}`
  const port = await freePort()
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_ENV: 'production',
    DOCKER_HOST: process.env.DOCKER_HOST,
    BATON_SANDBOX_IMAGE: await testImage(),
    BATON_INSTALL_ID: installId,
    BATON_DATA: folder,
    BATON_POOL: '0',
    DATABASE_URL: database.url,
    AUTH_SECRET: randomBytes(32).toString('base64'),
    BATON_KEY: randomBytes(32).toString('base64'),
    HOST: '127.0.0.1',
    PORT: String(port),
    ...settings,
  }
  const { migrate } = await import('../../src/server/store/migrate.ts')
  await migrate(database.url)
  const server = await startServer(folder, env)
  const ready: Ready = server.ready
  return {
    url: ready.url.replace(/\/$/, ''),
    setupUrl: ready.setupUrl,
    databaseUrl: database.url,
    installId,
    kill: () => process.kill(server.pid(), 'SIGKILL'),
    async stop() {
      await server.stop()
      await removeInstallation(process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock', installId)
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net')
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
}
