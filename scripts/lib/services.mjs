// What tests and benchmarks run on: a folder, a database, an installation id of their own; the machine's Docker engine
// and sandbox image. Never touches the data or the containers of a running server.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onClose } from './closing.mjs'
import { dataFolder, makeDataFolder } from './data.mjs'
import { ensureDocker, removeInstallation } from './docker.mjs'
import { chromiumPath, ensurePrograms } from './packages.mjs'
import { startPostgres } from './postgres.mjs'
import { root } from './run.mjs'
import { say, step } from './say.mjs'

/** Keys of vendors, and where their servers are. */
export const VENDOR_SETTINGS = [
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_BASE_URL',
  'GOOGLE_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_BASE_URL',
]
/** What a person has set for their own server and what a test must not see. */
const PERSONAL = [
  ...VENDOR_SETTINGS,
  ...['PORT', 'HOST', 'BATON_URL', 'BATON_DEMO', 'NODE_ENV', 'DATABASE_URL'],
  ...['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET', 'NAME', 'ROLE', 'DOMAINS', 'TRUST_EMAIL'].map(
    (name) => `BATON_OIDC_${name}`,
  ),
]

/** A folder that is removed when the script ends. */
export function ownFolder(prefix) {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  onClose('own folder', () => rmSync(folder, { recursive: true, force: true }))
  makeDataFolder(folder)
  mkdirSync(join(folder, 'data'), { recursive: true })
  return folder
}

/** The environment without anything of the person's own, with secrets made for this run. */
export function ownEnvironment(folder) {
  const casesFolder = process.env.CASES_DIR ?? join(root, '../shared/cases')
  const env = {
    ...process.env,
    BATON_DATA: join(folder, 'data'),
    BATON_INSTALL_ID: `test-${randomBytes(6).toString('hex')}`,
    AUTH_SECRET: randomBytes(32).toString('base64'),
    BATON_KEY: randomBytes(32).toString('base64'),
    CASES_DIR: casesFolder,
    NEXT_TELEMETRY_DISABLED: '1',
    FORCE_COLOR: '0',
  }
  for (const name of PERSONAL) delete env[name]
  if (!existsSync(casesFolder))
    say(`No recorded cases at ${casesFolder}: the tests that replay them are skipped.`)
  return env
}

/** A real Chromium, named in `env`. */
export async function browser(env) {
  if (chromiumPath() === undefined) await ensurePrograms(['chromium'], 'to test in a real browser')
  env.CHROMIUM_PATH = chromiumPath() ?? ''
}

/** PostgreSQL, Docker engine and sandbox image, named in `env`; what was started is stopped at the end. */
export async function services(folder, env, { durable = false } = {}) {
  await database(folder, env, { durable })
  await engine(env)
}

/** A PostgreSQL of this run's own, named in `env`. */
export async function database(folder, env, { durable = false } = {}) {
  const started = await step('a PostgreSQL of its own', () => startPostgres(folder, { durable }))
  onClose('PostgreSQL', () => started.stop())
  env.DATABASE_URL = started.url
}

/** The machine's Docker engine and the sandbox image, named in `env`. */
export async function engine(env) {
  // The engine's files and the image outlive the run: they are the same for every run on this machine.
  const lasting = dataFolder()
  makeDataFolder(lasting)
  const docker = await ensureDocker(lasting)
  onClose('Docker engine', () => docker.stop())
  env.DOCKER_HOST = docker.host
  if (!env.BATON_SANDBOX_IMAGE) {
    const { ensureSandboxImage } = await import('./image.mjs')
    env.BATON_SANDBOX_IMAGE = await step('the sandbox image', (note) =>
      ensureSandboxImage({ dockerHost: docker.host, cacheFolder: join(lasting, 'cache'), note }),
    )
  }
  onClose('containers', () => removeInstallation(docker.host, env.BATON_INSTALL_ID))
}
