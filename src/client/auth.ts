/** Sign-in and sign-out from the browser. Afterwards the page is loaded anew, because the socket carries the old cookie. */
import { createAuthClient } from 'better-auth/react'

const auth = createAuthClient({ basePath: '/api/auth' })

/** Null when it worked, else the HTTP status: 401 = wrong address or password, 429 = too many tries. */
export async function signIn(email: string, password: string): Promise<number | null> {
  const { error } = await auth.signIn.email({ email, password })
  return error ? error.status : null
}

export const signOut = async (): Promise<void> => {
  await auth.signOut()
}
