/**
 * Sign-in by better-auth: e-mail and password, sessions in cookies. Sign-up is closed; an account comes from a one-time
 * link. Knows nothing of roles: `access` asks the team for them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { betterAuth } from 'better-auth'
import { prismaAdapter } from 'better-auth/adapters/prisma'
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import { passwordLength } from '../../protocol/account.ts'
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'

/** The header in which this server, and nobody else, names the caller's address. */
const addressHeader = 'x-baton-address'

const thirtyDays = 30 * 24 * 3_600

export type AuthOptions = {
  client: object
  secret: string
  /** The address that people use; cookies are `Secure` when it is https. */
  publicUrl: string | undefined
  trustedOrigins: (request: Request | undefined) => string[]
  /** The caller's, for limits and lists of sign-ins. */
  addressOf(request: IncomingMessage): string
}

export type SessionRef = { sessionId: string; userId: string }

export type Auth = {
  /** Everything below /api/auth. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Who the cookies of a request say it is; null without a valid session. */
  session(request: IncomingMessage): Promise<SessionRef | null>
  /** Makes a user with a password; Fault `conflict` when the address is taken. */
  createUser(input: { name: string; email: string; password: string }): Promise<{ userId: string }>
  removeUser(userId: string): Promise<void>
  /** Signs in and gives the `set-cookie` headers. */
  signIn(input: { email: string; password: string }, request: IncomingMessage): Promise<string[]>
}

export const createAuth = ({ client, secret, publicUrl, trustedOrigins, addressOf }: AuthOptions): Auth => {
  const auth = betterAuth({
    secret,
    basePath: '/api/auth',
    ...(publicUrl ? { baseURL: publicUrl } : {}),
    database: prismaAdapter(client as Parameters<typeof prismaAdapter>[0], { provider: 'postgresql' }),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: passwordLength.min,
      maxPasswordLength: passwordLength.max,
    },
    session: { expiresIn: thirtyDays, updateAge: 24 * 3_600 },
    trustedOrigins: async (request) => trustedOrigins(request),
    rateLimit: {
      enabled: true,
      window: 60,
      max: 120,
      customRules: { '/sign-in/email': { window: 60, max: 12 } },
    },
    telemetry: { enabled: false },
    advanced: {
      cookiePrefix: 'baton',
      useSecureCookies: publicUrl?.startsWith('https:') ?? false,
      ipAddress: { ipAddressHeaders: [addressHeader] },
      database: { generateId: ({ model }) => (model === 'user' ? newId('usr') : crypto.randomUUID()) },
    },
    logger: { level: 'error' },
  })
  const handler = toNodeHandler(auth)

  const named = (request: IncomingMessage): IncomingMessage => {
    request.headers[addressHeader] = addressOf(request)
    return request
  }

  return {
    handle: (request, response) => handler(named(request), response),
    session: async (request) => {
      const found = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) })
      return found ? { sessionId: found.session.id, userId: found.user.id } : null
    },
    createUser: async ({ name, email, password }) => {
      const context = await auth.$context
      const address = email.toLowerCase()
      if (await context.internalAdapter.findUserByEmail(address)) {
        throw new Fault(
          'conflict',
          'There is an account with this e-mail address.',
          'Sign in, or use another address.',
        )
      }
      const hash = await context.password.hash(password)
      const user = await context.internalAdapter.createUser(
        { name, email: address, emailVerified: true },
        { method: 'email-password' },
      )
      await context.internalAdapter.linkAccount({
        userId: user.id,
        providerId: 'credential',
        accountId: user.id,
        password: hash,
      })
      return { userId: user.id }
    },
    removeUser: async (userId) => {
      const context = await auth.$context
      await context.internalAdapter.deleteUser(userId)
    },
    signIn: async (body, request) => {
      const { headers } = await auth.api.signInEmail({
        body,
        headers: fromNodeHeaders(named(request).headers),
        returnHeaders: true,
      })
      return headers.getSetCookie()
    },
  }
}
