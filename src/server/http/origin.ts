/**
 * Which hosts and origins this server answers to: against DNS rebinding, cross-site requests and cross-site WebSockets.
 */
import type { IncomingHttpHeaders } from 'node:http'

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

type WithHeaders = { headers: IncomingHttpHeaders }

export type OriginPolicy = {
  /** True when the Host header names this server. */
  hostAllowed(request: WithHeaders): boolean
  /** True when the Origin header is this server's own; a missing one counts for who brings no cookie, as scripts do. */
  originAllowed(request: WithHeaders): boolean
}

const hostName = (host: string): string => host.replace(/:\d+$/, '').toLowerCase()

/**
 * `publicUrl` is the address that people type (BATON_URL). Without it only loopback names are answered, so that a page
 * of another site cannot reach a server on this machine through a name of its own.
 */
export const originPolicy = (publicUrl: string | undefined): OriginPolicy => {
  const known = publicUrl ? new URL(publicUrl) : null
  const isKnownHost = (host: string): boolean =>
    loopback.has(hostName(host)) || (known !== null && host.toLowerCase() === known.host.toLowerCase())
  return {
    hostAllowed: (request) => {
      const host = request.headers.host
      return typeof host === 'string' && isKnownHost(host)
    },
    originAllowed: (request) => {
      const origin = request.headers.origin
      const host = request.headers.host
      if (typeof host !== 'string') return false
      if (origin === undefined) {
        const site = request.headers['sec-fetch-site']
        // A browser names its origin with whatever changes something; a cookie without one comes from somewhere else.
        if (site === undefined) return request.headers.cookie === undefined
        return site === 'same-origin' || site === 'none'
      }
      let parsed: URL
      try {
        parsed = new URL(origin)
      } catch {
        return false
      }
      if (known && parsed.origin === known.origin) return true
      // Behind no proxy the page's origin and the Host header name the same place.
      return loopback.has(hostName(parsed.host)) && parsed.host.toLowerCase() === host.toLowerCase()
    },
  }
}
