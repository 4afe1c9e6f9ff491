// The container's main process: starts the launcher, listens for the bridge, composes the parts. It lives as long as
// the container, so nothing that a command or a peer does may end it.

import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { Checkpoints } from './checkpoints.ts'
import { Commands } from './commands.ts'
import { LauncherLink } from './launcher-link.ts'
import { CONTAINER, ENV_SANDBOX_ID, ENV_SECRET, type Hello, PROTOCOL_VERSION } from './protocol.ts'
import { makeServer } from './server.ts'

/** The bridge knows this name too. Abstract: no file that a command could replace. */
const SOCKET = '\0baton-supervisor'
const STATE = CONTAINER.volumes.state
const RUN = '/run/baton'

const say = (text: string): void => void process.stderr.write(`${text}\n`)
process.on('uncaughtException', (error) => say(`uncaught: ${error.stack ?? error}`))
process.on('unhandledRejection', (error) => say(`unhandled: ${error}`))

/** Gives the container's uid a name: programs ask for it, and the image cannot know it. */
const nameUser = (): void => {
  const uid = process.getuid?.() ?? 0
  const base = (name: string): string => readFileSync(`/etc/${name}.base`, 'utf8')
  mkdirSync(RUN, { recursive: true, mode: 0o755 })
  writeFileSync(`${RUN}/passwd`, `${base('passwd')}agent:x:${uid}:${uid}:Agent:${CONTAINER.home}:/bin/bash\n`)
  writeFileSync(`${RUN}/group`, `${base('group')}agent:x:${uid}:\n`)
}

const childEnv = (): NodeJS.ProcessEnv => {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HOME: CONTAINER.home,
    USER: 'agent',
    LOGNAME: 'agent',
    SHELL: '/bin/bash',
    TERM: 'dumb',
  }
  delete env[ENV_SECRET]
  delete env[ENV_SANDBOX_ID]
  return env
}

const start = (): void => {
  const secret = process.env[ENV_SECRET] ?? ''
  const sandboxId = process.env[ENV_SANDBOX_ID] ?? ''
  if (!/^[0-9a-f]{64}$/.test(secret)) {
    say(`${ENV_SECRET} must be 64 hex digits`)
    process.exit(78)
  }
  const env = childEnv()
  delete process.env[ENV_SECRET]
  process.umask(0o022)
  nameUser()
  const spools = `${STATE}/spool`
  rmSync(spools, { recursive: true, force: true })
  mkdirSync(spools, { recursive: true, mode: 0o700 })
  mkdirSync(CONTAINER.home, { recursive: true })

  const bootId = randomUUID()
  const startedAt = new Date().toISOString()
  const link = new LauncherLink(env, () => listen())
  const commands = new Commands(link, spools)
  const checkpoints = new Checkpoints(`${STATE}/shadow`, CONTAINER.workspace, commands)
  const hello = (): Hello => ({
    protocol: PROTOCOL_VERSION,
    minProtocol: PROTOCOL_VERSION,
    bootId,
    sandboxId,
    uid: process.getuid?.() ?? 0,
    startedAt,
    landlockAbi: link.landlockAbi,
    ready: link.ready,
  })
  const server = createServer({ allowHalfOpen: false }, makeServer(secret, { hello, commands, checkpoints }))
  server.on('error', (error) => {
    // The name is taken: something else in here answers for us, which must not be.
    say(`cannot listen: ${error.message}`)
    process.exit(71)
  })
  let listening = false
  const listen = (): void => {
    if (listening) return
    listening = true
    server.listen(SOCKET)
  }
  link.start()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => process.exit(0))
}

start()
