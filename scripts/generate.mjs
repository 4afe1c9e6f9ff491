// Makes the Prisma client from prisma/schema.prisma without any network, and only when the schema changed.
// Prisma's CLI looks for a schema engine that `generate` never runs: any executable satisfies it.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const schema = join(root, 'prisma/schema.prisma')
const output = join(root, 'src/server/store/generated')
const stamp = join(output, '.made-from')

if (!existsSync(schema)) {
  console.log('generate: no prisma/schema.prisma, nothing to do')
  process.exit(0)
}

const hash = createHash('sha256')
hash.update(readFileSync(schema))
hash.update(readFileSync(join(root, 'node_modules/prisma/package.json')))
hash.update(readFileSync(fileURLToPath(import.meta.url)))
const wanted = hash.digest('hex')

if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && !process.argv.includes('--force')) {
  console.log('generate: the Prisma client is up to date')
  process.exit(0)
}

const run = spawnSync(
  process.execPath,
  [join(root, 'node_modules/prisma/build/index.js'), 'generate', '--schema', schema],
  {
    cwd: root,
    encoding: 'utf8',
    env: {
      ...process.env,
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    },
  },
)
if (run.status !== 0) {
  process.stderr.write(`${run.stdout ?? ''}${run.stderr ?? ''}`)
  console.error('generate: Prisma could not make the client from prisma/schema.prisma; see above')
  process.exit(run.status ?? 1)
}
if (!existsSync(output)) {
  console.error('generate: the generator of prisma/schema.prisma must write to src/server/store/generated')
  process.exit(1)
}
writeFileSync(stamp, wanted)
console.log('generate: made the Prisma client')
