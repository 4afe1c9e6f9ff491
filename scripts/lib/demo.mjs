// The offline demo model: the scripted model server of the tests, as a process of its own beside the server.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pinnedNode, root } from './run.mjs'
import { Stop } from './say.mjs'

const READY_LIMIT_MS = 30_000

/** Returns { url, stop() }; the model listens on loopback only. */
export function startDemoModel(env) {
  return new Promise((resolve, reject) => {
    const flags = [
      '--disable-warning=ExperimentalWarning',
      '--import',
      join(root, 'scripts/lib/follow-parent.mjs'),
    ]
    const child = spawn(pinnedNode, [...flags, join(root, 'test/scripted-model/main.ts')], {
      cwd: root,
      env: { PATH: env.PATH, PORT: '0', BATON_HANDED_OVER: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Stop('The demo model does not start.'))
    }, READY_LIMIT_MS)
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      const url = text.match(/https?:\/\/[^\s"]+/)?.[0]
      if (url === undefined) return
      clearTimeout(timer)
      resolve({ url: url.replace(/\/$/, ''), stop: async () => child.kill('SIGTERM') })
    })
    child.on('error', reject)
    child.on('exit', () => reject(new Stop('The demo model ended before it listened.')))
  })
}
