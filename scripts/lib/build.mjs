// Builds the browser's side with `next build`, only when something that goes into it changed.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockDataFolder } from './data.mjs'
import { pinnedNode, root, run, tail } from './run.mjs'
import { Stop, step } from './say.mjs'

const INPUTS = [
  'src',
  'messages',
  'public',
  'prisma/schema.prisma',
  'next.config.ts',
  'postcss.config.mjs',
  'tsconfig.json',
  'package-lock.json',
]
const FINGERPRINT = join(root, '.next/made-from')
const LIMIT_MS = 15 * 60_000

function* filesOf(path) {
  if (!existsSync(join(root, path))) return
  const entries = path.includes('.') ? undefined : readdirSync(join(root, path), { withFileTypes: true })
  if (entries === undefined) {
    yield path
    return
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = `${path}/${entry.name}`
    if (entry.isDirectory()) {
      if (entry.name !== 'generated') yield* filesOf(inner)
    } else if (!/\.test\.tsx?$/.test(entry.name)) yield inner
  }
}

function fingerprint() {
  const hash = createHash('sha256').update(process.versions.node)
  for (const input of INPUTS) {
    for (const path of filesOf(input))
      hash
        .update(path)
        .update('\0')
        .update(readFileSync(join(root, path)))
  }
  return hash.digest('hex')
}

const isBuilt = (wanted) => existsSync(FINGERPRINT) && readFileSync(FINGERPRINT, 'utf8') === wanted

/** Makes the Prisma client; fast when the schema did not change. */
export async function generate() {
  const { code, output } = await run(pinnedNode, [join(root, 'scripts/generate.mjs')])
  if (code !== 0) throw new Stop(`The Prisma client could not be made:\n${tail(output)}`)
}

/** What a build says of pages that have moved since would make the type check fail. */
export function forgetBuiltTypes() {
  for (const folder of ['.next/types', '.next/dev/types'])
    rmSync(join(root, folder), { recursive: true, force: true })
}

/** Returns false when there was nothing to build. */
export async function ensureBuilt() {
  await generate()
  const wanted = fingerprint()
  if (isBuilt(wanted)) return false
  const cache = join(root, 'node_modules/.cache/baton-build')
  mkdirSync(cache, { recursive: true })
  const unlock = await lockDataFolder(cache, LIMIT_MS)
  try {
    if (isBuilt(wanted)) return false
    await step('building the app', async (note) => {
      rmSync(FINGERPRINT, { force: true })
      const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' }
      const next = join(root, 'node_modules/next/dist/bin/next')
      const { code, output } = await run(pinnedNode, [next, 'build'], { env, note, timeoutMs: LIMIT_MS })
      if (code !== 0) throw new Stop(`The app could not be built:\n${tail(output, 80)}`)
      writeFileSync(FINGERPRINT, wanted)
    })
    return true
  } finally {
    unlock()
  }
}
