// The workspace made equal to a recorded tree: what differs is written, what is not in it is removed, what the
// checkpoint left out stays. Writes the checked way, so that a link made meanwhile leads nowhere.
import { chmodSync } from 'node:fs'
import { Failure } from '../failure.ts'
import { makeFolder, makeLink, removeAll, removeFile, writeFile } from '../files.ts'
import type { RestoreResult } from '../protocol.ts'
import type { Repository } from './repository.ts'
import { MANIFEST, type Manifest } from './snapshot.ts'

interface Listed {
  mode: string
  id: string
  size: number
}
const BATCH_BYTES = 64 * 1024 * 1024
const FAILED_MAX = 100

/** Every entry below a tree by path (latin1), folders included. */
export const listTree = (repository: Repository, tree: string): Map<string, Listed> => {
  const entries = new Map<string, Listed>()
  const text = repository.git(['ls-tree', '-r', '-t', '-l', '-z', '--full-tree', tree]).toString('latin1')
  for (const line of text.split('\0')) {
    const match = /^(\d+) \w+ ([0-9a-f]{40}) +(\d+|-)\t([\s\S]+)$/.exec(line)
    if (match?.[4])
      entries.set(match[4], { mode: match[1] ?? '', id: match[2] ?? '', size: Number(match[3]) || 0 })
  }
  return entries
}

const blobs = (repository: Repository, ids: string[]): Map<string, Buffer> => {
  const found = new Map<string, Buffer>()
  const bytes = repository.git(['cat-file', '--batch'], { input: Buffer.from(`${ids.join('\n')}\n`) })
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at)
    const [id = '', , size = '0'] = bytes.toString('latin1', at, end).split(' ')
    found.set(id, bytes.subarray(end + 1, end + 1 + Number(size)))
    at = end + 1 + Number(size) + 1
  }
  return found
}

const utf8 = (path: string): string => {
  const bytes = Buffer.from(path, 'latin1')
  const text = bytes.toString('utf8')
  if (!Buffer.from(text).equals(bytes)) throw new Error('its name is no UTF-8')
  return text
}

const isDir = (entry: Listed | undefined): boolean => entry?.mode === '040000'

/** `path` is `folder` or lies below it. */
const within = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

/** Makes one folder equal to a tree. `current` is what is there, `keep` paths that are not touched, all in latin1. */
const makeEqual = (
  repository: Repository,
  root: string,
  wanted: Map<string, Listed>,
  current: Map<string, Listed>,
  keep: string[],
  result: RestoreResult,
): void => {
  const attempt = (path: string, work: (full: string) => void): void => {
    try {
      work(`${root}/${utf8(path)}`)
    } catch (error) {
      const message = error instanceof Failure ? error.message : String(error)
      if (error instanceof Failure && error.code === 'disk_full') throw error
      const shown = Buffer.from(path, 'latin1').toString('utf8')
      if (result.failed.length < FAILED_MAX) result.failed.push({ path: shown, message })
    }
  }
  // A folder that holds something to be kept stays, and so does what is kept.
  const kept = (path: string): boolean => keep.some((item) => within(item, path) || within(path, item))
  const sameKind = (a: Listed, b: Listed): boolean => isDir(a) === isDir(b)
  const gone = [...current].filter(([path, entry]) => {
    const target = wanted.get(path)
    return !(target && sameKind(target, entry)) && !kept(path)
  })
  // Deepest first: a folder is empty when its turn comes, unless something in it is kept.
  for (const [path, entry] of gone.sort(([a], [b]) => b.length - a.length))
    attempt(path, (full) => {
      removeFile(full)
      if (!isDir(entry)) result.removed++
    })
  const files: [string, Listed][] = []
  for (const [path, entry] of wanted) {
    const there = current.get(path)
    if (isDir(entry)) {
      if (!isDir(there)) attempt(path, makeFolder)
    } else if (there?.id !== entry.id || there.mode !== entry.mode) files.push([path, entry])
  }
  for (let at = 0; at < files.length; ) {
    const batch: [string, Listed][] = []
    for (let size = 0; at < files.length && (batch.length === 0 || size < BATCH_BYTES); at++) {
      const file = files[at]
      if (!file) break
      batch.push(file)
      size += file[1].size
    }
    const contents = blobs(
      repository,
      batch.map(([, { id }]) => id),
    )
    for (const [path, { id, mode }] of batch)
      attempt(path, (full) => {
        const bytes = contents.get(id)
        if (!bytes) throw new Error('its content is not in this container')
        if (mode === '120000' || current.get(path)?.mode === '120000') removeAll(full)
        if (mode === '120000') makeLink(full, Buffer.from(bytes))
        else writeFile(full, bytes, true, mode === '100755' ? 0o755 : 0o644)
        result.written++
      })
  }
}

/** Reads a snapshot's parts; null when the tree is one of files only. */
export const snapshotParts = (
  repository: Repository,
  id: string,
): { files: string; repositories: string; manifest: Manifest } | null => {
  const text = repository.git(['ls-tree', '-z', id]).toString('latin1')
  const entries = new Map(
    text.split('\0').flatMap((line) => {
      const match = /^\d+ \w+ ([0-9a-f]{40})\t([\s\S]+)$/.exec(line)
      return match?.[1] && match[2] ? [[match[2], match[1]] as const] : []
    }),
  )
  const repositories = entries.get('.git')
  const files = entries.get('files')
  if (!repositories || !files) return null
  const list = /^\d+ blob ([0-9a-f]{40})\t/.exec(
    repository.git(['ls-tree', repositories, MANIFEST]).toString('latin1'),
  )?.[1]
  if (!list)
    throw new Failure('internal', 'The snapshot has no list of its repositories.', 'Restore its tree.')
  const manifest: Manifest = JSON.parse(repository.git(['cat-file', 'blob', list]).toString('utf8'))
  return { files, repositories, manifest }
}

/**
 * @param current the tree of the workspace as it is now, just recorded
 * @param kept what the last checkpoint left out, for a tree that carries no list of its own
 */
export const restore = (
  repository: Repository,
  workspace: string,
  to: string,
  current: { tree: string; repositories: Map<string, string> },
  kept: string[],
): RestoreResult => {
  const result: RestoreResult = { written: 0, removed: 0, failed: [] }
  const parts = snapshotParts(repository, to)
  const text = (base64: string): string => Buffer.from(base64, 'base64').toString('latin1')
  const gitOf = (folder: string): string => (folder === '' ? '.git' : `${folder}/.git`)
  // A `.git` is never part of the tree of files; when only files are restored, it stays where it is.
  const repositoriesHere = [...current.repositories.keys()].map(gitOf)
  const wantedHere = new Set((parts?.manifest.repositories ?? []).map(({ folder }) => gitOf(text(folder))))
  const stay = repositoriesHere.filter((path) => !parts || wantedHere.has(path))
  if (parts) {
    for (const path of repositoriesHere)
      if (!wantedHere.has(path)) {
        try {
          removeAll(`${workspace}/${utf8(path)}`)
        } catch (error) {
          result.failed.push({ path, message: String(error) })
        }
      }
  }
  const keep = [...(parts?.manifest.keep.map(text) ?? []), ...kept, ...stay]
  const files = parts?.files ?? to
  makeEqual(
    repository,
    workspace,
    listTree(repository, files),
    listTree(repository, current.tree),
    keep,
    result,
  )
  for (const { folder, entry, isFile, complete } of parts?.manifest.repositories ?? []) {
    const path = gitOf(text(folder))
    const recorded = `${parts?.repositories}:${entry}`
    try {
      const full = `${workspace}/${utf8(path)}`
      if (isFile) {
        writeFile(full, repository.git(['cat-file', 'blob', recorded]), true)
        continue
      }
      const now = current.repositories.get(text(folder))
      makeFolder(full)
      const here = now === undefined ? new Map<string, Listed>() : listTree(repository, now)
      // What was too large to be recorded is still there, and must stay.
      const wanted = listTree(repository, recorded)
      if (!complete) for (const name of here.keys()) if (!wanted.has(name)) here.delete(name)
      makeEqual(repository, full, wanted, here, [], result)
      chmodSync(full, 0o755)
    } catch (error) {
      if (error instanceof Failure && error.code === 'disk_full') throw error
      result.failed.push({ path, message: error instanceof Error ? error.message : String(error) })
    }
  }
  return result
}
