/**
 * Sign-in by better-auth: e-mail and password, the company's provider, sessions in cookies. Sign-up is closed; an account
 * comes from a one-time link or the provider. Knows nothing of roles: `access` asks the team for them.
 */
import type { IncomingMessage } from 'node:http'
import { betterAuth } from 'better-auth'
import { prismaAdapter } from 'better-auth/adapters/prisma'
import { APIError } from 'better-auth/api'
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import { passwordLength } from '../../protocol/account.ts'
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import { oidcId, oidcPlugin, refusedByProvider } from './oidc.ts'
import type { Auth, OidcOptions, Refusal, SessionRef } from './types.ts'

/** The header in which this server, and nobody else, names the caller's address. */
const addressHeader = 'x-baton-address'

const thirtyDays = 30 * 24 * 3_600

/** What the library offers beside these (sessions with their secrets, changes of accounts) is not there. */
const paths = ['/sign-in/email', '/sign-out', '/error']
const oidcPaths = ['/sign-in/social', `/callback/${oidcId}`]

export type AuthOptions = {
  client: object
  secret: string
  /** The address that people use; cookies are `Secure` when it is https. */
  publicUrl: string | undefined
  trustedOrigins: (request: Request | undefined) => string[]
  /** The caller's, for limits and lists of sign-ins. */
  addressOf(request: IncomingMessage): string
  /** Null = e-mail and password alone. */
  oidc: OidcOptions | null
  /** What the library has to say of a call that failed. */
  onProblem(message: string): void
  /** Told of each new session, before its cookie goes out. */
  onSession(session: SessionRef): Promise<void>
  /** Asked before each new session. */
  admit(userId: string): Promise<Refusal>
}

const taken = (): Fault =>
  new Fault(
    'conflict',
    'There is an account with this e-mail address.',
    'Sign in with it, or use another address.',
    { field: 'email' },
  )

export const createAuth = (options: AuthOptions): Auth => {
  const { client, secret, publicUrl, trustedOrigins, addressOf, oidc, onProblem, onSession, admit } = options
  const known = new Set([...paths, ...(oidc ? oidcPaths : [])].map((path) => `/api/auth${path}`))
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
    plugins: oidc ? [oidcPlugin(oidc)] : [],
    session: { expiresIn: thirtyDays, updateAge: 24 * 3_600 },
    account: {
      // By an address that both sides have verified, never by one that somebody only typed.
      accountLinking: { enabled: true, trustedProviders: [] },
      updateAccountOnSignIn: false,
    },
    databaseHooks: {
      user: {
        create: {
          // Inside a call of the library somebody new can only come by the provider.
          before: async (user, call) => {
            const code = oidc && call ? refusedByProvider(oidc, user) : null
            if (code) throw new APIError('FORBIDDEN', { code, message: 'The provider’s word is not enough.' })
          },
        },
      },
      account: {
        // Nothing here speaks to the provider on somebody's behalf: what it gave for that is not kept.
        create: {
          before: async (account) => ({
            data: { ...account, accessToken: null, refreshToken: null, idToken: null },
          }),
        },
      },
      session: {
        create: {
          before: async ({ userId }) => {
            const refusal = await admit(userId)
            if (refusal) throw new APIError('FORBIDDEN', refusal)
          },
          after: ({ id, userId }) => onSession({ sessionId: id, userId }),
        },
      },
    },
    onAPIError: { errorURL: '/login' },
    trustedOrigins: async (request) => trustedOrigins(request),
    rateLimit: {
      enabled: true,
      window: 60,
      max: 120,
      customRules: {
        '/sign-in/email': { window: 60, max: 12 },
        // Nothing is guessed here: a whole office may come by one address.
        '/sign-in/social': { window: 60, max: 120 },
      },
    },
    telemetry: { enabled: false },
    advanced: {
      cookiePrefix: 'baton',
      useSecureCookies: publicUrl?.startsWith('https:') ?? false,
      ipAddress: { ipAddressHeaders: [addressHeader] },
      database: { generateId: ({ model }) => (model === 'user' ? newId('usr') : crypto.randomUUID()) },
    },
    // Its words alone: what it puts beside them holds states and addresses.
    logger: { level: 'error', log: (_level, message) => onProblem(message) },
  })
  const handler = toNodeHandler(auth)

  const named = (request: IncomingMessage): IncomingMessage => {
    request.headers[addressHeader] = addressOf(request)
    return request
  }

  const session: Auth['session'] = async (request) => {
    const found = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) })
    return found ? { sessionId: found.session.id, userId: found.user.id } : null
  }

  /** A browser that signs in anew leaves no session of before behind. */
  const endOld = async (request: IncomingMessage): Promise<void> => {
    const old = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) })
    if (old) await (await auth.$context).internalAdapter.deleteSession(old.session.token)
  }

  return {
    handle: async (request, response) => {
      const path = (request.url ?? '').split('?')[0] ?? ''
      if (!known.has(path)) throw new Fault('not_found', 'There is no such address.', 'Check the link.')
      if (path.endsWith('/sign-in/email')) {
        response.once('finish', () => {
          if (response.statusCode === 200) void endOld(request).catch(() => undefined)
        })
      }
      await handler(named(request), response)
    },
    session,
    createUser: async ({ name, email, password, emailVerified }) => {
      const context = await auth.$context
      const address = email.toLowerCase()
      if (await context.internalAdapter.findUserByEmail(address)) throw taken()
      const hash = await context.password.hash(password)
      const user = await context.internalAdapter
        .createUser({ name, email: address, emailVerified }, { method: 'email-password' })
        .catch(async (error: unknown) => {
          // Two at once with one address.
          throw (await context.internalAdapter.findUserByEmail(address)) ? taken() : error
        })
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
    check: async ({ email, password }) => {
      const context = await auth.$context
      const found = await context.internalAdapter.findUserByEmail(email.toLowerCase(), {
        includeAccounts: true,
      })
      const hash = found?.accounts.find(({ providerId }) => providerId === 'credential')?.password
      if (!found || !hash) {
        // As long as a wrong password takes.
        await context.password.hash(password)
        return null
      }
      return (await context.password.verify({ hash, password })) ? { userId: found.user.id } : null
    },
    signIn: async (body, request) => {
      const { headers } = await auth.api.signInEmail({
        body,
        headers: fromNodeHeaders(named(request).headers),
        returnHeaders: true,
      })
      return headers.getSetCookie()
    },
    changePassword: async ({ current, next }, request) => {
      try {
        const { headers } = await auth.api.changePassword({
          body: { currentPassword: current, newPassword: next, revokeOtherSessions: true },
          headers: fromNodeHeaders(named(request).headers),
          returnHeaders: true,
        })
        return headers.getSetCookie()
      } catch (error) {
        const code = error instanceof APIError ? error.body?.code : undefined
        if (code === 'INVALID_PASSWORD')
          throw new Fault('forbidden', 'The current password is wrong.', 'Type it again.', {
            field: 'current',
          })
        if (code === 'CREDENTIAL_ACCOUNT_NOT_FOUND')
          throw new Fault(
            'conflict',
            'This account has no password: it signs in by the company’s provider.',
            'Change the password there.',
          )
        throw error
      }
    },
  }
}
