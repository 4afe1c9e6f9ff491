/** All doors of a server on a database of its own, with its owner signed in. There is no runtime behind them. */
import type { AddressInfo } from 'node:net'
import { createTRPCClient, createWSClient, wsLink } from '@trpc/client'
import { WebSocket } from 'ws'
import { modelDirectory } from '../../src/server/boot.ts'
import { openDoors } from '../../src/server/doors.ts'
import { createLog } from '../../src/server/log.ts'
import type { Store } from '../../src/server/store/types.ts'
import type { AppRouter } from '../../src/server/trpc/router.ts'
import { openTestStore } from './store.ts'

export type TestDoors = {
  store: Store
  ownerId: string
  api: ReturnType<typeof createTRPCClient<AppRouter>>
  /** As the owner, or as nobody. */
  get(path: string, headers?: Record<string, string>, isOwner?: boolean): Promise<Response>
  close(): Promise<void>
}

export const openTestDoors = async (): Promise<TestDoors> => {
  const base = await openTestStore()
  const { store } = base
  await store.members.team()
  const { token } = await store.members.makeInvite('setup', 'owner', 3_600_000)
  const doors = openDoors({
    secret: 'k3J9x0qLr7bZ2mVt8yWc5nHs1dFg6pAe',
    publicUrl: undefined,
    ready: () => true,
    pages: async (_request, response) => void response.end('page'),
    services: {
      store,
      worker: {} as never,
      imports: {} as never,
      models: modelDirectory,
      version: 'test',
      log: createLog('error'),
    },
  })
  await new Promise<void>((resolve) => doors.server.listen(0, '127.0.0.1', resolve))
  const { port } = doors.server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  const made = await fetch(`${origin}/api/setup`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Ada',
      email: 'ada@example.org',
      password: 'correct horse battery',
      token,
    }),
  })
  const cookie = made.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
  class Socket extends WebSocket {
    constructor(url: string) {
      super(url, { headers: { cookie, origin } })
      this.on('error', () => undefined)
    }
  }
  const client = createWSClient({ url: `ws://127.0.0.1:${port}/ws`, WebSocket: Socket as never })
  const api = createTRPCClient<AppRouter>({ links: [wsLink({ client })] })
  const owner = (await store.members.list()).find(({ role }) => role === 'owner')
  if (!owner) throw new Error(`no owner: ${made.status} ${await made.text()}`)
  return {
    store,
    api,
    ownerId: owner.userId,
    get: (path, headers = {}, isOwner = true) =>
      fetch(`${origin}${path}`, { headers: { ...(isOwner ? { cookie } : {}), ...headers } }),
    close: async () => {
      await client.close()
      await doors.close()
      await base.close()
    },
  }
}
