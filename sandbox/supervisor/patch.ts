// POST /patch: the same engine as the program in the shell, on files reached the checked way.
import { realpathSync } from 'node:fs'
import { posix } from 'node:path'
import { applyPatch } from '../../src/server/tools/patch/apply.ts'
import type { PatchFs } from '../../src/server/tools/patch/types.ts'
import { badInput, Failure } from './failure.ts'
import * as files from './files.ts'
import { CONTAINER, FILE_WRITE_MAX_BYTES, type PatchRequest, type PatchResult } from './protocol.ts'

const errnos: Partial<Record<Failure['code'], string>> = {
  not_found: 'ENOENT',
  forbidden: 'EACCES',
  not_a_file: 'EISDIR',
  disk_full: 'ENOSPC',
}

/** The engine's words for a failure come from Node's error codes. */
const asNode = <T>(work: () => T): Promise<T> => {
  try {
    return Promise.resolve(work())
  } catch (error) {
    if (!(error instanceof Failure)) return Promise.reject(error)
    return Promise.reject(Object.assign(new Error(error.message), { code: errnos[error.code] ?? 'EINVAL' }))
  }
}

const wholeFile = (path: string): Buffer => {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const { stat, bytes } = files.readFile(path, at, Number.POSITIVE_INFINITY)
    if (stat.size > FILE_WRITE_MAX_BYTES) throw badInput(`${path} is too large to be patched.`)
    parts.push(bytes)
    at += bytes.length
    if (bytes.length === 0 || at >= stat.size) return Buffer.concat(parts)
  }
}

/** Where a path really is: its own place, or that of the nearest folder above it that is there. */
const realPlace = (path: string): string => {
  for (let place = path; ; place = posix.dirname(place)) {
    try {
      return realpathSync(place)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : ''
      if ((code !== 'ENOENT' && code !== 'ENOTDIR') || place === '/') throw error
    }
  }
}

/**
 * Links in the workspace may lead out of it; a patch does not follow them unless everything writable is allowed. The
 * hard wall is in files.ts: a link that changes in between reaches no more than a command can write anyway.
 */
const guarded = (path: string, everywhere: boolean): string => {
  const place = realPlace(path)
  const { workspace } = CONTAINER
  if (everywhere || place === workspace || place.startsWith(`${workspace}/`)) return path
  throw new Failure(
    'forbidden',
    `${path} is outside of the workspace.`,
    'Use a path inside of the workspace.',
  )
}

const checked = (everywhere: boolean): PatchFs => ({
  readFile: (path) => asNode(() => wholeFile(path)),
  writeFile: (path, bytes) => asNode(() => void files.writeFile(guarded(path, everywhere), bytes, false)),
  mkdir: (path) => asNode(() => files.makeFolder(guarded(path, everywhere))),
  remove: (path) =>
    asNode(() => {
      guarded(posix.dirname(path), everywhere)
      files.removeFile(path)
    }),
  stat: (path) =>
    asNode(() => {
      const stat = files.statOrNull(path)
      if (!stat) return null
      return { type: stat.kind === 'dir' ? 'directory' : stat.kind === 'file' ? 'file' : 'other' }
    }),
})

const kinds = { added: 'add', modified: 'update', deleted: 'delete', moved: 'move' } as const

/** @throws Failure `patch_rejected` with the engine's words; what was changed before stays changed and is named */
export const patch = async (request: PatchRequest): Promise<PatchResult> => {
  const cwd = request.cwd ?? CONTAINER.workspace
  if (typeof request.patch !== 'string') throw badInput('The patch must be text.')
  if (!cwd.startsWith('/')) throw badInput('The working folder must be an absolute path.')
  if (request.mode === 'read-only')
    throw new Failure('forbidden', 'Nothing may be written in read-only mode.', 'Ask for workspace-write.')
  const result = await applyPatch(request.patch, checked(request.mode === 'full-access'), { cwd })
  const changed = result.files.map(({ path, change, movedTo }) =>
    change === 'moved' && movedTo !== undefined
      ? { path: movedTo, kind: kinds.moved, movedFrom: path }
      : { path, kind: kinds[change] },
  )
  if (result.exitCode === 0) return { summary: result.stdout, changed }
  const done = changed.length > 0 ? ` Changed before it: ${changed.map(({ path }) => path).join(', ')}.` : ''
  throw new Failure(
    'patch_rejected',
    result.stderr,
    `Read the files again and send a corrected patch.${done}`,
  )
}
