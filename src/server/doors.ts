/**
 * All doors of one server on one HTTP server: routes, pages, the socket per tab, and who may come in. Listens to
 * nothing until the caller does.
 */
import type { IncomingMessage, Server } from 'node:http'
import { createAccessWatch } from './access/access-watch.ts'
import { bearerOf, sessionActor, tokenActor, viaId } from './access/actor.ts'
import { addressOf } from './access/address.ts'
import { rateLimit } from './access/rate-limit.ts'
import { createReadings } from './access/readings.ts'
import type { Actor } from './access/types.ts'
import { createAuth } from './auth/auth.ts'
import { createSessionWatch } from './auth/session-watch.ts'
import type { OidcOptions } from './auth/types.ts'
import { importRoute } from './http/import-route.ts'
import { linkRoutes } from './http/link-route.ts'
import { originPolicy } from './http/origin.ts'
import type { HttpDoors, Route } from './http/router.ts'
import { createHttpDoors } from './http/router.ts'
import { createRoutes } from './http/routes.ts'
import { createLinkWatch } from './links/live.ts'
import { createPresence } from './runtime/presence.ts'
import type { DoorParts, Services } from './trpc/context.ts'
import { openWsDoor } from './trpc/ws.ts'

/** How often open sockets and streams are held against the database: what changed takes effect within a second. */
const sessionLookMs = 500

export type DoorOptions = {
  services: Services
  /** Signs sessions; at least 32 random characters. */
  secret: string
  /** The address that people use (BATON_URL); absent = this machine only. */
  publicUrl: string | undefined
  /** Absent = e-mail and password alone. */
  oidc?: OidcOptions | null
  pages: HttpDoors['pages']
  ready(): boolean
}

const disabledAccount = {
  code: 'account_disabled',
  message: 'This account is disabled. Ask an administrator to enable it.',
}

export type Doors = {
  server: Server
  /** What the HTTP server answers beside pages and the socket. */
  routes: readonly Pick<Route, 'method' | 'pattern'>[]
  close(): Promise<void>
}

export const openDoors = ({ services, secret, publicUrl, oidc = null, pages, ready }: DoorOptions): Doors => {
  const { store, log } = services
  const origins = originPolicy(publicUrl)
  const auth = createAuth({
    client: store.authClient,
    secret,
    publicUrl,
    addressOf,
    oidc,
    onProblem: (message) => log.warn('sign-in could not go on', { message }),
    onSession: ({ sessionId, userId }) =>
      store.audit({
        ...{ actorId: userId, action: 'session.start', targetType: 'member', targetId: userId },
        details: { sessionId },
      }),
    admit: async (userId) => {
      const member = await store.members.find(userId)
      if (member?.disabled) return disabledAccount
      if (!member && oidc && oidc.role !== null) await store.members.join(userId, oidc.role, 'oidc')
      return null
    },
    trustedOrigins: (request) => {
      const origin = request?.headers.get('origin')
      const host = request?.headers.get('host')
      const headers = { ...(origin ? { origin } : {}), ...(host ? { host } : {}) }
      return origin && origins.originAllowed({ headers }) ? [origin] : []
    },
  })
  const actorOf = (sessionId: string): Promise<Actor | null> => sessionActor(store, sessionId)
  /** A request with a token is the token's alone, whatever cookies it has. */
  const actor = async (request: IncomingMessage): Promise<Actor | null> => {
    const { authorization } = request.headers
    const secret = bearerOf(authorization)
    if (authorization !== undefined) {
      if (secret === null) return null
      const who = await tokenActor(store, secret)
      if (who) store.auditedBy({ type: 'token', id: viaId(who) })
      else guesses.take(addressOf(request))
      return who
    }
    const session = await auth.session(request)
    if (!session) return null
    store.auditedBy({ type: 'session', id: session.sessionId })
    return actorOf(session.sessionId)
  }
  const guesses = rateLimit(60, 60)
  const parts: DoorParts = {
    watch: createAccessWatch(store, {
      intervalMs: sessionLookMs,
      onError: (error) => log.warn('open streams could not be looked at', { error }),
    }),
    readings: createReadings(store),
    presence: createPresence(),
    searches: rateLimit(300, 100),
    guesses,
    oidc: oidc && { name: oidc.name },
  }
  const watch = createSessionWatch(async (ids) => new Set((await store.members.ofSessions(ids)).keys()), {
    intervalMs: sessionLookMs,
    onError: (error) => log.warn('sessions could not be looked at', { error }),
  })
  const links = createLinkWatch(store, {
    intervalMs: sessionLookMs,
    onError: (error) => log.warn('a public link could not go on', { error }),
  })
  const routes = [
    ...createRoutes({ store, auth, ready, actor, readings: parts.readings, watch: parts.watch }),
    importRoute({ imports: services.imports, actor }),
    ...linkRoutes({ store, watch: links, actor }),
  ]
  const server = createHttpDoors({ log, origins, pages, routes, around: store.audited })
  const sockets = openWsDoor({
    server,
    services,
    parts,
    watch,
    actorOf,
    allowed: (request) => origins.hostAllowed(request) && origins.originAllowed(request),
    session: (request) => auth.session(request),
  })
  return {
    server,
    routes,
    close: async () => {
      watch.stop()
      parts.watch.stop()
      links.stop()
      await sockets.close()
      server.close()
      server.closeAllConnections()
    },
  }
}
