// Makes sure that a Docker engine answers. Where none runs and we are root, one is started in the background
// with its files in the data folder; it is a service of the machine from then on, not a part of the server.
import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ensurePrograms, find, isRoot } from './packages.mjs'
import { alive, ask, processStart, run, sleep, tail, until } from './run.mjs'
import { Stop, step } from './say.mjs'

const SOCKET = '/var/run/docker.sock'
const PING_LIMIT_MS = 10_000
const START_LIMIT_MS = 90_000

/** Asks the engine; resolves with the body's text, or undefined when it does not answer with success. */
export function askEngine(host, path, { method = 'GET', timeoutMs = PING_LIMIT_MS } = {}) {
  return new Promise((resolve) => {
    let target
    if (host.startsWith('unix://')) target = { socketPath: host.slice('unix://'.length) }
    else {
      const url = new URL(host.replace(/^tcp:/, 'http:'))
      target = { host: url.hostname, port: url.port || 2375 }
    }
    const asked = request(
      { ...target, path, method, headers: { host: 'docker' }, timeout: timeoutMs },
      (response) => {
        let text = ''
        response.on('data', (chunk) => (text += chunk))
        response.on('end', () => resolve(response.statusCode < 300 ? text : undefined))
        response.on('error', () => resolve(undefined))
      },
    )
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(undefined))
    asked.end()
  })
}

const answers = async (host) => (await askEngine(host, '/_ping')) !== undefined

/** The first engine that answers without our doing; undefined when there is none. */
export async function runningEngine() {
  if (process.env.DOCKER_HOST)
    return (await answers(process.env.DOCKER_HOST)) ? process.env.DOCKER_HOST : undefined
  const sockets = [SOCKET]
  if (process.env.XDG_RUNTIME_DIR) sockets.push(join(process.env.XDG_RUNTIME_DIR, 'docker.sock'))
  sockets.push(join(homedir(), '.docker/run/docker.sock'))
  for (const socket of sockets) {
    if (existsSync(socket) && (await answers(`unix://${socket}`))) return `unix://${socket}`
  }
  return undefined
}

/**
 * Returns { host, started, stop() }. `host` is for DOCKER_HOST; `stop` ends only an engine that this call started.
 * `folder` is where a started engine keeps its files.
 */
export async function ensureDocker(folder) {
  const running = await runningEngine()
  if (running !== undefined) return { host: running, started: false, stop: async () => {} }
  if (process.env.DOCKER_HOST)
    throw new Stop(
      `No Docker engine answers at DOCKER_HOST=${process.env.DOCKER_HOST}: start it or unset DOCKER_HOST.`,
    )
  if (!isRoot()) {
    const there = existsSync(SOCKET)
    throw new Stop(
      there
        ? `Docker's socket ${SOCKET} does not answer this user: start Docker, and join the group docker.`
        : 'No Docker engine answers: install docker.io, start it, and join the group docker.',
    )
  }
  await ensurePrograms(['dockerd'], 'to run sandboxes')
  // Installing the package starts the engine on some machines.
  if (await answersSoon(1500)) return { host: `unix://${SOCKET}`, started: false, stop: async () => {} }
  if (existsSync('/run/systemd/system')) {
    await run('systemctl', ['start', 'docker'])
    if (await answersSoon(30_000)) return { host: `unix://${SOCKET}`, started: false, stop: async () => {} }
  }
  return step('starting the Docker engine', (note) => startEngine(folder, note))
}

const answersSoon = (timeoutMs) => until(() => answers(`unix://${SOCKET}`), { timeoutMs, everyMs: 250 })

/** What an engine may lack on a small machine, from the usual case to the barest one that runs our sandboxes. */
const ATTEMPTS = [
  [],
  ['--iptables=false', '--ip6tables=false'],
  ['--iptables=false', '--ip6tables=false', '--bridge=none'],
  ['--iptables=false', '--ip6tables=false', '--bridge=none', '--storage-driver=vfs'],
]

async function startEngine(folder, note) {
  const home = join(folder, 'docker')
  mkdirSync(home, { recursive: true, mode: 0o711 })
  await mountCgroups()
  await clearLeftovers()
  const logPath = join(folder, 'docker.log')
  let last = ''
  for (const flags of ATTEMPTS) {
    const log = openSync(logPath, 'w')
    const args = ['--data-root', join(home, 'data'), '--exec-root', '/var/run/baton-docker', ...flags]
    args.push('--pidfile', '/var/run/baton-docker.pid', '--host', `unix://${SOCKET}`)
    const child = spawn(find('dockerd'), args, { detached: true, cwd: '/', stdio: ['ignore', log, log] })
    closeSync(log)
    child.unref()
    let ended = false
    child.on('error', () => (ended = true))
    child.on('exit', () => (ended = true))
    await until(async () => ended || (await answers(`unix://${SOCKET}`)), {
      timeoutMs: START_LIMIT_MS,
      everyMs: 200,
    })
    if (!ended && (await answers(`unix://${SOCKET}`))) {
      writeFileSync(join(folder, 'docker.pid'), `${child.pid} ${processStart(child.pid)}\n`)
      return { host: `unix://${SOCKET}`, started: true, stop: () => stopEngine(child.pid) }
    }
    if (!ended) await stopEngine(child.pid)
    last = readFileSync(logPath, 'utf8')
    note(`not with ${flags.join(' ') || 'its defaults'}`)
    await clearLeftovers()
  }
  throw new Stop(`The Docker engine does not start; its log, ${logPath}, ends with:\n${tail(last, 20)}`)
}

async function stopEngine(pid) {
  if (!alive(pid)) return
  process.kill(pid, 'SIGTERM')
  if (!(await until(() => !alive(pid), { timeoutMs: 40_000 }))) process.kill(pid, 'SIGKILL')
}

/** A machine without systemd may have no cgroups mounted; the engine needs them. */
async function mountCgroups() {
  const mounted = readFileSync('/proc/mounts', 'utf8')
  if (/ \/sys\/fs\/cgroup/.test(mounted) && (/ cgroup2 /.test(mounted) || / cgroup /.test(mounted))) return
  const tool = find('cgroupfs-mount')
  if (tool !== undefined) await run(tool, [])
}

/** A killed engine leaves its pid file, and its containerd, which would keep the next one from starting. */
async function clearLeftovers() {
  const pidFile = '/var/run/baton-docker.pid'
  if (existsSync(pidFile)) {
    const pid = Number(readFileSync(pidFile, 'utf8'))
    if (!alive(pid) || !(ask('cat', [`/proc/${pid}/comm`]) ?? '').startsWith('dockerd'))
      await run('rm', ['-f', pidFile])
  }
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8')
      if (command.startsWith('containerd\0') && command.includes('/var/run/baton-docker/'))
        process.kill(Number(entry), 'SIGTERM')
    } catch {
      // It ended while we looked.
    }
  }
  await sleep(100)
}

/** Removes what carries the installation's label: containers first, then their volumes. */
export async function removeInstallation(host, installId) {
  const filters = encodeURIComponent(JSON.stringify({ label: [`baton.install-id=${installId}`] }))
  const slow = { method: 'DELETE', timeoutMs: 60_000 }
  for (const { Id } of JSON.parse(
    (await askEngine(host, `/containers/json?all=1&filters=${filters}`)) ?? '[]',
  ))
    await askEngine(host, `/containers/${Id}?force=1&v=1`, slow)
  const volumes = JSON.parse((await askEngine(host, `/volumes?filters=${filters}`)) ?? '{}').Volumes ?? []
  for (const { Name } of volumes) await askEngine(host, `/volumes/${Name}?force=1`, slow)
}
