import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { lockDataFolder } from './data.mjs'

const folder = mkdtempSync(join(tmpdir(), 'baton-lock-'))
afterAll(() => rmSync(folder, { recursive: true }))

const holdElsewhere = (): Promise<{ end(): Promise<void> }> =>
  new Promise((resolve, reject) => {
    const library = pathToFileURL(join(import.meta.dirname, 'data.mjs')).href
    const script = `const { lockDataFolder } = await import(${JSON.stringify(library)})
      await lockDataFolder(${JSON.stringify(folder)}); console.log('held'); setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script])
    child.on('error', reject)
    child.stdout.once('data', () =>
      resolve({
        end: () =>
          new Promise((done) => {
            child.on('exit', () => done())
            child.kill('SIGKILL')
          }),
      }),
    )
  })

it('lets one process in, and the next one after the first was killed', async () => {
  const first = await holdElsewhere()
  await expect(lockDataFolder(folder, 300)).rejects.toThrow(/Another Baton/)
  await first.end()
  const unlock = await lockDataFolder(folder, 20_000)
  unlock()
  expect(existsSync(join(folder, 'lock'))).toBe(false)
})

it('takes over a lock whose process number now belongs to another process', async () => {
  writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: process.pid, startedAt: '1' }))
  const unlock = await lockDataFolder(folder, 20_000)
  unlock()
  expect(existsSync(join(folder, 'lock'))).toBe(false)
})
