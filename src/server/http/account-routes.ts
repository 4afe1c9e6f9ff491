/**
 * The doors of accounts that set cookies: accepting an invitation, changing one's password. What is listed and changed
 * without a cookie goes by the socket.
 */
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { passwordLength } from '../../protocol/account.ts'
import { Fault } from '../../protocol/error.ts'
import { addressOf } from '../access/address.ts'
import { assertCan, notSignedIn } from '../access/permission.ts'
import { rateLimit } from '../access/rate-limit.ts'
import type { Actor } from '../access/types.ts'
import type { Auth } from '../auth/types.ts'
import { inviteFault } from '../store/invites.ts'
import type { Store } from '../store/types.ts'
import { parse, readJson, sendJson } from './respond.ts'
import type { Route } from './router.ts'

export const LinkToken = z.string().min(20).max(200)
export const PersonName = z.string().trim().min(1, 'must not be empty').max(100)
export const Email = z.email('must be an e-mail address').max(254)
export const NewPassword = z
  .string()
  .min(passwordLength.min, `must have at least ${passwordLength.min} characters`)
  .max(passwordLength.max, `must have at most ${passwordLength.max} characters`)
const Password = z.string().min(1, 'must not be empty').max(passwordLength.max)

/** `new` makes an account, `existing` signs in to one, `me` is whoever is signed in already. */
const Accept = z.discriminatedUnion('as', [
  z.object({
    as: z.literal('new'),
    token: LinkToken,
    name: PersonName,
    email: Email,
    password: NewPassword,
  }),
  z.object({ as: z.literal('existing'), token: LinkToken, email: Email, password: Password }),
  z.object({ as: z.literal('me'), token: LinkToken }),
])
type Accept = z.infer<typeof Accept>

const ChangePassword = z.object({ current: Password, next: NewPassword })

type AccountDoors = {
  store: Store
  auth: Auth
  actor(request: IncomingMessage): Promise<Actor | null>
}

const notForYou = (): Fault =>
  new Fault(
    'forbidden',
    'This invitation is for another e-mail address.',
    'Use the address that it was made for, or ask for a new one.',
    { field: 'email' },
  )

export const accountRoutes = ({ store, auth, actor }: AccountDoors): Route[] => {
  const tries = rateLimit(20, 20)
  const passwords = rateLimit(10, 10)

  /** Who accepts, and what undoes it when the link turns out not to be good. */
  const whoAccepts = async (
    input: Accept,
    request: IncomingMessage,
    boundTo: string | null,
  ): Promise<{ userId: string; undo(): Promise<void> }> => {
    const nothing = async (): Promise<void> => undefined
    if (input.as === 'me') {
      const session = await auth.session(request)
      if (!session) throw notSignedIn()
      const email = boundTo === null ? null : await store.sessions.email(session.sessionId)
      if (boundTo !== null && email?.toLowerCase() !== boundTo.toLowerCase()) throw notForYou()
      return { userId: session.userId, undo: nothing }
    }
    const { email, password } = input
    if (boundTo !== null && email.toLowerCase() !== boundTo.toLowerCase()) throw notForYou()
    if (input.as === 'new') {
      // An address that only its owner could have been given is theirs; one that somebody typed is not yet.
      const { userId } = await auth.createUser({
        ...{ name: input.name, email, password },
        emailVerified: boundTo !== null,
      })
      return { userId, undo: () => auth.removeUser(userId) }
    }
    const known = await auth.check({ email, password })
    if (!known)
      throw new Fault('forbidden', 'The e-mail address or the password is wrong.', 'Type them again.', {
        field: 'password',
      })
    return { userId: known.userId, undo: nothing }
  }

  return [
    {
      method: 'POST',
      pattern: '/api/invites/accept',
      handle: async ({ request, response }) => {
        tries.take(addressOf(request))
        const input = parse(Accept, await readJson(request, 20_000))
        const link = await store.invites.look(input.token)
        if (link?.kind !== 'member') throw inviteFault('unknown')
        // A disabled account is told so before anything else; the link stays unused.
        if (link.state !== 'open' && input.as === 'new') throw inviteFault(link.state)
        const { userId, undo } = await whoAccepts(input, request, link.email)
        try {
          await store.invites.redeem(input.token, userId)
        } catch (error) {
          await undo()
          throw error
        }
        if (input.as !== 'me') response.setHeader('set-cookie', await auth.signIn(input, request))
        sendJson(response, 200, { userId })
      },
    },
    {
      method: 'POST',
      pattern: '/api/account/password',
      handle: async ({ request, response }) => {
        const who = await actor(request)
        assertCan(who, 'account.password', { type: 'team' })
        passwords.take(who.userId)
        const input = parse(ChangePassword, await readJson(request, 20_000))
        const cookies = await auth.changePassword(input, request)
        await store.audit({
          ...{ actorId: who.userId, action: 'account.password' },
          ...{ targetType: 'member', targetId: who.userId },
        })
        response.setHeader('set-cookie', cookies)
        sendJson(response, 200, { changed: true })
      },
    },
  ]
}
