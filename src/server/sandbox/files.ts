/**
 * Files, patches and searches of one sandbox over the supervisor's routes. Knows paths and shapes, not containers.
 */
import { posix } from 'node:path'
import type { z } from 'zod'
import { FILE_READ_MAX_BYTES, HEADER_FILE } from '../../../sandbox/supervisor/protocol.ts'
import { Fault } from '../../protocol/error.ts'
import { Done, ListAnswer, PatchAnswer, SearchAnswer, StatAnswer } from './answers.ts'
import type { LinkRequest } from './link.ts'
import { type FileStat, type Sandbox, workspacePath } from './types.ts'

export type FileRequests = {
  json<S extends z.ZodType>(request: LinkRequest, shape: S): Promise<z.infer<S>>
  bytes(request: LinkRequest): Promise<{ bytes: Uint8Array; headers: Record<string, unknown> }>
}

/** Bytes of a file that are read at once; larger ones are read by range. */
const maxFileBytes = 64 * 1024 * 1024

const absolute = (path: string): string => posix.resolve(workspacePath, path)
const query = (values: Record<string, string | number | undefined>): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
const types = { file: 'file', dir: 'directory', symlink: 'symlink', other: 'other' } as const

const isNotFound = (error: unknown): boolean => error instanceof Fault && error.code === 'not_found'

export const stat = async (requests: FileRequests, path: string): Promise<FileStat | null> => {
  try {
    const found = await requests.json(
      {
        method: 'GET',
        path: `/files/stat?${query({ path: absolute(path) })}`,
        repeatable: true,
      },
      StatAnswer,
    )
    return { path: found.path, type: types[found.kind] ?? 'other', bytes: found.size, mtimeMs: found.mtimeMs }
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}

const sizeIn = (header: unknown): number | null => {
  try {
    return StatAnswer.parse(JSON.parse(String(header))).size
  } catch {
    return null
  }
}

export const readFile = async (
  requests: FileRequests,
  path: string,
  range?: { offset: number; limit: number },
): Promise<{ bytes: Uint8Array; size: number }> => {
  const parts: Uint8Array[] = []
  let offset = range?.offset ?? 0
  let left = range?.limit ?? maxFileBytes
  let size = 0
  do {
    const { bytes, headers } = await requests.bytes({
      method: 'GET',
      path: `/files?${query({ path: absolute(path), offset, limit: Math.min(left, FILE_READ_MAX_BYTES) })}`,
      repeatable: true,
    })
    size = sizeIn(headers[HEADER_FILE]) ?? offset + bytes.length
    if (range === undefined && size > maxFileBytes)
      throw new Fault('too_large', `${path} has ${size} bytes.`, 'Read it by range.', { path, size })
    parts.push(bytes)
    offset += bytes.length
    left -= bytes.length
    if (bytes.length === 0) break
  } while (left > 0 && offset < size)
  return { bytes: parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts), size }
}

export const listDir = async (
  requests: FileRequests,
  path: string,
  options: { depth: number; limit: number },
): Promise<{ entries: FileStat[]; more: boolean }> => {
  const list = await requests.json(
    {
      method: 'GET',
      path: `/files/list?${query({ path: absolute(path), depth: options.depth, limit: options.limit })}`,
      repeatable: true,
    },
    ListAnswer,
  )
  return {
    entries: list.entries.map(({ name, kind, size, mtimeMs }) => ({
      path: posix.join(list.path, name),
      type: types[kind] ?? 'other',
      bytes: size,
      mtimeMs,
    })),
    more: list.truncated,
  }
}

export const writeFile = async (
  requests: FileRequests,
  path: string,
  bytes: Uint8Array,
  mode: Parameters<Sandbox['writeFile']>[2],
): Promise<void> => {
  if (mode === 'read-only')
    throw new Fault(
      'tool_refused',
      'This thread may not write files.',
      'Ask for the permission workspace-write.',
    )
  await requests.json(
    {
      method: 'PUT',
      path: `/files?${query({ path: absolute(path), parents: 1 })}`,
      body: bytes,
      repeatable: true,
    },
    Done,
  )
}

const changes = { add: 'added', update: 'modified', delete: 'deleted', move: 'moved' } as const

/** Added and removed lines per file of a patch text, in its order. */
const countLines = (text: string): { path: string; additions: number; deletions: number }[] => {
  const counts: { path: string; additions: number; deletions: number }[] = []
  for (const line of text.split('\n')) {
    const header = /^\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$/.exec(line)
    const current = counts.at(-1)
    if (header?.[1] !== undefined) counts.push({ path: header[1], additions: 0, deletions: 0 })
    else if (current !== undefined && line.startsWith('+')) current.additions += 1
    else if (current !== undefined && line.startsWith('-')) current.deletions += 1
  }
  return counts
}

export const patch = async (
  requests: FileRequests,
  text: string,
  options: Parameters<Sandbox['patch']>[1],
): ReturnType<Sandbox['patch']> => {
  let result: z.infer<typeof PatchAnswer>
  try {
    result = await requests.json(
      {
        method: 'POST',
        path: '/patch',
        json: {
          patch: text,
          mode: options.mode,
          ...(options.cwd === undefined ? {} : { cwd: absolute(options.cwd) }),
        },
        signal: options.signal,
        // A patch that was applied does not apply again.
        repeatable: false,
      },
      PatchAnswer,
    )
  } catch (error) {
    if (error instanceof Fault && error.code === 'patch_rejected')
      // The next step names what was changed before the failure.
      return { ok: false, output: `${error.message.trimEnd()}\n${error.next}\n`, files: [] }
    throw error
  }
  const counts = countLines(text)
  const base = options.cwd === undefined ? workspacePath : absolute(options.cwd)
  const linesOf = (...paths: (string | undefined)[]) => {
    const wanted = paths.filter((path) => path !== undefined).map((path) => posix.resolve(base, path))
    return counts.filter(({ path }) => wanted.includes(posix.resolve(base, path)))
  }
  return {
    ok: true,
    output: result.summary,
    files: result.changed.map(({ path, kind, movedFrom }) => {
      const sections = linesOf(path, movedFrom)
      return {
        path: movedFrom ?? path,
        change: changes[kind] ?? 'modified',
        ...(movedFrom === undefined ? {} : { movedTo: path }),
        additions: sections.reduce((sum, section) => sum + section.additions, 0),
        deletions: sections.reduce((sum, section) => sum + section.deletions, 0),
      }
    }),
  }
}

export const search = async (
  requests: FileRequests,
  wanted: Parameters<Sandbox['search']>[0],
  signal?: AbortSignal,
): ReturnType<Sandbox['search']> => {
  const result = await requests.json(
    {
      method: 'GET',
      path: `/search?${query({
        query: wanted.pattern,
        path: wanted.path === undefined ? undefined : absolute(wanted.path),
        glob: wanted.glob,
        literal: wanted.literal ? 1 : undefined,
        ignoreCase: wanted.caseSensitive ? undefined : 1,
        hidden: 1,
        context: wanted.contextLines,
        limit: wanted.limit,
      })}`,
      signal,
      repeatable: true,
    },
    SearchAnswer,
  )
  return {
    matches: result.matches.map(({ path, line, text, context }) => ({ path, line, text, isMatch: !context })),
    more: result.truncated || result.timedOut,
  }
}
