/**
 * Doors on one's own account: who one is, open sign-ins, tokens; and on the audit log.
 */
import { z } from 'zod'
import { AuditQuery, TokenScope, tokenScopes } from '../../../protocol/access.ts'
import { ApiTokenId } from '../../../protocol/ids.ts'
import { router, teamDoor, visitorDoor } from '../base.ts'
import { given } from '../given.ts'

const dayMs = 24 * 3_600_000

/** A token's name, what it may do, and for how many days (null = until it is revoked). */
export const TokenFields = {
  name: z.string().trim().min(1, 'must not be empty').max(100),
  scopes: z
    .array(TokenScope)
    .min(1, 'must have at least one')
    .max(tokenScopes.length)
    .transform((scopes) => [...new Set(scopes)]),
  days: z.number().min(0.01).max(3_650).nullable(),
}

/** By the database's clock, which also says when it is over. */
export const lifeOf = (days: number | null): number | null =>
  days === null ? null : Math.round(days * dayMs)

export const sessionRouter = router({
  /** Who the caller is. `guest`: signed in, and no member of the team (any more). */
  me: visitorDoor.query(async ({ ctx }) => {
    const { actor } = ctx
    return {
      user: actor ? { id: actor.userId, name: actor.name, email: actor.email, role: actor.role } : null,
      guest: actor || ctx.sessionId === null ? null : await ctx.store.sessions.email(ctx.sessionId),
      setupNeeded: (await ctx.store.members.count()) === 0,
      oidc: ctx.oidc,
      version: ctx.version,
    }
  }),

  list: teamDoor('session.own').query(async ({ ctx }) =>
    (await ctx.store.sessions.list(ctx.actor.userId)).map((session) => ({
      ...session,
      current: session.id === ctx.sessionId,
    })),
  ),

  end: teamDoor('session.own')
    .input(z.object({ sessionId: z.string().min(1).max(100) }))
    .mutation(async ({ ctx, input }) => {
      await ctx.store.sessions.end(input.sessionId, ctx.actor.userId, ctx.actor.userId)
      return { sessionId: input.sessionId }
    }),

  /** All but this one. */
  endOthers: teamDoor('session.own').mutation(async ({ ctx }) => ({
    ended: await ctx.store.sessions.endAll(ctx.actor.userId, ctx.sessionId, ctx.actor.userId),
  })),
})

export const tokenRouter = router({
  list: teamDoor('token.own').query(({ ctx }) => ctx.store.tokens.list(ctx.actor.userId)),

  /** `secret` is shown once: of it nothing is kept that could show it again. */
  create: teamDoor('token.own')
    .input(z.object(TokenFields))
    .mutation(({ ctx, input: { name, scopes, days } }) =>
      ctx.store.tokens.create(
        { userId: ctx.actor.userId, name, scopes, expiresInMs: lifeOf(days) },
        ctx.actor.userId,
      ),
    ),

  revoke: teamDoor('token.own')
    .input(z.object({ tokenId: ApiTokenId }))
    .mutation(({ ctx, input }) => ctx.store.tokens.revoke(input.tokenId, ctx.actor.userId, ctx.actor.userId)),
})

export const auditRouter = router({
  /** Newest first. */
  list: teamDoor('audit.read')
    .input(AuditQuery)
    .query(({ ctx, input }) => ctx.store.auditLog.list(given(input))),
})
