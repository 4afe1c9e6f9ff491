/**
 * A team on a whole server: real database, doors and runtime; the model and the sandboxes are scripted. People come in by
 * invitation, as in life.
 */
import type { AddressInfo } from 'node:net'
import { createTRPCClient, createWSClient, wsLink } from '@trpc/client'
import { WebSocket } from 'ws'
import type { TeamRole } from '../../src/protocol/access.ts'
import { modelDirectory } from '../../src/server/boot.ts'
import { type DoorOptions, type Doors, openDoors } from '../../src/server/doors.ts'
import { createLog } from '../../src/server/log.ts'
import type { AppRouter } from '../../src/server/trpc/router.ts'
import { startTestRuntime, type TestRuntime } from './runtime.ts'

export const password = 'correct horse battery'

export type Answer = {
  status: number
  headers: Headers
  body: Record<string, unknown> & {
    error?: { code: string; next: string; details?: Record<string, unknown> }
  }
  cookie: string
}

type Init = RequestInit & { cookie?: string; from?: string | null }

export type Tab = {
  api: ReturnType<typeof createTRPCClient<AppRouter>>
  /** Codes with which the server closed it. */
  closes: number[]
  close(): void
}

export type Person = {
  userId: string
  name: string
  email: string
  cookie: string
  tab(): Tab
  api: Tab['api']
}

export type TestTeam = {
  test: TestRuntime
  store: TestRuntime['store']
  origin: string
  /** Everything that the HTTP server answers beside pages and the socket. */
  routes: Doors['routes']
  owner: Person
  /** One more member, by an invitation of the owner. */
  join(role: TeamRole, name: string): Promise<Person>
  call(path: string, init?: Init): Promise<Answer>
  post(path: string, body: unknown, init?: Init): Promise<Answer>
  tab(cookie: string): Tab
  close(): Promise<void>
}

const cookieOf = (headers: Headers): string =>
  headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')

let teams = 0

/** `pages` answers what no route takes. */
export const openTestTeam = async (change: Partial<DoorOptions> = {}): Promise<TestTeam> => {
  const test = await startTestRuntime()
  const { store } = test
  await store.members.team()
  const { token } = await store.members.makeInvite('setup', 'owner', 3_600_000)
  const nothing = {
    state: async () => null,
    list: async () => [],
    cancel: async () => null,
    run: async () => ({ error: null }),
  }
  const doors = openDoors({
    secret: 'k3J9x0qLr7bZ2mVt8yWc5nHs1dFg6pAe',
    publicUrl: undefined,
    ready: () => true,
    pages: async (_request, response) => void response.end('page'),
    services: {
      ...{ store, worker: test.runtime, imports: nothing as never, models: modelDirectory },
      ...{ version: 'test', log: createLog('error') },
    },
    ...change,
  })
  await new Promise<void>((resolve) => doors.server.listen(0, '127.0.0.1', resolve))
  const { port } = doors.server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  const open: Tab[] = []
  let calls = 0
  // Such limits are the process's, and outlive one team.
  const net = (teams++ % 200) + 1

  const call: TestTeam['call'] = async (path, { cookie, from, ...init } = {}) => {
    const response = await fetch(`${origin}${path}`, {
      redirect: 'manual',
      ...init,
      headers: {
        // As from a browser of its own each time: limits by address are tried where they are meant.
        'x-forwarded-for': `10.${net}.${Math.floor(calls / 250)}.${calls++ % 250}`,
        ...(from === null ? {} : { origin: from ?? origin }),
        ...(cookie ? { cookie } : {}),
        ...(init.headers as Record<string, string> | undefined),
      },
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text.startsWith('{') ? JSON.parse(text) : { text },
      cookie: cookieOf(response.headers),
    }
  }
  const post: TestTeam['post'] = (path, body, init = {}) =>
    call(path, {
      ...init,
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
    })

  const tab = (cookie: string): Tab => {
    const closes: number[] = []
    class Socket extends WebSocket {
      constructor(url: string) {
        super(url, { headers: { ...(cookie ? { cookie } : {}), origin } })
        this.on('close', (code) => closes.push(code))
        this.on('error', () => undefined)
      }
    }
    const client = createWSClient({
      url: `ws://127.0.0.1:${port}/ws`,
      WebSocket: Socket as never,
      retryDelayMs: () => 3_600_000,
    })
    const made = {
      closes,
      api: createTRPCClient<AppRouter>({ links: [wsLink({ client })] }),
      close: () => void client.close(),
    }
    open.push(made)
    return made
  }

  const person = (userId: string, name: string, email: string, cookie: string): Person => {
    let first: Tab | null = null
    return {
      ...{ userId, name, email, cookie },
      tab: () => tab(cookie),
      get api() {
        first ??= tab(cookie)
        return first.api
      },
    }
  }

  const made = await post('/api/setup', { token, name: 'Ada', email: 'ada@example.org', password })
  if (made.status !== 200) throw new Error(`no owner: ${made.status} ${JSON.stringify(made.body)}`)
  const owner = person(String(made.body.userId), 'Ada', 'ada@example.org', made.cookie)

  return {
    ...{ test, store, origin, routes: doors.routes, owner, call, post, tab },
    join: async (role, name) => {
      const email = `${name.toLowerCase()}@example.org`
      const link = await owner.api.invite.create.mutate({ role })
      const answer = await post('/api/invites/accept', {
        as: 'new',
        token: link.token,
        name,
        email,
        password,
      })
      if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return person(String(answer.body.userId), name, email, answer.cookie)
    },
    close: async () => {
      for (const each of open) each.close()
      await doors.close()
      await test.close()
    },
  }
}

/** The code of the fault with which a call ended; `ok` when it did not. */
export const codeOf = async (call: Promise<unknown>): Promise<string> => {
  try {
    await call
    return 'ok'
  } catch (error) {
    return (error as { data?: { fact?: { code?: string } } }).data?.fact?.code ?? String(error)
  }
}

/** Waits, at most a minute, until it is so. */
export const until = async (what: () => boolean | Promise<boolean>): Promise<void> => {
  const end = Date.now() + 60_000
  while (!(await what())) {
    if (Date.now() > end) throw new Error('it did not happen within a minute')
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
