// `npm start`: from a fresh clone to a running server, and from a stopped server to a running one in seconds.
// Begins on Node 20 with built-ins only; goes on under the pinned Node.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureBuilt } from './lib/build.mjs'
import { closeAll, closeOnSignals, onClose } from './lib/closing.mjs'
import { dataFolder, installationId, lockDataFolder, makeDataFolder, secret } from './lib/data.mjs'
import { startDemoModel } from './lib/demo.mjs'
import { ensureDocker } from './lib/docker.mjs'
import { prepare } from './lib/install.mjs'
import { migrate } from './lib/migrate.mjs'
import { startPostgres } from './lib/postgres.mjs'
import { duration, main, Stop, say, step } from './lib/say.mjs'
import { awaitPredecessor, freePort, portIsFree, startServer } from './lib/server.mjs'

const HELP = `npm start -- [--demo] [--port N] [--host ADDRESS]

  --demo          adds an offline demo model and a sample project with a failing test
  --port N        the port to listen on (default: PORT, else 3000 or the next free one)
  --host ADDRESS  the address to listen on (default: HOST, else 127.0.0.1: this machine only)

Data: BATON_DATA (root: /var/lib/baton, else ~/.local/share/baton). Database: DATABASE_URL, else an embedded one.`

const DEFAULT_PORT = 3000

function options() {
  try {
    const { values } = parseArgs({
      options: {
        demo: { type: 'boolean', default: false },
        port: { type: 'string' },
        host: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    const port = values.port ?? process.env.PORT
    if (port !== undefined && !/^\d{1,5}$/.test(port)) throw new Stop(`--port ${port} is no port number.`)
    return { ...values, port: port === undefined ? undefined : Number(port) }
  } catch (error) {
    throw error instanceof Stop ? error : new Stop(`${error.message}\n\n${HELP}`)
  }
}

async function choosePort(wanted, host) {
  if (wanted === undefined) return freePort(DEFAULT_PORT, host)
  if (wanted !== 0 && !(await portIsFree(wanted, host)))
    throw new Stop(`Port ${wanted} is in use: stop what listens there, or name another with --port.`)
  return wanted
}

async function database(folder, env) {
  if (!env.DATABASE_URL) {
    const own = await startPostgres(folder, { keepAlive: true })
    onClose('PostgreSQL', () => own.stop())
    env.DATABASE_URL = own.url
  }
  await migrate(env.DATABASE_URL)
}

async function sandboxes(folder, env) {
  const docker = await ensureDocker(folder)
  env.DOCKER_HOST = docker.host
  if (env.BATON_SANDBOX_IMAGE) return
  const { ensureSandboxImage } = await import('./lib/image.mjs')
  env.BATON_SANDBOX_IMAGE = await step(
    'building the sandbox image',
    (note) => ensureSandboxImage({ dockerHost: docker.host, cacheFolder: join(folder, 'cache'), note }),
    { quiet: true },
  )
}

async function demoModel(env) {
  if (env.BATON_DEMO !== '1') return
  const model = await startDemoModel(env)
  onClose('demo model', () => model.stop())
  env.BATON_DEMO_URL = model.url
}

async function start() {
  const began = performance.now()
  const { demo, port: wantedPort, host: wantedHost, help } = options()
  if (help) {
    say(HELP)
    return 0
  }
  await prepare()
  closeOnSignals(() => 0, '\nStopping…')

  const folder = dataFolder()
  makeDataFolder(folder)
  const unlock = await lockDataFolder(folder)
  onClose('data folder', unlock)
  await awaitPredecessor(folder)

  const host = wantedHost ?? process.env.HOST ?? '127.0.0.1'
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    BATON_DATA: folder,
    BATON_INSTALL_ID: process.env.BATON_INSTALL_ID ?? installationId(folder),
    AUTH_SECRET: process.env.AUTH_SECRET ?? secret(folder, 'auth'),
    BATON_KEY: process.env.BATON_KEY ?? secret(folder, 'key'),
    PORT: String(await choosePort(wantedPort, host)),
    HOST: host,
    BATON_DEMO: demo ? '1' : (process.env.BATON_DEMO ?? ''),
  }
  // None needs another, and on a first start two of them last minutes.
  await Promise.all([database(folder, env), sandboxes(folder, env), ensureBuilt(), demoModel(env)])

  const server = await step('starting the server', () => startServer(folder, env), { quiet: true })
  onClose('server', () => server.stop())
  say(`\nBaton is ready after ${duration(performance.now() - began)}:  ${server.ready.url}`)
  if (server.ready.setupUrl) say(`Create the owner (this link works once):  ${server.ready.setupUrl}`)
  if (demo)
    say('The demo model is offline and scripted: it shows the way a turn goes, not what a model can do.')
  say('Stop with Ctrl-C.')
  await server.ended
}

await main(async () => {
  try {
    return await start()
  } catch (error) {
    await closeAll()
    throw error
  }
})
