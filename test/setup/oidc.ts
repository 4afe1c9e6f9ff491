/** A real provider of OpenID Connect on this machine, in which everybody signs in with their name and no password. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export type TestOidc = {
  issuer: string
  clientId: string
  clientSecret: string
  /** People whose address the provider has not verified. */
  unverified: Set<string>
  /** Goes through its pages as this person, and gives the address that it sends them back to. */
  signIn(url: string, person: string): Promise<string>
  close(): Promise<void>
}

export const startTestOidc = async (): Promise<TestOidc> => {
  const unverified = new Set<string>()
  const [clientId, clientSecret] = ['baton', 'a secret of the test’s provider'.replaceAll(/[^a-z]/g, '-')]
  const server = createServer((request, response) => handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: ['http://127.0.0.1/api/auth/callback/oidc'],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    cookies: { keys: ['keys of a test'] },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
    conformIdTokenClaims: false,
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => ({
        sub: id,
        email: `${id}@example.org`,
        email_verified: !unverified.has(id),
        name: `${id} of the company`,
        picture: 'https://pictures.example/1.png',
      }),
    }),
  })
  // The port of the server under test is not known when this one starts.
  const client = (provider.Client as unknown as { prototype: object }).prototype
  Object.assign(client, { redirectUriAllowed: (uri: string) => uri.endsWith('/api/auth/callback/oidc') })
  const handle = provider.callback()

  return {
    ...{ issuer, clientId, clientSecret, unverified },
    signIn: async (url, person) => {
      const jar = new Map<string, string>()
      const visit = async (target: string, body?: URLSearchParams): Promise<Response> => {
        const response = await fetch(target, {
          redirect: 'manual',
          method: body ? 'POST' : 'GET',
          headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
          ...(body ? { body } : {}),
        })
        for (const line of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
          jar.set(name, value)
        }
        return response
      }
      let response = await visit(url)
      for (let hop = 0; hop < 20; hop += 1) {
        const location = response.headers.get('location')
        if (location !== null) {
          const next = new URL(location, issuer)
          if (next.origin !== issuer) return next.href
          response = await visit(next.href)
          continue
        }
        const page = await response.text()
        const action = /action="([^"]+)"/.exec(page)?.[1]
        if (action === undefined)
          throw new Error(`the provider says: ${response.status} ${page.slice(0, 500)}`)
        const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? 'login'
        const form = new URLSearchParams({ prompt, login: person, password: 'none' })
        response = await visit(new URL(action, issuer).href, form)
      }
      throw new Error('the provider sent nobody back')
    },
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  }
}
