/** Paths as a model writes them, made absolute inside the sandbox, and shown short again. */
import { posix } from 'node:path'
import { homePath, workspacePath } from '../../protocol/places.ts'

export const absolutePath = (path: string, cwd: string): string => {
  const expanded = path === '~' || path.startsWith('~/') ? homePath + path.slice(1) : path
  return posix.resolve(cwd, expanded)
}

/** Relative to the workspace where it lies in it. */
export const shownPath = (path: string): string =>
  path === workspacePath
    ? '.'
    : path.startsWith(`${workspacePath}/`)
      ? path.slice(workspacePath.length + 1)
      : path
