// Brings node_modules in line with package-lock.json, then runs the script again under the pinned Node.
// Runs on Node 20 with built-ins only: nothing is installed yet.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { followParent } from './follow-parent.mjs'
import { pinnedNode, root, run, sleep, tail } from './run.mjs'
import { Stop, step } from './say.mjs'

const PINNED_MAJOR = 24
const ATTEMPTS = 3

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages
  } catch {
    return undefined
  }
}

/** npm leaves a copy of what it installed; it is written last, so an interrupted install has none. */
function installedAsLocked() {
  const locked = readPackages(join(root, 'package-lock.json'))
  const installed = readPackages(join(root, 'node_modules/.package-lock.json'))
  if (locked === undefined)
    throw new Stop('package-lock.json is missing or broken: take it from the repository.')
  if (installed === undefined) return false
  for (const [path, wanted] of Object.entries(locked)) {
    if (path === '') continue
    const found = installed[path]
    if (found === undefined) {
      if (wanted.optional || wanted.devOptional) continue
      return false
    }
    if (found.version !== wanted.version) return false
  }
  return existsSync(join(root, 'node_modules/next/package.json')) && existsSync(pinnedNode)
}

/** Install scripts stay off: they would fetch from elsewhere, and nothing here needs one. */
export async function ensureInstalled() {
  if (installedAsLocked()) return
  await step('installing npm packages', async (note) => {
    const npm = process.env.npm_execpath
    const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
    const args = [
      'ci',
      '--ignore-scripts',
      '--include=dev',
      '--include=optional',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ]
    for (let attempt = 1; ; attempt++) {
      const { code, output } = await run(command, [...first, ...args], { note })
      if (code === 0 && existsSync(pinnedNode)) return
      if (code === 0)
        throw new Stop('The pinned Node is published for Linux on x64 only; this machine is something else.')
      if (attempt === ATTEMPTS) throw new Stop(`npm ci failed ${ATTEMPTS} times:\n${tail(output)}`)
      note(`attempt ${attempt} failed, trying again`)
      await sleep(attempt * 3000)
    }
  })
}

/** Under an older Node: hands over to the pinned one and never returns. */
export async function underPinnedNode() {
  if (Number(process.versions.node.split('.')[0]) >= PINNED_MAJOR) return
  const args = ['--disable-warning=ExperimentalWarning', ...process.argv.slice(1)]
  const child = spawn(pinnedNode, args, {
    stdio: 'inherit',
    env: { ...process.env, BATON_HANDED_OVER: '1' },
  })
  const pass = (signal) => child.kill(signal)
  process.on('SIGINT', () => pass('SIGINT'))
  process.on('SIGTERM', () => pass('SIGTERM'))
  process.on('SIGHUP', () => pass('SIGTERM'))
  await new Promise(() => {
    child.on('error', (error) => {
      console.error(error)
      process.exit(1)
    })
    child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1))
  })
}

/** The first line of every script that needs packages. */
export async function prepare() {
  followParent(() => process.kill(process.pid, 'SIGTERM'))
  await ensureInstalled()
  await underPinnedNode()
}
