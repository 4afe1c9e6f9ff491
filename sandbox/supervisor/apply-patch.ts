// The program `apply_patch` of every shell in the container: the patch is its argument or its standard input. It edits
// files itself, with its caller's rights, and never speaks to the supervisor.
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { applyPatch } from '../../src/server/tools/patch/apply.ts'
import type { PatchFs } from '../../src/server/tools/patch/types.ts'

const here: PatchFs = {
  readFile: (path) => readFile(path),
  writeFile: (path, bytes) => writeFile(path, bytes),
  mkdir: async (path) => void (await mkdir(path, { recursive: true })),
  remove: (path) => rm(path),
  stat: async (path) => {
    try {
      const st = await stat(path)
      return { type: st.isFile() ? 'file' : st.isDirectory() ? 'directory' : 'other' }
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
      throw error
    }
  },
}

const [argument, ...more] = process.argv.slice(2)
if (more.length > 0) {
  process.stderr.write(
    'Error: apply_patch takes exactly one argument, the patch, or reads it from standard input.\n',
  )
  process.exitCode = 2
} else {
  const text = argument ?? (await buffer(process.stdin)).toString('utf8')
  if (text.trim() === '') {
    process.stderr.write('Usage: apply_patch PATCH, or the patch on standard input.\n')
    process.exitCode = 2
  } else {
    const result = await applyPatch(text, here, { cwd: process.cwd() })
    process.stdout.write(result.stdout)
    process.stderr.write(result.stderr)
    process.exitCode = result.exitCode
  }
}
