// Runs the server as a child process: tells when it answers, starts it again when it dies, ends it cleanly.
// The server says that it is ready by the message { type: 'ready', url, setupUrl? } to its parent.
import { spawn } from 'node:child_process'
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { alive, pinnedNode, processStart, root, sleep, tail, until } from './run.mjs'
import { Stop, say } from './say.mjs'

const READY_LIMIT_MS = 180_000
const STOP_LIMIT_MS = 15_000
// More than the restarts after which a turn that kills its server is failed, so that the server lives on without it.
const FAST_DEATHS = 8
const FAST_DEATH_MS = 60_000
const LOG_LIMIT_BYTES = 20_000_000

/** True when nothing listens on the port. */
export function portIsFree(port, host) {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)))
  })
}

/** The first free port from `first` on; at most 50 are tried. */
export async function freePort(first, host) {
  for (let port = first; port < first + 50; port++) if (await portIsFree(port, host)) return port
  throw new Stop(`No port from ${first} to ${first + 49} is free: name one with --port.`)
}

/** A server whose launcher was killed needs a moment to notice; it must be gone before another one starts. */
export async function awaitPredecessor(folder) {
  const path = join(folder, 'server.pid')
  if (!existsSync(path)) return
  const [pid, startedAt] = readFileSync(path, 'utf8').trim().split(' ')
  const gone = () => !alive(Number(pid), startedAt)
  if (!(await until(gone, { timeoutMs: STOP_LIMIT_MS }))) {
    process.kill(Number(pid), 'SIGKILL')
    await until(gone, { timeoutMs: 5000 })
  }
  rmSync(path, { force: true })
}

/**
 * Starts the server; resolves when it is ready with { ready: { url, setupUrl? }, pid(), stop(), ended }.
 * `ended` rejects when the server keeps dying. `env` is its whole environment.
 */
export async function startServer(folder, env) {
  const logs = join(folder, 'logs')
  mkdirSync(logs, { recursive: true, mode: 0o700 })
  const logPath = join(logs, 'server.log')
  const big = existsSync(logPath) && statSync(logPath).size > LOG_LIMIT_BYTES
  const log = createWriteStream(logPath, { flags: big ? 'w' : 'a', mode: 0o600 })
  const deaths = []
  let child
  let stopping = false
  let giveUp
  const ended = new Promise((_, reject) => {
    giveUp = reject
  })
  ended.catch(() => {})

  const launch = () =>
    new Promise((resolve, reject) => {
      const entry = join(root, 'src/server/main.ts')
      const flags = [
        '--disable-warning=ExperimentalWarning',
        '--import',
        join(root, 'scripts/lib/follow-parent.mjs'),
      ]
      let recent = ''
      const began = performance.now()
      child = spawn(pinnedNode, [...flags, entry], {
        cwd: root,
        env: { ...env, BATON_HANDED_OVER: '1' },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        // A terminal's Ctrl-C reaches the launcher, which ends the server in order.
        detached: true,
      })
      writeFileSync(join(folder, 'server.pid'), `${child.pid} ${processStart(child.pid)}\n`)
      const take = (chunk) => {
        log.write(chunk)
        recent = (recent + chunk).slice(-8000)
      }
      child.stdout.on('data', (chunk) => {
        take(chunk)
        for (const line of String(chunk).split('\n')) show(line)
      })
      // What a library writes there is not in the log's form and may be the last words.
      child.stderr.on('data', (chunk) => {
        take(chunk)
        process.stderr.write(chunk)
      })
      const timer = setTimeout(() => {
        reject(
          new Stop(`The server did not become ready; its log, ${logPath}, ends with:\n${tail(recent, 20)}`),
        )
        child.kill('SIGKILL')
      }, READY_LIMIT_MS)
      child.on('message', (message) => {
        if (message?.type !== 'ready') return
        clearTimeout(timer)
        resolve(message)
      })
      child.on('error', reject)
      child.on('exit', (code, signal) => {
        clearTimeout(timer)
        rmSync(join(folder, 'server.pid'), { force: true })
        if (stopping) return
        const how = signal ?? `code ${code}`
        const words = `The server ended (${how}); its log, ${logPath}, ends with:\n${tail(recent, 20)}`
        reject(new Stop(words))
        deaths.push(began)
        void again(how, words)
      })
    })

  let wasReady = false
  const again = async (how, words) => {
    if (!wasReady) return
    const recentDeaths = deaths.filter((at) => performance.now() - at < FAST_DEATH_MS).length
    if (recentDeaths >= FAST_DEATHS) {
      giveUp(new Stop(words))
      return
    }
    say(`The server ended (${how}); starting it again.`)
    await sleep(Math.max(0, recentDeaths - 1) * 1000)
    if (!stopping) await launch().catch(() => {})
  }

  const ready = await launch()
  wasReady = true
  return {
    ready,
    ended,
    /** The server's process now; another one after it was started again. */
    pid: () => child.pid,
    async stop() {
      stopping = true
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        const gone = () => child.exitCode !== null || child.signalCode !== null
        if (!(await until(gone, { timeoutMs: STOP_LIMIT_MS, everyMs: 20 }))) child.kill('SIGKILL')
        await until(gone, { timeoutMs: 5000, everyMs: 20 })
      }
      log.end()
    },
  }
}

/** Of the server's log, a person sees warnings and errors. */
function show(line) {
  if (!line.startsWith('{')) return
  try {
    const { level, message, at, ...fields } = JSON.parse(line)
    if (level !== 'warn' && level !== 'error') return
    const detail = fields.error?.message ?? fields.code ?? ''
    console.error(`[${level}] ${message}${detail === '' ? '' : `: ${detail}`}`)
  } catch {
    // Half a line; the log file has all of it.
  }
}
