/**
 * Checkpoints of one sandbox over the supervisor's routes: make one, compare two, bring one back. The trees that a
 * thread's differences are counted against live in its row.
 */
import { Fault } from '../../protocol/error.ts'
import type { FileChange } from '../../protocol/event.ts'
import { CheckpointAnswer, DiffAnswer, Done, RestoreAnswer } from './answers.ts'
import type { FileRequests } from './files.ts'
import type { CheckpointResult, RestoreResult } from './types.ts'

/** Git's id of the tree without files. */
export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

const maxFiles = 1_000
/** As much as the other side takes back at once. */
const maxPackBytes = 1024 ** 3
const treeId = /^[0-9a-f]{40}([0-9a-f]{24})?$/

/** What the row remembers. `base` null = the workspace began empty; `next` = it began as the next checkpoint finds it. */
export type Trees = { base: string | null; last: string | null }

const idOf = (value: unknown): string => {
  if (typeof value === 'string' && treeId.test(value)) return value
  throw new Fault('sandbox_unavailable', 'The sandbox named a tree that is none.', 'Try again.')
}
const asked = (tree: string): string => (tree === emptyTree ? 'empty' : idOf(tree))
const between = (from: string, to: string, path?: string): string =>
  `from=${asked(from)}&to=${asked(to)}${path === undefined ? '' : `&path=${encodeURIComponent(path)}`}`

const kinds = {
  added: 'added',
  modified: 'modified',
  deleted: 'deleted',
  renamed: 'moved',
  type_changed: 'modified',
} as const

const compare = async (requests: FileRequests, from: string, to: string): Promise<FileChange[]> => {
  if (from === to) return []
  const { files } = await requests.json(
    {
      method: 'GET',
      path: `/checkpoint/diff?${between(from, to)}`,
      repeatable: true,
    },
    DiffAnswer,
  )
  return files.map(({ path, status, oldPath, additions, deletions }) => ({
    path,
    change: kinds[status] ?? 'modified',
    ...(oldPath === undefined ? {} : { movedFrom: oldPath }),
    additions: additions ?? 0,
    deletions: deletions ?? 0,
    binary: additions === null || deletions === null,
  }))
}

/** Makes a checkpoint; answers it with the trees to remember. */
export const makeCheckpoint = async (
  requests: FileRequests,
  trees: Trees,
  since: string | null,
): Promise<{ result: CheckpointResult; trees: Trees }> => {
  const made = await requests.json(
    {
      method: 'POST',
      path: '/checkpoint',
      json: { since },
      repeatable: true,
    },
    CheckpointAnswer,
  )
  const { tree } = made
  const base = trees.base === null ? emptyTree : trees.base === 'next' ? tree : trees.base
  const files = await compare(requests, base, tree)
  let pack: Uint8Array | null = null
  if (made.pack !== null) {
    const path = `/checkpoint/pack/${encodeURIComponent(made.pack.id)}`
    pack = (await requests.bytes({ method: 'GET', path, maxBytes: maxPackBytes, repeatable: true })).bytes
  }
  const leftOut = made.leftOut.map(({ path, reason }) => ({ path, why: reason.replaceAll('_', ' ') }))
  if (made.leftOutMore > 0) leftOut.push({ path: '…', why: `${made.leftOutMore} more` })
  return {
    result: {
      tree,
      snapshot: made.snapshot,
      changed: tree !== (trees.last ?? base),
      previousTree: trees.last,
      baseTree: base,
      files: files.slice(0, maxFiles),
      fileCount: files.length,
      additions: files.reduce((sum, file) => sum + file.additions, 0),
      deletions: files.reduce((sum, file) => sum + file.deletions, 0),
      leftOut,
      pack,
      durationMs: Math.round(made.durationMs),
    },
    trees: { base: trees.base === 'next' ? tree : trees.base, last: tree },
  }
}

export const unifiedDiff = async (
  requests: FileRequests,
  from: string,
  to: string,
  path?: string,
): Promise<string> => {
  if (from === to) return ''
  const { bytes } = await requests.bytes({
    method: 'GET',
    path: `/checkpoint/patch?${between(from, to, path)}`,
    repeatable: true,
  })
  return Buffer.from(bytes).toString('utf8')
}

export const fileAt = async (
  requests: FileRequests,
  tree: string,
  path: string,
): Promise<Uint8Array | null> => {
  if (tree === emptyTree) return null
  try {
    const { bytes } = await requests.bytes({
      method: 'GET',
      path: `/checkpoint/file?tree=${idOf(tree)}&path=${encodeURIComponent(path)}`,
      repeatable: true,
    })
    return bytes
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return null
    throw error
  }
}

export const restore = async (
  requests: FileRequests,
  to: string,
  packs?: AsyncIterable<Uint8Array>,
): Promise<RestoreResult> => {
  for await (const pack of packs ?? [])
    await requests.json({ method: 'PUT', path: '/checkpoint/pack', body: pack, repeatable: true }, Done)
  const { written, removed, failed } = await requests.json(
    {
      method: 'POST',
      path: '/checkpoint/restore',
      json: { to: asked(to) },
      repeatable: true,
    },
    RestoreAnswer,
  )
  return { written, removed, failed }
}
