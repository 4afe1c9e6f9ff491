/**
 * What a start does once, beside opening doors: the owner's set-up link, the providers of the environment, the demo.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pack } from 'tar-stream'
import { Fault } from '../protocol/error.ts'
import type { ModelInfo, ModelRef, ProviderKind } from '../protocol/settings.ts'
import { createOnceAnHour } from './access/readings.ts'
import type { OidcOptions } from './auth/types.ts'
import type { Env } from './env.ts'
import type { Log } from './log.ts'
import {
  describeModel,
  listModels,
  offeredModels,
  type ResolvedModel,
  resolveModel,
} from './providers/directory.ts'
import type { KeyUse } from './runtime/context.ts'
import type { Store } from './store/types.ts'
import type { ModelDirectory } from './trpc/context.ts'

/** A set-up link is good for a day; a restart without an owner makes a new one. */
const setupLinkMs = 24 * 3_600_000
/** How long a start waits for a vendor's list of models before it offers the known ones. */
const listTimeoutMs = 4_000

/** The path of a one-time link while the team has no owner; null afterwards. */
export const setupPath = async (store: Store): Promise<string | null> => {
  await store.members.team()
  if ((await store.members.count()) > 0) return null
  const { token } = await store.members.makeInvite('setup', 'owner', setupLinkMs)
  return `/setup?token=${encodeURIComponent(token)}`
}

/** The company's sign-in, as the environment names it; null = e-mail and password alone. */
export const oidcOf = (env: Env): OidcOptions | null =>
  env.BATON_OIDC_ISSUER && env.BATON_OIDC_CLIENT_ID
    ? {
        issuer: env.BATON_OIDC_ISSUER,
        clientId: env.BATON_OIDC_CLIENT_ID,
        clientSecret: env.BATON_OIDC_CLIENT_SECRET ?? null,
        name: env.BATON_OIDC_NAME,
        role: env.BATON_OIDC_ROLE ?? null,
        domains: (env.BATON_OIDC_DOMAINS ?? '')
          .split(',')
          .map((domain) => domain.trim().toLowerCase())
          .filter((domain) => domain !== ''),
        trustEmail: env.BATON_OIDC_TRUST_EMAIL,
      }
    : null

type Managed = { name: string; kind: ProviderKind; baseUrl: string | null; key: string | null }

/** The vendor's own programs know both names and take the first. */
const googleKey = (env: Env): string | undefined => env.GOOGLE_API_KEY || env.GEMINI_API_KEY

const environmentProviders = (env: Env): Managed[] => [
  ...(env.OPENAI_API_KEY || env.OPENAI_BASE_URL
    ? [
        {
          name: 'OpenAI (environment)',
          // Only the vendor itself is sure to speak Responses; other addresses speak Chat Completions.
          kind: env.OPENAI_BASE_URL ? ('openai-chat' as const) : ('openai-responses' as const),
          baseUrl: env.OPENAI_BASE_URL ?? null,
          key: env.OPENAI_API_KEY ?? null,
        },
      ]
    : []),
  ...(env.ANTHROPIC_API_KEY
    ? [
        {
          name: 'Anthropic (environment)',
          kind: 'anthropic-messages' as const,
          baseUrl: env.ANTHROPIC_BASE_URL ?? null,
          key: env.ANTHROPIC_API_KEY,
        },
      ]
    : []),
  ...(googleKey(env)
    ? [
        {
          name: 'Google (environment)',
          kind: 'google-genai' as const,
          baseUrl: env.GOOGLE_BASE_URL ?? null,
          key: googleKey(env) ?? null,
        },
      ]
    : []),
]

const modelsOf = async (managed: Managed, log: Log): Promise<ModelInfo[]> => {
  try {
    const ids = await listModels(managed, AbortSignal.timeout(listTimeoutMs))
    if (ids.length > 0) return ids.slice(0, 200).map((id) => describeModel(managed.kind, id, managed.baseUrl))
  } catch (error) {
    log.warn('a provider did not list its models; the known ones are offered', {
      provider: managed.name,
      error,
    })
  }
  return offeredModels(managed.kind, managed.baseUrl)
}

/** Makes or refreshes the providers that the environment names. Never keeps the server from starting. */
export const upsertEnvironmentProviders = async (env: Env, store: Store, log: Log): Promise<void> => {
  for (const managed of environmentProviders(env)) {
    try {
      await store.providers.upsertManaged('environment', { ...managed, models: await modelsOf(managed, log) })
    } catch (error) {
      log.error('a provider of the environment could not be set up', { provider: managed.name, error })
    }
  }
}

/** A small folder as a tar, in memory. */
const packFolder = async (folder: string): Promise<{ tar: Uint8Array; files: number; bytes: number }> => {
  const archive = pack()
  let files = 0
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const content = await readFile(path)
    archive.entry({ name: relative(folder, path), mode: 0o644 }, content)
    files += 1
    bytes += content.length
  }
  archive.finalize()
  return { tar: await buffer(archive), files, bytes }
}

/** The labelled offline model, and a project whose test fails, for a person without a key. */
export const upsertDemo = async (url: string, store: Store, sampleFolder: string): Promise<void> => {
  await store.providers.upsertManaged('demo', {
    name: 'Demo model (offline, scripted)',
    kind: 'demo',
    baseUrl: `${url.replace(/\/$/, '')}/v1`,
    key: null,
    models: offeredModels('demo'),
  })
  const name = 'Sample project'
  if ((await store.projects.list()).some((project) => project.name === name)) return
  const project = await store.projects.create({ name }, 'system')
  const { tar, files, bytes } = await packFolder(sampleFolder)
  await store.projects.setUpload(project.id, { hash: await store.blobs.put(tar), files, bytes }, 'system')
}

/** The provider and model that a thread names, with its key, for one turn. Whose turn takes the key is written down. */
export const modelResolver = (store: Store) => {
  const uses = createOnceAnHour(store)
  return async (ref: ModelRef, use?: KeyUse): Promise<ResolvedModel> => {
    const gone = () =>
      new Fault(
        'model_not_found',
        `The model ${ref.model} is not set up any more.`,
        'Choose another model for this thread.',
      )
    const provider = await store.providers.get(ref.providerId).catch((error: unknown) => {
      throw error instanceof Fault && error.code === 'not_found' ? gone() : error
    })
    const model = provider.models.find(({ id }) => id === ref.model)
    if (!model) throw gone()
    const key = await store.providers.key(provider.id)
    if (use && key !== null)
      await uses.note({
        ...{
          actorId: use.actorId,
          action: 'provider.key_use',
          targetType: 'provider',
          targetId: provider.id,
        },
        details: { threadId: use.threadId },
      })
    return resolveModel({ kind: provider.kind, baseUrl: provider.baseUrl, key }, model)
  }
}

/** What settings pages may ask of vendors and of the bundled figures. */
export const modelDirectory: ModelDirectory = {
  probe: async (input, signal) => (await listModels(input, signal)).map((id) => ({ id, label: id })),
  catalogue: (kind) => offeredModels(kind),
  describe: (kind, model) => describeModel(kind, model),
}

/** The version of this build, from its package file. */
export const readVersion = async (root: string): Promise<string> => {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  return version
}
