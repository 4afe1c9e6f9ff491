// Files in memory behind the patch engine's port: folders exist while something is in them.
import { posix } from 'node:path'
import type { PatchFs } from '../../src/server/tools/patch/types.ts'

const failure = (code: string): Error => Object.assign(new Error(code), { code })

export const memoryFiles = (
  start: Record<string, Uint8Array> = {},
): PatchFs & { files: Map<string, Uint8Array> } => {
  const files = new Map(Object.entries(start))
  const isFolder = (path: string): boolean =>
    path === '/' || [...files.keys()].some((file) => file.startsWith(`${path}/`))
  return {
    files,
    async readFile(path) {
      const bytes = files.get(path)
      if (bytes === undefined) throw failure(isFolder(path) ? 'EISDIR' : 'ENOENT')
      return bytes
    },
    async writeFile(path, bytes) {
      if (isFolder(path)) throw failure('EISDIR')
      files.set(path, bytes)
    },
    async mkdir(path) {
      for (let folder = path; folder !== '/'; folder = posix.dirname(folder))
        if (files.has(folder)) throw failure('ENOTDIR')
    },
    async remove(path) {
      if (!files.delete(path)) throw failure(isFolder(path) ? 'EPERM' : 'ENOENT')
    },
    async stat(path) {
      for (let folder = posix.dirname(path); folder !== '/'; folder = posix.dirname(folder))
        if (files.has(folder)) throw failure('ENOTDIR')
      if (files.has(path)) return { type: 'file' }
      return isFolder(path) ? { type: 'directory' } : null
    },
  }
}
