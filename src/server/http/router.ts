/**
 * The HTTP doors beside tRPC: a closed list of routes, each with its method, pattern and handler. What is not in the
 * list goes to the pages. Decides host, origin and errors once for all of them.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Fault } from '../../protocol/error.ts'
import type { Log } from '../log.ts'
import type { OriginPolicy } from './origin.ts'
import { plainHeaders, sendError } from './respond.ts'

export type RouteRequest = {
  request: IncomingMessage
  response: ServerResponse
  url: URL
  params: Record<string, string>
}

export type Route = {
  method: 'GET' | 'POST' | 'ANY'
  /** Path with `:name` for one segment, or ending in `/*` for everything below. */
  pattern: string
  handle(input: RouteRequest): Promise<void>
}

type Compiled = Route & { matches(path: string): Record<string, string> | null }

const compile = (route: Route): Compiled => {
  const names: string[] = []
  const source = route.pattern
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:([a-zA-Z]+)/g, (_match, name: string) => {
      names.push(name)
      return '([^/]+)'
    })
    .replace(/\/\*$/, '(?:/.*)?')
  const expression = new RegExp(`^${source}$`)
  return {
    ...route,
    matches: (path) => {
      const found = expression.exec(path)
      if (!found) return null
      try {
        return Object.fromEntries(
          names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? '')]),
        )
      } catch {
        return null
      }
    },
  }
}

/** How long a socket is kept whose sender goes on although it was answered. */
const unreadMs = 10_000

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

export type HttpDoors = {
  routes: Route[]
  origins: OriginPolicy
  /** Everything that no route takes: the pages. */
  pages(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Runs each request. */
  around?<T>(work: () => T): T
  log: Log
}

/** Makes the HTTP server; the caller listens. A malformed or failing request ends itself and nothing else. */
export const createHttpDoors = ({
  routes,
  origins,
  pages,
  around = (work) => work(),
  log,
}: HttpDoors): Server => {
  const compiled = routes.map(compile)

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!origins.hostAllowed(request)) {
      throw new Fault(
        'forbidden',
        'This server does not answer to that host name.',
        'Set BATON_URL to the address that people use, then restart.',
      )
    }
    let url: URL
    try {
      url = new URL(request.url ?? '/', 'http://server.invalid')
    } catch {
      throw new Fault('bad_input', 'The address cannot be read.', 'Check the link.')
    }
    const found = compiled
      .map((route) => ({ route, params: route.matches(url.pathname) }))
      .filter((match): match is { route: Compiled; params: Record<string, string> } => match.params !== null)
    const method = request.method ?? 'GET'
    const match = found.find(
      ({ route }) => route.method === 'ANY' || route.method === (method === 'HEAD' ? 'GET' : method),
    )
    if (!match) {
      if (found.length > 0)
        throw new Fault('bad_input', `This address does not take ${method}.`, 'Use another method.')
      if (url.pathname.startsWith('/api/'))
        throw new Fault('not_found', 'There is no such address.', 'Check the link.')
      response.setHeader('x-content-type-options', 'nosniff')
      response.setHeader('referrer-policy', 'same-origin')
      response.setHeader('x-frame-options', 'DENY')
      response.setHeader('cross-origin-opener-policy', 'same-origin')
      response.setHeader('cross-origin-resource-policy', 'same-origin')
      await pages(request, response)
      return
    }
    if (!safeMethods.has(method) && !origins.originAllowed(request)) {
      throw new Fault('forbidden', 'The request comes from another site.', 'Open Baton itself and try again.')
    }
    // Also for what a library answers; a route may say more, none says less.
    for (const [name, value] of Object.entries(plainHeaders)) response.setHeader(name, value)
    await match.route.handle({ request, response, url, params: match.params })
  }

  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    around(() => answer(request, response)).catch((error: unknown) => {
      // What is left of a body would be taken for the next request, or keep it waiting: nothing follows on this socket.
      if (!request.complete && !response.headersSent) response.setHeader('connection', 'close')
      const fact = sendError(response, error)
      if (fact.code === 'internal')
        log.error('a request failed', { method: request.method, path: request.url, error })
      // The rest of a body that nobody reads must not hold the socket.
      if (!request.complete) {
        request.socket.end()
        setTimeout(() => request.socket.destroy(), unreadMs).unref()
      }
    })
  })
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n')
    else socket.destroy()
  })
  server.headersTimeout = 30_000
  server.requestTimeout = 30 * 60_000
  server.keepAliveTimeout = 65_000
  return server
}
