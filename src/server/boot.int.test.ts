/**
 * What a start makes of the keys in the environment: one provider for each vendor, with the models that it lists.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedModel, startScriptedModel } from '../../test/scripted-model/scripted-model.ts'
import { openTestStore, type TestStore } from '../../test/setup/store.ts'
import { modelResolver, upsertEnvironmentProviders } from './boot.ts'
import { type Env, readEnv } from './env.ts'
import type { Log } from './log.ts'

const base = {
  DATABASE_URL: 'postgresql://localhost/baton',
  BATON_DATA: '/data',
  BATON_INSTALL_ID: 'test-1',
  AUTH_SECRET: 'k3J9x0qLr7bZ2mVt8yWc5nHs1dFg6pAe',
  BATON_KEY: Buffer.from(Array.from({ length: 32 }, (_, index) => (index * 37) % 251)).toString('base64'),
}
const env = (more: Record<string, string>): Env => readEnv({ ...base, ...more })

const warned: string[] = []
const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message: string) => warned.push(message),
  error: (message: string) => warned.push(message),
} as unknown as Log

let server: ScriptedModel
let testStore: TestStore
beforeAll(async () => {
  const scenario = (name: string) => ({ name, rules: [] })
  server = await startScriptedModel({
    scenarios: ['gpt-5', 'claude-sonnet-5', 'gemini-3-pro-preview'].map(scenario),
  })
  testStore = await openTestStore()
})
afterAll(async () => {
  await testStore.close()
  await server.close()
})

const managed = async (given: Env) => {
  const { store } = testStore
  warned.length = 0
  await upsertEnvironmentProviders(given, store, log)
  return (await store.providers.list()).filter(({ source }) => source === 'environment')
}

test('no key, no provider', async () => {
  expect(await managed(env({ GEMINI_API_KEY: '' }))).toEqual([])
})

test('each vendor’s key makes its provider, with the models that its address lists', async () => {
  const found = await managed(
    env({
      OPENAI_API_KEY: 'key-o',
      OPENAI_BASE_URL: `${server.url}/v1`,
      ANTHROPIC_API_KEY: 'key-a',
      ANTHROPIC_BASE_URL: server.url,
      GOOGLE_API_KEY: 'key-g',
      GEMINI_API_KEY: 'not this one',
      GOOGLE_BASE_URL: server.url,
    }),
  )
  expect(warned).toEqual([])
  expect(found.map(({ name, kind }) => [name, kind]).sort()).toEqual([
    ['Anthropic (environment)', 'anthropic-messages'],
    ['Google (environment)', 'google-genai'],
    ['OpenAI (environment)', 'openai-chat'],
  ])
  const google = found.find(({ kind }) => kind === 'google-genai')
  expect(google?.hasKey).toBe(true)
  expect(google?.models.find(({ id }) => id === 'gemini-3-pro-preview')).toMatchObject({
    contextTokens: 1_048_576,
    efforts: ['low', 'high'],
    images: true,
  })
  const { store } = testStore
  expect(await store.providers.key(google?.id ?? '')).toBe('key-g')
  const resolved = await modelResolver(store)({
    providerId: google?.id ?? '',
    model: 'gemini-3-pro-preview',
  })
  expect(resolved.provider.wire.kind).toBe('google-genai')
})

test('the other name of Google’s key serves as well; a start without an answer keeps what was known', async () => {
  const found = await managed(env({ GEMINI_API_KEY: 'key-2', GOOGLE_BASE_URL: 'http://127.0.0.1:1' }))
  expect(warned).toEqual(['a provider did not list its models; the known ones are offered'])
  const google = found.filter(({ kind }) => kind === 'google-genai')
  // The one of the start before, refreshed.
  expect(google).toHaveLength(1)
  expect(await testStore.store.providers.key(google[0]?.id ?? '')).toBe('key-2')
  expect(google[0]?.models.map(({ id }) => id)).toContain('gemini-3-pro-preview')
})
