/**
 * All doors of one server on one HTTP server: routes, pages, the socket per tab, and who may come in. Listens to
 * nothing until the caller does.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Actor } from './access/types.ts'
import { createAuth } from './auth/auth.ts'
import { createSessionWatch } from './auth/session-watch.ts'
import { importRoute } from './http/import-route.ts'
import { originPolicy } from './http/origin.ts'
import type { HttpDoors } from './http/router.ts'
import { createHttpDoors } from './http/router.ts'
import { createRoutes } from './http/routes.ts'
import type { Services } from './trpc/context.ts'
import { openWsDoor } from './trpc/ws.ts'

/** How often open sockets are held against the sessions in the database. */
const sessionLookMs = 1_000

export type DoorOptions = {
  services: Services
  /** Signs sessions; at least 32 random characters. */
  secret: string
  /** The address that people use (BATON_URL); absent = this machine only. */
  publicUrl: string | undefined
  pages: HttpDoors['pages']
  ready(): boolean
}

export type Doors = { server: Server; close(): Promise<void> }

export const openDoors = ({ services, secret, publicUrl, pages, ready }: DoorOptions): Doors => {
  const { store, log } = services
  const origins = originPolicy(publicUrl)
  const auth = createAuth({
    client: store.authClient,
    secret,
    publicUrl,
    trustedOrigins: (request) => {
      const origin = request?.headers.get('origin')
      const host = request?.headers.get('host')
      const headers = { ...(origin ? { origin } : {}), ...(host ? { host } : {}) }
      return origin && origins.originAllowed({ headers }) ? [origin] : []
    },
  })
  const actorOf = async (sessionId: string): Promise<Actor | null> => {
    const member = (await store.members.ofSessions([sessionId])).get(sessionId)
    return member ? { ...member, sessionId } : null
  }
  const actor = async (request: IncomingMessage): Promise<Actor | null> => {
    const session = await auth.session(request)
    return session ? actorOf(session.sessionId) : null
  }
  const watch = createSessionWatch(async (ids) => new Set((await store.members.ofSessions(ids)).keys()), {
    intervalMs: sessionLookMs,
    onError: (error) => log.warn('sessions could not be looked at', { error }),
  })
  const routes = [
    ...createRoutes({ store, auth, ready, actor }),
    importRoute({ imports: services.imports, actor }),
  ]
  const server = createHttpDoors({ log, origins, pages, routes })
  const sockets = openWsDoor({
    server,
    services,
    watch,
    actorOf,
    allowed: (request) => origins.hostAllowed(request) && origins.originAllowed(request),
    session: (request) => auth.session(request),
  })
  return {
    server,
    close: async () => {
      watch.stop()
      await sockets.close()
      server.close()
      server.closeAllConnections()
    },
  }
}
