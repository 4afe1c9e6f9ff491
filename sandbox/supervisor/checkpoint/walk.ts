// The workspace as a tree of names: what is there, how large, of which kind. Reads no file. Every folder is opened and
// then checked to be where it was meant to be, so that a swapped link leads nowhere.
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
} from 'node:fs'
import type { LeftOutReason } from '../protocol.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY, O_RDONLY } = constants

export interface FileNode {
  type: 'file' | 'link'
  name: Buffer
  stat: BigIntStats
}
export interface FolderNode {
  type: 'folder'
  name: Buffer
  /** Absolute, as bytes in latin1: names need not be UTF-8. */
  path: string
  children: Node[]
  bytes: number
  files: number
}
export type Node = FileNode | FolderNode

export interface Walk {
  root: FolderNode
  /** Folders that hold a `.git`, in latin1; the `.git` itself is not in the tree. */
  repositories: { folder: string; isFile: boolean }[]
  leftOut: { path: string; reason: LeftOutReason; bytes: number }[]
}

const DEPTH_MAX = 500
const ENTRIES_MAX = 400_000

const pathBytes = (path: string): Buffer => Buffer.from(path, 'latin1')

/** Latin1 back to what a person reads. */
export const shown = (path: string): string => pathBytes(path).toString('utf8')

/** Opens what is really at this path: not through a link, neither at its end nor on the way. */
const openReal = (path: string, flags: number): number => {
  const fd = openSync(pathBytes(path), flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
  if (readlinkSync(`/proc/self/fd/${fd}`, 'buffer').toString('latin1') === path) return fd
  closeSync(fd)
  throw new Error('moved')
}

/** Calls `work` for each entry of a folder with its name, path and stat. */
export const eachEntry = (
  path: string,
  work: (name: Buffer, full: string, stat: BigIntStats) => void,
): void => {
  const fd = openReal(path, O_RDONLY | O_DIRECTORY)
  try {
    const inside = Buffer.from(`/proc/self/fd/${fd}/`)
    for (const name of readdirSync(`/proc/self/fd/${fd}`, { encoding: 'buffer' })) {
      let stat: BigIntStats
      try {
        stat = lstatSync(Buffer.concat([inside, name]), { bigint: true })
      } catch {
        continue
      }
      work(name, `${path}/${name.toString('latin1')}`, stat)
    }
  } finally {
    closeSync(fd)
  }
}

export const walkWorkspace = (workspace: string): Walk => {
  const walk: Walk = {
    root: { type: 'folder', name: Buffer.alloc(0), path: workspace, children: [], bytes: 0, files: 0 },
    repositories: [],
    leftOut: [],
  }
  let entries = 0
  const leave = (path: string, reason: LeftOutReason, bytes = 0): void =>
    void walk.leftOut.push({ path, reason, bytes })
  const into = (folder: FolderNode, depth: number): void => {
    const below: FolderNode[] = []
    try {
      eachEntry(folder.path, (name, full, stat) => {
        const isFolder = stat.isDirectory()
        if (name.toString('latin1') === '.git' && (isFolder || stat.isFile())) {
          walk.repositories.push({ folder: folder.path, isFile: !isFolder })
          return
        }
        if (++entries > ENTRIES_MAX) return leave(full, 'total_over_limit', Number(stat.size))
        if (isFolder) {
          const node: FolderNode = { type: 'folder', name, path: full, children: [], bytes: 0, files: 0 }
          folder.children.push(node)
          below.push(node)
        } else if (stat.isFile() || stat.isSymbolicLink()) {
          folder.children.push({ type: stat.isFile() ? 'file' : 'link', name, stat })
          folder.files++
          folder.bytes += stat.isFile() ? Number(stat.size) : 0
        } else leave(full, 'not_a_file')
      })
    } catch {
      leave(folder.path, 'unreadable')
      return
    }
    for (const node of below) {
      if (depth >= DEPTH_MAX) leave(node.path, 'total_over_limit')
      else into(node, depth + 1)
      folder.bytes += node.bytes
      folder.files += node.files
    }
  }
  into(walk.root, 0)
  return walk
}

/** A regular file's whole content and the stat it had when it was opened. */
export const readWhole = (path: string, maxBytes: number): { bytes: Buffer; stat: BigIntStats } => {
  const fd = openReal(path, O_RDONLY)
  try {
    const stat = fstatSync(fd, { bigint: true })
    if (!stat.isFile()) throw new Error('no regular file')
    // A file that grows while it is read is taken as it was when we began.
    const bytes = Buffer.allocUnsafe(Math.min(Number(stat.size), maxBytes))
    let have = 0
    while (have < bytes.length) {
      const count = readSync(fd, bytes, have, bytes.length - have, have)
      if (count === 0) break
      have += count
    }
    return { bytes: bytes.subarray(0, have), stat }
  } finally {
    closeSync(fd)
  }
}

export const readLink = (path: string): Buffer => readlinkSync(pathBytes(path), 'buffer')
