// Files on behalf of the server. The supervisor itself may open more than a command may, so every path is first pinned
// by a descriptor (O_PATH), and where that descriptor really is decides; nothing is looked up a second time by name.
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { posix } from 'node:path'
import { asFailure, badInput, errnoOf, Failure } from './failure.ts'
import { type DirEntry, type DirList, FILE_READ_MAX_BYTES, type FileKind, type FileStat } from './protocol.ts'

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
/** From Linux's fcntl.h; Node names it nowhere. */
const O_PATH = 0o10000000

const writable = ['/workspace', '/home', '/tmp', '/var/tmp']
const readable = [
  ...writable,
  '/usr',
  '/etc',
  '/opt',
  '/var',
  '/bin',
  '/sbin',
  '/lib',
  '/lib64',
  '/srv',
  '/mnt',
  '/media',
  '/root',
]
const LIST_MAX = 20_000

const under = (path: string, roots: string[]): boolean =>
  roots.some((root) => path === root || path.startsWith(`${root}/`))

const kindOf = (st: Stats): FileKind =>
  st.isFile() ? 'file' : st.isDirectory() ? 'dir' : st.isSymbolicLink() ? 'symlink' : 'other'

const plain = (path: string): string => {
  if (!path.startsWith('/')) throw badInput('The path must be absolute.')
  if (path.includes('\0')) throw badInput('The path contains a NUL character.')
  return path
}

const at = (fd: number, name = ''): string => `/proc/self/fd/${fd}${name === '' ? '' : `/${name}`}`

/** Runs `work` on a descriptor that only names a place inside the roots; says where it is. @throws Failure */
const pinned = <T>(
  path: string,
  flags: number,
  roots: string[],
  work: (fd: number, real: string) => T,
): T => {
  let fd = -1
  try {
    fd = openSync(plain(path), O_PATH | flags)
    const real = readlinkSync(at(fd))
    if (!under(real, roots) && !(real === '/' && roots === readable))
      throw new Failure(
        'forbidden',
        `${path} is outside of what may be used here.`,
        'Use a path inside the workspace.',
      )
    return work(fd, real)
  } catch (error) {
    throw asFailure(error, path)
  } finally {
    if (fd >= 0) closeSync(fd)
  }
}

const statAt = (fd: number, real: string): FileStat => {
  const st = fstatSync(fd)
  return { path: real, kind: kindOf(st), size: st.size, mode: st.mode & 0o7777, mtimeMs: st.mtimeMs }
}

export const statFile = (path: string, nofollow: boolean): FileStat =>
  pinned(path, nofollow ? O_NOFOLLOW : 0, readable, statAt)

const needFile = (stat: FileStat, path: string): void => {
  if (stat.kind === 'file') return
  const next =
    stat.kind === 'dir'
      ? 'It is a folder; list it instead.'
      : 'It is no regular file and cannot be read as one.'
  throw new Failure('not_a_file', `${path} is no regular file.`, next)
}

export const readFile = (path: string, offset: number, limit: number): { stat: FileStat; bytes: Buffer } =>
  pinned(path, 0, readable, (pin, real) => {
    const stat = statAt(pin, real)
    needFile(stat, path)
    const fd = openSync(at(pin), O_RDONLY | O_NONBLOCK | O_NOCTTY)
    try {
      // Files of /proc and the like say size 0 and still have content; others are not read past their size.
      const wanted = stat.size > 0 ? Math.max(0, stat.size - offset) : FILE_READ_MAX_BYTES
      const bytes = Buffer.allocUnsafe(Math.min(limit, FILE_READ_MAX_BYTES, wanted))
      let have = 0
      while (have < bytes.length) {
        const n = readSync(fd, bytes, have, bytes.length - have, offset + have)
        if (n === 0) break
        have += n
      }
      return { stat, bytes: bytes.subarray(0, have) }
    } finally {
      closeSync(fd)
    }
  })

const entriesOf = (fd: number): { name: string; entry: Omit<DirEntry, 'name'> }[] => {
  const found: { name: string; entry: Omit<DirEntry, 'name'> }[] = []
  for (const name of readdirSync(at(fd)).sort()) {
    try {
      const st = lstatSync(at(fd, name))
      const kind = kindOf(st)
      const target = kind === 'symlink' ? { target: readlinkSync(at(fd, name)) } : {}
      found.push({ name, entry: { kind, size: st.size, mtimeMs: st.mtimeMs, ...target } })
    } catch {
      // Gone since the folder was read, or a name that is no UTF-8: it is shown without what cannot be asked.
      found.push({ name, entry: { kind: 'other', size: 0, mtimeMs: 0 } })
    }
  }
  return found
}

export const listFolder = (path: string, depth: number, limit: number): DirList => {
  const entries: DirEntry[] = []
  const most = Math.min(limit, LIST_MAX)
  let truncated = false
  const top = pinned(path, 0, readable, (fd, real) => {
    if (statAt(fd, real).kind !== 'dir')
      throw new Failure('bad_input', `${path} is no folder.`, 'Read it as a file, or list its folder.')
    return real
  })
  let level = ['']
  for (let d = 0; d < depth && level.length > 0 && !truncated; d++) {
    const below: string[] = []
    for (const folder of level) {
      if (truncated) break
      let found: ReturnType<typeof entriesOf>
      try {
        found = pinned(posix.join(top, folder), O_DIRECTORY | O_NOFOLLOW, readable, entriesOf)
      } catch (error) {
        if (folder === '') throw error
        continue
      }
      for (const { name, entry } of found) {
        if (entries.length === most) {
          truncated = true
          break
        }
        const full = folder === '' ? name : `${folder}/${name}`
        entries.push({ name: full, ...entry })
        if (entry.kind === 'dir') below.push(full)
      }
    }
    level = below
  }
  return { path: top, entries, truncated }
}

/** The real folder and the name of a path to be written; a link to an existing file leads to that file. */
const target = (path: string): { folder: string; name: string } => {
  let real = posix.normalize(plain(path))
  try {
    real = pinned(path, 0, writable, (_fd, where) => where)
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'not_found') throw error
  }
  const name = posix.basename(real)
  if (name === '' || name === '.' || name === '..' || real.endsWith('/'))
    throw badInput(`${path} names no file.`)
  return { folder: posix.dirname(real), name }
}

/** Makes a folder and its parents, one step at a time below a pinned one. */
export const makeFolder = (path: string): void => {
  const missing: string[] = []
  let folder = posix.normalize(plain(path)).replace(/(.)\/$/, '$1')
  for (;;) {
    try {
      pinned(folder, O_DIRECTORY, writable, (fd, real) => {
        let place = real
        for (const name of missing) {
          mkdirIn(place === real ? fd : -1, place, name)
          place = posix.join(place, name)
        }
      })
      return
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'not_found' || folder === '/') throw error
      missing.unshift(posix.basename(folder))
      folder = posix.dirname(folder)
    }
  }
}

const mkdirIn = (fd: number, place: string, name: string): void => {
  const make = (parent: number): void => {
    try {
      mkdirSync(at(parent, name), 0o755)
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error
    }
  }
  if (fd >= 0) make(fd)
  else pinned(place, O_DIRECTORY | O_NOFOLLOW, writable, make)
}

/** Writes a whole file: beside it first, then renamed over it. */
export const writeFile = (path: string, bytes: Uint8Array, parents: boolean, newMode?: number): FileStat => {
  const { folder, name } = target(path)
  if (parents) makeFolder(folder)
  return pinned(folder, O_DIRECTORY, writable, (dir, real) => {
    let mode = 0o644
    try {
      const old = statSync(at(dir, name))
      if (!old.isFile())
        throw new Failure('not_a_file', `${path} is no regular file.`, 'Write to another path.')
      mode = old.mode & 0o7777
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error
    }
    const temporary = `.${name.slice(0, 80)}.${randomBytes(6).toString('hex')}`
    const fd = openSync(at(dir, temporary), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done)
      fchmodSync(fd, newMode ?? mode)
      renameSync(at(dir, temporary), at(dir, name))
    } catch (error) {
      unlinkSync(at(dir, temporary))
      throw error
    } finally {
      closeSync(fd)
    }
    const st = statSync(at(dir, name))
    return {
      path: posix.join(real, name),
      kind: 'file',
      size: st.size,
      mode: st.mode & 0o7777,
      mtimeMs: st.mtimeMs,
    }
  })
}

export const removeFile = (path: string): void => {
  const name = posix.basename(posix.normalize(plain(path)))
  pinned(posix.dirname(posix.normalize(path)), O_DIRECTORY, writable, (dir) => {
    if (lstatSync(at(dir, name)).isDirectory()) rmdirSync(at(dir, name))
    else unlinkSync(at(dir, name))
  })
}

/** Makes a symbolic link; whatever else is there must be gone. */
export const makeLink = (path: string, to: Buffer): void => {
  const name = posix.basename(path)
  pinned(posix.dirname(path), O_DIRECTORY, writable, (dir) => symlinkSync(to, at(dir, name)))
}

/** Removes whatever is at a path, folders with all that is in them, without following a link. */
export const removeAll = (path: string): void => {
  const name = posix.basename(path)
  pinned(posix.dirname(path), O_DIRECTORY, writable, (dir) =>
    rmSync(at(dir, name), { recursive: true, force: true }),
  )
}

/** What is at a path, or null; for callers that take absence as an answer. */
export const statOrNull = (path: string): FileStat | null => {
  try {
    return statFile(path, false)
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  }
}
