// The whole server as a process with an owner, a provider and tabs that speak to it as a browser's do.
import { randomBytes } from 'node:crypto'
import { createTRPCClient, createWSClient, wsLink } from '@trpc/client'
import { WebSocket } from 'ws'
import type { ProviderKind } from '../../../src/protocol/settings.ts'
import { describeModel } from '../../../src/server/providers/directory.ts'
import { createStore } from '../../../src/server/store/store.ts'
import type { Store } from '../../../src/server/store/types.ts'
import type { AppRouter } from '../../../src/server/trpc/router.ts'
import { startApp } from '../../setup/app.ts'

export const person = { name: 'Ada', email: 'ada@example.org', password: randomBytes(12).toString('hex') }

export type Tab = { api: ReturnType<typeof createTRPCClient<AppRouter>>; close(): Promise<void> }

export type WholeApp = {
  url: string
  databaseUrl: string
  /** The server's database, past the server: for making what no person would type. */
  store: Store
  projectId: string
  /** The owner, and the cookies of their session as a browser takes them. */
  userId: string
  cookies: { name: string; value: string; url: string }[]
  /** A signed-in tab: one socket. */
  tab(): Tab
  /** A provider at `url` with these models; the settings of threads that use them. */
  provider(kind: ProviderKind, url: string, models: string[]): Promise<string>
  stop(): Promise<void>
}

export const startWholeApp = async (): Promise<WholeApp> => {
  const key = randomBytes(32).toString('base64')
  const app = await startApp({ BATON_KEY: key, BATON_LOG: 'warn' })
  const store = createStore({ databaseUrl: app.databaseUrl, secretKey: Buffer.from(key, 'base64') })
  const token = new URL(app.setupUrl ?? app.url).searchParams.get('token')
  const headers = { origin: app.url, 'content-type': 'application/json' }
  const made = await fetch(`${app.url}/api/setup`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...person, token }),
  })
  const cookie = made.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
  if (!made.ok || cookie === '') throw new Error(`no owner: ${made.status} ${await made.text()}`)
  class Socket extends WebSocket {
    constructor(url: string) {
      super(url, { headers: { cookie, origin: app.url } })
      this.on('error', () => undefined)
    }
  }
  const tab = (): Tab => {
    const client = createWSClient({
      url: `${app.url.replace(/^http/, 'ws')}/ws`,
      WebSocket: Socket as never,
    })
    return { api: createTRPCClient<AppRouter>({ links: [wsLink({ client })] }), close: () => client.close() }
  }
  const first = tab()
  const { user } = await first.api.session.me.query()
  await first.close()
  if (!user) throw new Error('the owner is not signed in')
  const cookies = cookie.split('; ').map((each) => {
    const at = each.indexOf('=')
    return { name: each.slice(0, at), value: each.slice(at + 1), url: app.url }
  })
  const project = await store.projects.create({ name: 'Benchmark' }, 'system')
  return {
    url: app.url,
    databaseUrl: app.databaseUrl,
    store,
    projectId: project.id,
    userId: user.id,
    cookies,
    tab,
    provider: async (kind, url, models) => {
      const made = await store.providers.create(
        {
          name: 'Scripted',
          kind,
          baseUrl: `${url}/v1`,
          key: 'none',
          models: models.map((id) => describeModel(kind, id, url)),
        },
        'system',
      )
      return made.id
    },
    stop: async () => {
      await store.close()
      await app.stop()
    },
  }
}
