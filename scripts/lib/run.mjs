// Starts other programs: output kept for the error message, the last line shown as progress.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stop } from './say.mjs'

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
/** The pinned Node that everything but the first moments of a script runs on. */
export const pinnedNode = join(root, 'node_modules/.bin/node')

const KEPT_BYTES = 2_000_000

/**
 * Resolves with { code, signal, output } when the program ended and its output is complete.
 * `note` gets each line; `echo` copies the output to this process; `timeoutMs` ends the whole group.
 */
export function run(command, args, { cwd = root, env, note, echo = false, timeoutMs, input } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: env ?? process.env,
      detached: timeoutMs !== undefined,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    let output = ''
    let timedOut = false
    const take = (chunk) => {
      const text = chunk.toString()
      output = (output + text).slice(-KEPT_BYTES)
      if (echo) process.stdout.write(text)
      const line = text.trimEnd().split('\n').pop()?.trim()
      if (note !== undefined && line !== undefined && line !== '') note(line)
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    if (input !== undefined) child.stdin.end(input)
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            timedOut = true
            endGroup(child.pid, 'SIGTERM')
            setTimeout(() => endGroup(child.pid, 'SIGKILL'), 10_000).unref()
          }, timeoutMs)
    let interrupted = false
    const onSignal = (signal) => {
      interrupted = true
      if (timeoutMs === undefined) child.kill(signal)
      else endGroup(child.pid, signal)
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
    const done = () => {
      clearTimeout(timer)
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    }
    child.on('error', (error) => {
      done()
      reject(error)
    })
    child.on('close', (code, signal) => {
      done()
      if (interrupted) reject(new Stop('Interrupted.'))
      else resolve({ code: code ?? 1, signal, output, timedOut })
    })
  })
}

function endGroup(pid, signal) {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // It is gone already.
  }
}

/** A short program's output, or undefined when it failed or does not exist. */
export function ask(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: 'utf8', timeout: 20_000, cwd: root, ...options })
  return result.status === 0 ? result.stdout.trim() : undefined
}

/** The last `count` lines, for an error message. */
export function tail(text, count = 40) {
  return text.trimEnd().split('\n').slice(-count).join('\n')
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Asks `probe` until it answers something truthy or the time is over (then undefined). */
export async function until(probe, { timeoutMs, everyMs = 100 }) {
  const end = performance.now() + timeoutMs
  for (;;) {
    const answer = await probe()
    if (answer) return answer
    if (performance.now() > end) return undefined
    await sleep(everyMs)
  }
}

/** True while the process exists; `startedAt` (from processStart) tells it from a later one of the same number. */
export function alive(pid, startedAt) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (error.code !== 'EPERM') return false
  }
  return startedAt === undefined || processStart(pid) === startedAt
}

/** When the kernel started the process, in its own ticks, as text; undefined when there is none. */
export function processStart(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
