/**
 * One's own account: sessions, tokens, password; and the doors of whoever is not in yet: invitations, the company's sign-in.
 * What sets a cookie goes by HTTP, and afterwards the page is loaded anew, because the socket carries the old one.
 */
import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ApiToken, InviteLook, SessionInfo } from '../protocol/access.ts'
import { type ErrorFact, ErrorFact as ErrorFactSchema } from '../protocol/error.ts'
import { api, type Inputs, shownFact } from './api.ts'
import { factOfResponse } from './uploads.ts'

const keys = { sessions: ['sessions'] as const, tokens: ['tokens'] as const }

export const useSessions = (): UseQueryResult<SessionInfo[]> =>
  useQuery({ queryKey: keys.sessions, queryFn: () => api.session.list.query(), staleTime: 0 })

export const useTokens = (): UseQueryResult<ApiToken[]> =>
  useQuery({ queryKey: keys.tokens, queryFn: () => api.token.list.query() })

function useChange<Input, Output>(queryKey: readonly string[], send: (input: Input) => Promise<Output>) {
  const queries = useQueryClient()
  return useMutation({ mutationFn: send, onSettled: () => queries.invalidateQueries({ queryKey }) })
}

export const useEndSession = () =>
  useChange(keys.sessions, (sessionId: string) => api.session.end.mutate({ sessionId }))
export const useEndOtherSessions = () => useChange(keys.sessions, () => api.session.endOthers.mutate())
export const useCreateToken = () =>
  useChange(keys.tokens, (input: Inputs['token']['create']) => api.token.create.mutate(input))
export const useRevokeToken = () =>
  useChange(keys.tokens, (tokenId: string) => api.token.revoke.mutate({ tokenId }))

/** What the holder of a link is told; a link that nobody made is an error `not_found`. */
export const useInviteLook = (token: string): UseQueryResult<InviteLook> =>
  useQuery({
    queryKey: ['invite', token],
    queryFn: () => api.invite.look.query({ token }),
    retry: false,
    staleTime: 0,
  })

/** Null when it worked, else what was wrong; `details.field` names the field of the form. */
async function post(path: string, body: unknown): Promise<ErrorFact | null> {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return response.ok ? null : shownFact(await factOfResponse(response))
  } catch {
    return { code: 'internal', message: 'The server cannot be reached.', next: 'Try again in a moment.' }
  }
}

export type AcceptInvite =
  | { as: 'new'; token: string; name: string; email: string; password: string }
  | { as: 'existing'; token: string; email: string; password: string }
  | { as: 'me'; token: string }

export const acceptInvite = (input: AcceptInvite): Promise<ErrorFact | null> =>
  post('/api/invites/accept', input)

export const changePassword = (current: string, next: string): Promise<ErrorFact | null> =>
  post('/api/account/password', { current, next })

/**
 * Leads to the company's sign-in, which leads back to `callback`, or to the sign-in page with a word on what went wrong.
 * Gives a fact when it could not be reached.
 */
export async function signInByProvider(callback: string): Promise<ErrorFact | null> {
  try {
    const response = await fetch('/api/auth/sign-in/social', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ provider: 'oidc', callbackURL: callback, errorCallbackURL: '/login' }),
    })
    const answer = (await response.json().catch(() => null)) as { url?: unknown; error?: unknown } | null
    if (response.ok && typeof answer?.url === 'string') {
      window.location.assign(answer.url)
      return null
    }
    const fact = ErrorFactSchema.safeParse(answer?.error)
    if (fact.success) return shownFact(fact.data)
  } catch {
    // As below.
  }
  return {
    code: 'provider_unreachable',
    message: 'The sign-in of your company cannot be reached.',
    next: 'Try again in a moment, or use a password.',
  }
}
