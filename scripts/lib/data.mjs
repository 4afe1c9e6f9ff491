// The data folder: one process at a time by a lock file, secrets in files only their owner can read.
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { isRoot } from './packages.mjs'
import { alive, processStart, until } from './run.mjs'
import { Stop } from './say.mjs'

/** BATON_DATA, or the place that fits the user. */
export function dataFolder() {
  if (process.env.BATON_DATA) return resolve(process.env.BATON_DATA)
  return isRoot() ? '/var/lib/baton' : join(homedir(), '.local/share/baton')
}

/** Makes the folder. Others may pass through it (PostgreSQL runs as another user) but not list it. */
export function makeDataFolder(folder) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o711 })
    chmodSync(folder, 0o711)
  } catch (error) {
    throw new Stop(`The data folder ${folder} cannot be used (${error.code}): set BATON_DATA to another one.`)
  }
}

/** True when every folder above lets other users through. */
export function openToOthers(folder) {
  for (let path = resolve(folder); ; path = dirname(path)) {
    if (existsSync(path) && (statSync(path).mode & 0o001) === 0) return false
    if (path === dirname(path)) return true
  }
}

function holderOf(lock) {
  try {
    return JSON.parse(readFileSync(lock, 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * Takes the folder for this process; returns a function that gives it back.
 * A lock whose process is gone is taken over; a process that is just ending gets `waitMs`.
 */
export async function lockDataFolder(folder, waitMs = 8000) {
  const lock = join(folder, 'lock')
  const own = `${lock}.${process.pid}`
  const text = JSON.stringify({ pid: process.pid, startedAt: processStart(process.pid) })
  writeFileSync(own, text, { mode: 0o600 })
  try {
    const taken = await until(() => takeLock(lock, own), { timeoutMs: waitMs, everyMs: 200 })
    if (!taken)
      throw new Stop(
        `Another Baton (process ${holderOf(lock)?.pid}) uses ${folder}: stop it, or set BATON_DATA to another folder.`,
      )
  } finally {
    rmSync(own, { force: true })
  }
  return () => {
    if (holderOf(lock)?.pid === process.pid) rmSync(lock, { force: true })
  }
}

function takeLock(lock, own) {
  try {
    linkSync(own, lock)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  const holder = holderOf(lock)
  if (holder !== undefined && alive(holder.pid, holder.startedAt)) return false
  // Moved aside rather than removed: if another process took the lock since, its file is put back.
  const aside = `${own}.aside`
  try {
    renameSync(lock, aside)
  } catch {
    return false
  }
  const moved = holderOf(aside)
  if (moved !== undefined && alive(moved.pid, moved.startedAt)) renameSync(aside, lock)
  else rmSync(aside, { force: true })
  return false
}

/** A secret of `bytes` random bytes in base64url, made on the first call and kept in a 0600 file. */
export function secret(folder, name, bytes = 32) {
  const path = join(folder, 'secrets', name)
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, randomBytes(bytes).toString('base64url'), { mode: 0o600, flag: 'wx' })
  }
  chmodSync(path, 0o600)
  const value = readFileSync(path, 'utf8').trim()
  if (value.length < 32)
    throw new Stop(
      `${path} holds a secret that is too short: restore it from a backup, or remove it to make another.`,
    )
  return value
}

/** The id by which this installation's containers and volumes are known. */
export function installationId(folder) {
  const path = join(folder, 'installation-id')
  if (!existsSync(path)) writeFileSync(path, `inst-${randomBytes(6).toString('hex')}`, { flag: 'wx' })
  return readFileSync(path, 'utf8').trim()
}
