/** Sign-in, sign-out and the owner's set-up. Afterwards a page is loaded anew, because the socket carries the old cookie. */
import { createAuthClient } from 'better-auth/react'
import type { ErrorFact } from '../protocol/error.ts'
import { factOfResponse } from './uploads.ts'

const auth = createAuthClient({ basePath: '/api/auth' })

/** Null when it worked, else the HTTP status: 401 = wrong address or password, 429 = too many tries, 0 = no answer. */
export async function signIn(email: string, password: string): Promise<number | null> {
  try {
    const { error } = await auth.signIn.email({ email, password })
    return error ? error.status : null
  } catch {
    return 0
  }
}

/** Ends this session; rejects when the server did not hear it. */
export async function signOut(): Promise<void> {
  const { error } = await auth.signOut()
  if (error) throw new Error(error.message ?? 'The server did not answer.')
}

export type SetUp = { token: string; name: string; email: string; password: string }

/** Makes the owner and signs them in; null when it worked. `details.field` names the field that is wrong. */
export async function setUp(input: SetUp): Promise<ErrorFact | null> {
  try {
    const response = await fetch('/api/setup', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    })
    return response.ok ? null : await factOfResponse(response)
  } catch {
    return { code: 'internal', message: 'The server cannot be reached.', next: 'Try again in a moment.' }
  }
}
