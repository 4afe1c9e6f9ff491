// More people than the owner: each joins by an invitation, as colleagues do, and has a browser of their own.
import { type Browser, type BrowserContext, type Page, request } from '@playwright/test'
import { createTRPCClient, createWSClient, wsLink } from '@trpc/client'
import { WebSocket } from 'ws'
import type { TeamRole } from '../../src/protocol/access.ts'
import type { AppRouter } from '../../src/server/trpc/router.ts'
import type { App } from '../../test/setup/app.ts'

export type Colleague = { name: string; email: string; context: BrowserContext; page: Page }

type Cookies = { name: string; value: string }[]

/** Calls procedures as whoever has these cookies, past the screens. */
export function apiOf({ url }: Pick<App, 'url'>, cookies: Cookies) {
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  class Socket extends WebSocket {
    constructor(to: string) {
      super(to, { headers: { cookie, origin: url } })
      this.on('error', () => undefined)
    }
  }
  const client = createWSClient({ url: `${url.replace(/^http/, 'ws')}/ws`, WebSocket: Socket as never })
  return {
    api: createTRPCClient<AppRouter>({ links: [wsLink({ client })] }),
    close: () => client.close(),
  }
}

/** Lets somebody in and opens a browser for them; `owner` are the cookies of who invites. */
export async function join(
  browser: Browser,
  app: App,
  owner: Cookies,
  { name, role = 'member' }: { name: string; role?: TeamRole },
): Promise<Colleague> {
  const email = `${name.toLowerCase().replaceAll(/[^a-z]+/g, '.')}@example.com`
  const caller = apiOf(app, owner)
  const { token } = await caller.api.invite.create.mutate({ role, email: null, days: 1 })
  await caller.close()
  const http = await request.newContext({ baseURL: app.url, extraHTTPHeaders: { origin: app.url } })
  const answer = await http.post('/api/invites/accept', {
    data: { as: 'new', token, name, email, password: `the password of ${name}` },
  })
  if (!answer.ok()) throw new Error(`${name} could not join: ${answer.status()} ${await answer.text()}`)
  const context = await browser.newContext({ baseURL: app.url, storageState: await http.storageState() })
  await http.dispose()
  return { name, email, context, page: await context.newPage() }
}
