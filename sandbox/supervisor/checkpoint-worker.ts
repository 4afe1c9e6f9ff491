// The thread that makes checkpoints: walking and hashing may take seconds and must not hold up the supervisor.
// One request at a time, each answered once.
import { parentPort, workerData } from 'node:worker_threads'
import { Journal } from './checkpoint/journal.ts'
import { Repository } from './checkpoint/repository.ts'
import { restore, snapshotParts } from './checkpoint/restore.ts'
import { IGNORED_MAX_BYTES, Snapshotter, tellLeftOut } from './checkpoint/snapshot.ts'
import { readDiff } from './checkpoint/tree-diff.ts'
import { type Walk, walkWorkspace } from './checkpoint/walk.ts'
import type { WorkerAnswer, WorkerCall, WorkerRequest } from './checkpoint/worker-types.ts'
import { asFailure, bodyOf, notFound } from './failure.ts'
import { type Checkpoint, DIFF_MAX_BYTES, FILE_WRITE_MAX_BYTES } from './protocol.ts'

const LEFT_OUT_MAX = 200
const { folder, workspace }: { folder: string; workspace: string } = workerData

const repository = new Repository(folder)
const journal = new Journal(repository)
const snapshotter = new Snapshotter(repository, workspace)
type MakeCall = Extract<WorkerCall, { type: 'make' }>
let walk: Walk | undefined

const look = (): { ask: string[] | null } => {
  walk = walkWorkspace(workspace)
  if (walk.root.bytes <= IGNORED_MAX_BYTES) return { ask: null }
  // Files alone: what a `.git` holds is not ignored, and a link to one needs none of its own.
  return { ask: walk.repositories.filter(({ isFile }) => !isFile).map(({ folder: at }) => at) }
}

const take = (ignored: string[]): ReturnType<Snapshotter['take']> & { pack: Checkpoint['pack'] } => {
  const walked = walk ?? walkWorkspace(workspace)
  walk = undefined
  try {
    const taken = snapshotter.take(walked, new Set(ignored))
    const pack = snapshotter.finish()
    if (pack) repository.added(pack.ids)
    journal.add(taken.tree, pack?.id ?? null)
    return { ...taken, pack: pack && { id: pack.id, bytes: pack.bytes, objects: pack.objects } }
  } catch (error) {
    snapshotter.discard()
    throw error
  }
}

const make = ({ base, since, ignored, began }: MakeCall): Checkpoint => {
  const from = base === null ? (repository.last()?.tree ?? repository.tree('empty')) : repository.tree(base)
  const taken = take(ignored)
  const { tree, snapshot, keep } = taken
  const pack = since === undefined ? taken.pack : journal.after(since)
  const files = tree === from ? [] : readDiff(repository, { from, to: tree, path: null }).files
  repository.remember({ tree, snapshot, keep })
  const leftOut = tellLeftOut(snapshotter.leftOut, workspace)
  return {
    tree,
    snapshot,
    changed: tree !== from,
    filesChanged: files.length,
    additions: files.reduce((sum, file) => sum + (file.additions ?? 0), 0),
    deletions: files.reduce((sum, file) => sum + (file.deletions ?? 0), 0),
    files: snapshotter.files,
    bytes: snapshotter.bytes,
    pack,
    leftOut: leftOut.slice(0, LEFT_OUT_MAX),
    leftOutMore: Math.max(0, leftOut.length - LEFT_OUT_MAX),
    durationMs: Date.now() - began,
  }
}

const putBack = (to: string, ignored: string[]): ReturnType<typeof restore> => {
  const target = repository.tree(to)
  const { tree, snapshot, keep } = take(ignored)
  const parts = snapshotParts(repository, snapshot)
  const repositories = new Map(
    (parts?.manifest.repositories ?? [])
      .filter(({ isFile }) => !isFile)
      .map(({ folder: at, entry }) => [
        Buffer.from(at, 'base64').toString('latin1'),
        `${parts?.repositories}:${entry}`,
      ]),
  )
  return restore(repository, workspace, target, { tree, repositories }, keep)
}

const answer = (request: WorkerRequest): unknown => {
  switch (request.type) {
    case 'look':
      return look()
    case 'make':
      return make(request)
    case 'restore':
      return putBack(request.to, request.ignored)
    case 'diff':
      return readDiff(repository, request)
    case 'unified': {
      const args = [
        'diff-tree',
        '-r',
        '-p',
        '-M',
        '--no-color',
        '--no-ext-diff',
        '--no-textconv',
        '--full-index',
      ]
      const trees = [repository.tree(request.from), repository.tree(request.to)]
      const path = request.path === null ? [] : ['--', request.path]
      return repository.git([...args, `-U${request.context}`, ...trees, ...path], {
        maxBytes: DIFF_MAX_BYTES,
      })
    }
    case 'file': {
      const spec = `${repository.tree(request.tree)}:${request.path}`
      const bytes = repository.git(['cat-file', 'blob', spec], {
        allow: true,
        maxBytes: FILE_WRITE_MAX_BYTES,
      })
      if (bytes.status !== 0) throw notFound(`There was no file ${request.path}.`)
      return bytes
    }
    case 'take-pack':
      return repository.take(Buffer.from(request.bytes))
  }
}

parentPort?.on('message', (request: WorkerRequest) => {
  let told: WorkerAnswer
  try {
    const value = answer(request)
    // A Buffer crosses as plain bytes.
    told = { id: request.id, value: value instanceof Uint8Array ? new Uint8Array(value) : value }
  } catch (error) {
    told = { id: request.id, failure: bodyOf(asFailure(error, 'checkpoint')) }
  }
  parentPort?.postMessage(told)
})
