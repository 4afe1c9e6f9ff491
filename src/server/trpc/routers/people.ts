/**
 * Doors on the team's people: members, invitations, accounts of scripts. Who may raise whom is decided here once: nobody
 * gives more than they have, and owners are changed by owners alone.
 */
import { z } from 'zod'
import { type TeamRole, teamRoles } from '../../../protocol/access.ts'
import { Fault } from '../../../protocol/error.ts'
import { ApiTokenId, InviteId, UserId } from '../../../protocol/ids.ts'
import { addressOf } from '../../access/address.ts'
import { can } from '../../access/permission.ts'
import type { Actor } from '../../access/types.ts'
import type { Member } from '../../store/types.ts'
import { router, teamDoor, visitorDoor } from '../base.ts'
import type { Context } from '../context.ts'
import { lifeOf, TokenFields } from './account.ts'

const Role = z.enum(teamRoles)
const Name = z.string().trim().min(1, 'must not be empty').max(100)
const OneMember = z.object({ userId: UserId })

const dayMs = 24 * 3_600_000
const maxInviteDays = 30

const assertMayGive = (actor: Actor, role: TeamRole): void => {
  if (teamRoles.indexOf(role) >= teamRoles.indexOf(actor.role)) return
  throw new Fault(
    'forbidden',
    `Your role (${actor.role}) cannot make somebody ${role}.`,
    'Choose a lower role, or ask an owner.',
  )
}

/** Somebody whom the actor may change: an owner is changed by owners alone. */
const changeable = async (ctx: Context & { actor: Actor }, userId: string): Promise<Member> => {
  const member = await ctx.store.members.find(userId)
  if (!member)
    throw new Fault(
      'not_found',
      'There is no such member.',
      'Reload the list; somebody may have removed them.',
    )
  if (member.role === 'owner' && ctx.actor.role !== 'owner')
    throw new Fault('forbidden', 'Only an owner may change an owner.', 'Ask an owner of the team.')
  return member
}

export const memberRouter = router({
  /** Names beside what people did, also of those who left. */
  names: teamDoor('team.read')
    .input(z.object({ ids: z.array(UserId).max(200) }))
    .query(({ ctx, input }) => ctx.store.members.names(input.ids)),

  /** Everybody in the team. When somebody was here last, and whose threads are left, is told to administrators. */
  list: teamDoor('member.list').query(async ({ ctx }) => {
    const members = await ctx.store.members.list()
    const isKeeper = can(ctx.actor, 'audit.read', { type: 'team' })
    return {
      members: isKeeper ? members : members.map((member) => ({ ...member, lastSeenAt: null })),
      gone: isKeeper ? await ctx.store.members.gone() : [],
    }
  }),

  setRole: teamDoor('member.write')
    .input(OneMember.extend({ role: Role }))
    .mutation(async ({ ctx, input }) => {
      await changeable(ctx, input.userId)
      assertMayGive(ctx.actor, input.role)
      return ctx.store.members.setRole(input.userId, input.role, ctx.actor.userId)
    }),

  setDisabled: teamDoor('member.write')
    .input(OneMember.extend({ disabled: z.boolean() }))
    .mutation(async ({ ctx, input }) => {
      await changeable(ctx, input.userId)
      return ctx.store.members.setDisabled(input.userId, input.disabled, ctx.actor.userId)
    }),

  remove: teamDoor('member.write')
    .input(OneMember)
    .mutation(async ({ ctx, input }) => {
      await changeable(ctx, input.userId)
      await ctx.store.members.remove(input.userId, ctx.actor.userId)
      return { userId: input.userId }
    }),

  /** The caller leaves the team. */
  leave: teamDoor('member.leave').mutation(async ({ ctx }) => {
    await ctx.store.members.remove(ctx.actor.userId, ctx.actor.userId)
    return { userId: ctx.actor.userId }
  }),

  /** Ends all sessions of somebody. */
  endSessions: teamDoor('session.end')
    .input(OneMember)
    .mutation(async ({ ctx, input }) => {
      await changeable(ctx, input.userId)
      return { ended: await ctx.store.sessions.endAll(input.userId, null, ctx.actor.userId) }
    }),

  /** Threads of somebody who left or is disabled go to a member, unread by whoever does it. */
  handOverThreads: teamDoor('thread.adopt')
    .input(z.object({ fromUserId: UserId, toUserId: UserId }))
    .mutation(async ({ ctx, input }) => {
      if (await ctx.store.members.get(input.fromUserId))
        throw new Fault(
          'forbidden',
          'Their threads are theirs as long as they are in the team.',
          'Ask them to hand their threads over, or remove or disable them first.',
        )
      return {
        threads: await ctx.store.sharing.handOverAll(input.fromUserId, input.toUserId, ctx.actor.userId),
      }
    }),
})

const Email = z.email('must be an e-mail address').max(254)

export const inviteRouter = router({
  /** What whoever holds a link is told before they accept it. */
  look: visitorDoor.input(z.object({ token: z.string().min(20).max(200) })).query(async ({ ctx, input }) => {
    const found = await ctx.store.invites.look(input.token)
    if (found?.kind !== 'member') {
      ctx.guesses.take(addressOf(ctx.request))
      throw new Fault(
        'not_found',
        'There is no such invitation.',
        'Check that the link was copied whole, or ask for a new one.',
      )
    }
    const { kind: _kind, ...look } = found
    return look
  }),

  list: teamDoor('invite.list').query(({ ctx }) => ctx.store.invites.list()),

  /** `path` is shown once: of its secret nothing is kept that could show it again. */
  create: teamDoor('invite.write')
    .input(
      z.object({
        role: Role,
        email: Email.nullable().default(null),
        days: z.number().min(0.01).max(maxInviteDays).default(7),
      }),
    )
    .mutation(async ({ ctx, input }) => {
      assertMayGive(ctx.actor, input.role)
      const { invite, token } = await ctx.store.invites.create(
        { email: input.email, role: input.role, expiresInMs: Math.round(input.days * dayMs) },
        ctx.actor.userId,
      )
      return { invite, token, path: `/invite?token=${encodeURIComponent(token)}` }
    }),

  revoke: teamDoor('invite.write')
    .input(z.object({ inviteId: InviteId }))
    .mutation(({ ctx, input }) => ctx.store.invites.revoke(input.inviteId, ctx.actor.userId)),
})

/** The account of scripts that an administrator names; anybody else's tokens are their own. */
const serviceOf = async (ctx: Context & { actor: Actor }, userId: string): Promise<Member> => {
  const member = await changeable(ctx, userId)
  if (member.kind !== 'service')
    throw new Fault(
      'forbidden',
      'Tokens of a person are made by that person alone.',
      'Make an account for scripts.',
    )
  assertMayGive(ctx.actor, member.role)
  return member
}

export const serviceRouter = router({
  create: teamDoor('service.write')
    .input(z.object({ name: Name, role: Role.exclude(['owner']) }))
    .mutation(({ ctx, input }) => {
      assertMayGive(ctx.actor, input.role)
      return ctx.store.members.createService(input, ctx.actor.userId)
    }),

  tokens: teamDoor('service.write')
    .input(OneMember)
    .query(async ({ ctx, input }) => {
      await serviceOf(ctx, input.userId)
      return ctx.store.tokens.list(input.userId)
    }),

  createToken: teamDoor('service.write')
    .input(OneMember.extend(TokenFields))
    .mutation(async ({ ctx, input }) => {
      await serviceOf(ctx, input.userId)
      return ctx.store.tokens.create({ ...input, expiresInMs: lifeOf(input.days) }, ctx.actor.userId)
    }),

  revokeToken: teamDoor('service.write')
    .input(OneMember.extend({ tokenId: ApiTokenId }))
    .mutation(async ({ ctx, input }) => {
      await serviceOf(ctx, input.userId)
      return ctx.store.tokens.revoke(input.tokenId, input.userId, ctx.actor.userId)
    }),
})
