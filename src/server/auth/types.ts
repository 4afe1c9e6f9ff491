/**
 * What sign-in offers to the doors. Users, passwords and sessions are the library's; roles are not its business.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TeamRole } from '../../protocol/access.ts'

export type SessionRef = { sessionId: string; userId: string }

/** The company's own sign-in, as the environment names it. */
export type OidcOptions = {
  /** Its discovery document is below it. */
  issuer: string
  clientId: string
  /** Null = a public client. */
  clientSecret: string | null
  /** What the button says. */
  name: string
  /** Domains of addresses that may come in, in lower case; empty = all of the provider's. */
  domains: readonly string[]
  /** What newcomers become; null = they need an invitation. Whoever admits them looks at it, sign-in does not. */
  role: TeamRole | null
  /** The provider does not say whether addresses are verified, and they are. */
  trustEmail: boolean
}

/** Why somebody who proved who they are may not begin a session; null = they may. */
export type Refusal = { code: string; message: string } | null

export type NewUser = {
  name: string
  email: string
  password: string
  /** Somebody vouches that the address is theirs: then the company's sign-in finds this account by it. */
  emailVerified: boolean
}

export type Auth = {
  /** The sign-in paths below /api/auth; others are not there. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Who the cookies of a request say it is; null without a valid session. */
  session(request: IncomingMessage): Promise<SessionRef | null>
  /** Makes a user with a password; Fault `conflict` when the address is taken. */
  createUser(input: NewUser): Promise<{ userId: string }>
  removeUser(userId: string): Promise<void>
  /** Whose address and password these are; null when they do not fit. */
  check(input: { email: string; password: string }): Promise<{ userId: string } | null>
  /** Signs in and gives the `set-cookie` headers. */
  signIn(input: { email: string; password: string }, request: IncomingMessage): Promise<string[]>
  /** Ends all other sessions, and gives the `set-cookie` headers of a new one. Fault `forbidden` for a wrong password. */
  changePassword(input: { current: string; next: string }, request: IncomingMessage): Promise<string[]>
}
