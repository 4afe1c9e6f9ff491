/**
 * The one WebSocket of a tab and the calls over it. It knows the procedures' names and shapes, no screen and no state
 * but the socket's own.
 */
import { createTRPCClient, createWSClient, isTRPCClientError, type TRPCClient, wsLink } from '@trpc/client'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import { visible } from '../lib/visible.ts'
import { type ErrorFact, ErrorFact as ErrorFactSchema } from '../protocol/error.ts'
import { heartbeatMs, sessionEndedCode, watchdogMs } from '../protocol/heartbeat.ts'
import type { AppRouter } from '../server/trpc/types.ts'

export type Inputs = inferRouterInputs<AppRouter>
export type Outputs = inferRouterOutputs<AppRouter>
export type Me = Outputs['session']['me']

const socketUrl = (): string => {
  const { protocol, host } = window.location
  return `${protocol === 'https:' ? 'wss' : 'ws'}://${host}/ws`
}

/** The sign-in page, which leads back to where the tab is now. */
export function signInPath(): string {
  const { pathname, search } = window.location
  return pathname === '/' ? '/login' : `/login?next=${encodeURIComponent(pathname + search)}`
}

let left = false
/**
 * Loads the sign-in page, once: signing out here and the socket that closes because of it both ask for it, and a second
 * load would break off the first.
 */
export function leaveTo(path: string): void {
  if (left) return
  left = true
  window.location.assign(path)
}

const client = createWSClient({
  url: socketUrl,
  lazy: { enabled: true, closeMs: 3_600_000 },
  keepAlive: { enabled: true, intervalMs: heartbeatMs, pongTimeoutMs: watchdogMs - heartbeatMs },
  retryDelayMs: (attempt) => Math.min(5_000, 100 * 2 ** attempt),
  onClose: (cause) => {
    // A new load, since the socket carries the old session.
    if (cause?.code === sessionEndedCode) leaveTo(signInPath())
  },
})

/** The socket's state as it changes: `idle`, `connecting` (with the error of the last try) or `pending` (open). */
export const socketState = client.connectionState

export const api: TRPCClient<AppRouter> = createTRPCClient<AppRouter>({ links: [wsLink({ client })] })

/** A fact whose words may name what a stranger wrote, with what cannot be seen in them made visible. */
export const shownFact = (fact: ErrorFact): ErrorFact => ({
  ...fact,
  message: visible(fact.message),
  next: visible(fact.next),
})

/** The fact behind a failed call. What the server did not explain is a lost connection. */
export function factOf(error: unknown): ErrorFact {
  if (isTRPCClientError(error)) {
    const data: unknown = error.data
    const found = ErrorFactSchema.safeParse((data as { fact?: unknown } | null | undefined)?.fact)
    if (found.success) return shownFact(found.data)
  }
  return {
    code: 'internal',
    message: error instanceof Error ? visible(error.message.slice(0, 500)) : 'The call failed.',
    next: 'Try again.',
  }
}
