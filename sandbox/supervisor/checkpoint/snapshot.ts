// From a walk to objects: hashes what changed since the last time (by stat), builds the trees, records each `.git`.
import type { BigIntStats } from 'node:fs'
import { errnoOf } from '../failure.ts'
import type { LeftOutReason } from '../protocol.ts'
import {
  EMPTY_TREE,
  hashObject,
  type ObjectType,
  type PackWriter,
  type TreeEntry,
  treeBytes,
} from './objects.ts'
import type { Repository } from './repository.ts'
import { eachEntry, type FileNode, type FolderNode, readLink, readWhole, shown, type Walk } from './walk.ts'

const FILE_MAX_BYTES = 100 * 1024 * 1024
/** All that git ignores together; a workspace below it needs no look at what is ignored. */
export const IGNORED_MAX_BYTES = 256 * 1024 * 1024
const TOTAL_MAX_BYTES = 1536 * 1024 * 1024
/** Of one `.git`; above it only what is not an object is recorded. */
const REPOSITORY_MAX_BYTES = 300 * 1024 * 1024
/** A file changed so recently may change again within the clock's grain and look the same. */
const RACY_NS = 100_000_000n

export const MANIFEST = 'manifest.json'

export interface Manifest {
  /** `folder` is relative to the workspace, base64 of its bytes; `entry` its name in the repositories' tree. */
  repositories: { folder: string; entry: string; isFile: boolean; complete: boolean }[]
  /** Paths that a restore must neither expect nor remove, base64. */
  keep: string[]
}

const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT', 'EIO'].includes(errnoOf(error))

type Cached = { id: string; key: string }

export class Snapshotter {
  private readonly repository: Repository
  private readonly workspace: string
  private cache = new Map<string, Cached>()
  private nextCache = new Map<string, Cached>()
  private writer: PackWriter
  private budget = TOTAL_MAX_BYTES
  leftOut: { path: string; reason: LeftOutReason; bytes: number }[] = []
  files = 0
  bytes = 0

  constructor(repository: Repository, workspace: string) {
    this.repository = repository
    this.workspace = workspace
    this.writer = repository.writer()
  }

  /**
   * @param ignored what git ignores, as absolute paths in latin1 (folders without a slash at the end)
   * @returns the tree of files and the snapshot that also holds the repositories
   */
  take(walk: Walk, ignored: Set<string>): { tree: string; snapshot: string; keep: string[] } {
    this.writer = this.repository.writer()
    this.nextCache = new Map()
    this.leftOut = [...walk.leftOut]
    this.files = 0
    this.bytes = 0
    this.budget = TOTAL_MAX_BYTES
    const skip = this.overLimit(walk.root, ignored)
    const tree = this.folder(walk.root, skip) ?? EMPTY_TREE
    const keep = this.leftOut.map(({ path }) => path.slice(this.workspace.length + 1))
    const snapshot = this.repositories(walk, tree, keep)
    this.cache = this.nextCache
    return { tree, snapshot, keep }
  }

  finish(): ReturnType<PackWriter['finish']> {
    return this.writer.finish()
  }

  discard(): void {
    this.writer.discard()
  }

  /** Ignored entries are taken from the smallest on, as long as there is room. */
  private overLimit(root: FolderNode, ignored: Set<string>): Set<string> {
    const found: { path: string; bytes: number }[] = []
    const look = (folder: FolderNode): void => {
      for (const child of folder.children) {
        const path = `${folder.path}/${child.name.toString('latin1')}`
        if (ignored.has(path)) {
          found.push({ path, bytes: child.type === 'folder' ? child.bytes : Number(child.stat.size) })
        } else if (child.type === 'folder') look(child)
      }
    }
    if (ignored.size > 0) look(root)
    let room = IGNORED_MAX_BYTES
    const skip = new Set<string>()
    for (const { path, bytes } of found.sort((a, b) => a.bytes - b.bytes)) {
      if (bytes <= room) room -= bytes
      else {
        skip.add(path)
        this.leftOut.push({ path, reason: 'ignored_over_limit', bytes })
      }
    }
    return skip
  }

  private put(type: ObjectType, bytes: Uint8Array): string {
    const id = hashObject(type, bytes)
    if (!this.repository.has(id) && !this.writer.has(id)) this.writer.add(type, id, bytes)
    return id
  }

  private folder(node: FolderNode, skip: Set<string>): string | null {
    const entries: TreeEntry[] = []
    for (const child of node.children) {
      const path = `${node.path}/${child.name.toString('latin1')}`
      if (skip.has(path)) continue
      if (child.type === 'folder') {
        const id = this.folder(child, skip)
        if (id !== null) entries.push({ name: child.name, mode: '40000', id })
      } else {
        const entry = this.file(child, path)
        if (entry) entries.push(entry)
      }
    }
    return this.put('tree', treeBytes(entries))
  }

  private file(node: FileNode, path: string): TreeEntry | null {
    const size = Number(node.stat.size)
    const leave = (reason: LeftOutReason): null => {
      this.leftOut.push({ path, reason, bytes: size })
      return null
    }
    if (size > FILE_MAX_BYTES) return leave('too_large')
    if (size > this.budget) return leave('total_over_limit')
    try {
      const mode = node.type === 'link' ? '120000' : node.stat.mode & 0o100n ? '100755' : '100644'
      const id = node.type === 'link' ? this.put('blob', readLink(path)) : this.content(path, node.stat)
      this.budget -= size
      this.files++
      this.bytes += size
      return { name: node.name, mode, id }
    } catch (error) {
      if (isFull(error)) throw error
      return leave('unreadable')
    }
  }

  private content(path: string, stat: BigIntStats): string {
    const keyOf = (st: BigIntStats): string => `${st.ino} ${st.size} ${st.mtimeNs} ${st.ctimeNs}`
    const cached = this.cache.get(path)
    if (cached && cached.key === keyOf(stat)) {
      this.nextCache.set(path, cached)
      return cached.id
    }
    const now = BigInt(Date.now()) * 1_000_000n
    const read = readWhole(path, FILE_MAX_BYTES)
    const id = this.put('blob', read.bytes)
    if (now - read.stat.mtimeNs > RACY_NS && now - read.stat.ctimeNs > RACY_NS)
      this.nextCache.set(path, { id, key: keyOf(read.stat) })
    return id
  }

  private repositories(walk: Walk, tree: string, keep: string[]): string {
    const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64')
    const manifest: Manifest = { repositories: [], keep: keep.sort().map(base64) }
    const entries: TreeEntry[] = []
    for (const { folder, isFile } of walk.repositories) {
      const entry = String(entries.length)
      const path = `${folder}/.git`
      try {
        const recorded: { id: string; complete: boolean } = isFile
          ? { id: this.put('blob', readWhole(path, FILE_MAX_BYTES).bytes), complete: true }
          : this.gitFolder(path)
        entries.push({ name: Buffer.from(entry), mode: isFile ? '100644' : '40000', id: recorded.id })
        const relative = base64(folder.slice(this.workspace.length + 1))
        manifest.repositories.push({ folder: relative, entry, isFile, complete: recorded.complete })
      } catch (error) {
        if (isFull(error)) throw error
        this.leftOut.push({ path, reason: 'unreadable', bytes: 0 })
      }
    }
    const list = this.put('blob', Buffer.from(JSON.stringify(manifest)))
    entries.push({ name: Buffer.from(MANIFEST), mode: '100644', id: list })
    const repositories = this.put('tree', treeBytes(entries))
    // No workspace tree ever has an entry of this name, so a snapshot is told from a tree by it.
    return this.put(
      'tree',
      treeBytes([
        { name: Buffer.from('.git'), mode: '40000', id: repositories },
        { name: Buffer.from('files'), mode: '40000', id: tree },
      ]),
    )
  }

  /** Objects last: what a reference names was written before it. */
  private gitFolder(path: string): { id: string; complete: boolean } {
    let left = REPOSITORY_MAX_BYTES
    let complete = true
    const into = (folder: string, depth: number): string => {
      const entries: TreeEntry[] = []
      const below: { name: Buffer; full: string }[] = []
      eachEntry(folder, (name, full, stat) => {
        if (stat.isDirectory()) below.push({ name, full })
        else if (stat.isSymbolicLink())
          entries.push({ name, mode: '120000', id: this.put('blob', readLink(full)) })
        else if (stat.isFile() && !/\.(lock|pid)$/.test(full)) {
          const size = Number(stat.size)
          if (size > left || size > FILE_MAX_BYTES) {
            complete = false
            this.leftOut.push({ path: full, reason: 'too_large', bytes: size })
            return
          }
          left -= size
          try {
            const mode = stat.mode & 0o100n ? '100755' : '100644'
            entries.push({ name, mode, id: this.content(full, stat) })
          } catch (error) {
            if (isFull(error)) throw error
            // Gone since the folder was read: git replaces its files by renaming.
          }
        }
      })
      const objectsLast = (a: { full: string }): number => (a.full === `${path}/objects` ? 1 : 0)
      for (const { name, full } of below.sort((a, b) => objectsLast(a) - objectsLast(b)))
        if (depth < 50) entries.push({ name, mode: '40000', id: into(full, depth + 1) })
      return this.put('tree', treeBytes(entries))
    }
    const id = into(path, 0)
    return { id, complete }
  }
}

/** For people: what was left out, with readable paths relative to the workspace. */
export const tellLeftOut = (
  leftOut: { path: string; reason: LeftOutReason; bytes: number }[],
  workspace: string,
): { path: string; reason: LeftOutReason; bytes: number }[] =>
  leftOut.map((item) => ({ ...item, path: shown(item.path.slice(workspace.length + 1)) }))
