/**
 * Doors on public links: what one will show, making it, who opened it, ending it. Whoever keeps the team sees every link
 * and ends it; the thread behind it stays closed to them.
 */
import { z } from 'zod'
import { Fault } from '../../../protocol/error.ts'
import { PublicLinkId, ThreadId } from '../../../protocol/ids.ts'
import { LinkSettings, type PublicLink } from '../../../protocol/link.ts'
import { makeLink, previewLink } from '../../links/copy.ts'
import { router, teamDoor, threadDoor } from '../base.ts'

const OneThread = z.object({ threadId: ThreadId })
const OneLink = z.object({ linkId: PublicLinkId })
const Page = z.object({
  cursor: PublicLinkId.nullable().default(null),
  limit: z.int().min(1).max(100).default(50),
})

const missing = (): Fault => new Fault('not_found', 'There is no such link.', 'Reload the list.')

const paged = (links: PublicLink[], limit: number) => ({
  links: links.slice(0, limit),
  cursor: links.length > limit ? (links[limit - 1]?.id ?? null) : null,
})

export const linkRouter = router({
  /** Links of one thread, newest first. */
  ofThread: threadDoor('link.read')
    .input(OneThread)
    .query(({ ctx, input }) => ctx.store.links.ofThread(input.threadId)),

  preview: threadDoor('link.create')
    .input(OneThread.extend({ settings: LinkSettings }))
    .mutation(({ ctx, input: { threadId, settings }, signal }) =>
      previewLink(ctx.store, threadId, settings, signal),
    ),

  create: threadDoor('link.create')
    .input(OneThread.extend({ settings: LinkSettings, head: z.int().min(0), digest: z.string().length(64) }))
    .mutation(async ({ ctx, input }) => {
      const { link, token } = await makeLink(ctx.store, input, ctx.actor.userId)
      return { link, path: `/s/${token}` }
    }),

  openings: threadDoor('link.read')
    .input(OneThread.extend({ linkId: PublicLinkId }))
    .query(async ({ ctx, input: { threadId, linkId } }) => {
      const links = await ctx.store.links.ofThread(threadId)
      if (!links.some(({ id }) => id === linkId)) throw missing()
      return ctx.store.links.openings(linkId)
    }),

  revoke: threadDoor('link.revoke')
    .input(OneThread.extend({ linkId: PublicLinkId }))
    .mutation(async ({ ctx, input: { threadId, linkId } }) => {
      const link = await ctx.store.links.revoke(linkId, threadId, ctx.actor.userId)
      if (!link) throw missing()
      return link
    }),

  /** Links that the caller made, on any thread. */
  mine: teamDoor('link.list')
    .input(Page)
    .query(async ({ ctx, input: { cursor, limit } }) =>
      paged(await ctx.store.links.list({ madeBy: ctx.actor.userId, cursor, limit: limit + 1 }), limit),
    ),

  /** Ends a link of one's own, also on a thread that is somebody else's by now. */
  revokeMine: teamDoor('link.own')
    .input(OneLink)
    .mutation(async ({ ctx, input: { linkId } }) => {
      const [own] = (
        await ctx.store.links.list({ madeBy: ctx.actor.userId, cursor: null, limit: 1_000 })
      ).filter(({ id }) => id === linkId)
      const link = own && (await ctx.store.links.revoke(linkId, null, ctx.actor.userId))
      if (!link) throw missing()
      return link
    }),

  /** Every link of the team; titles are the threads' own and stay with those who see them. */
  all: teamDoor('link.all')
    .input(Page)
    .query(async ({ ctx, input: { cursor, limit } }) => {
      const links = await ctx.store.links.list({ madeBy: null, cursor, limit: limit + 1 })
      const mine = ctx.actor.userId
      return paged(
        links.map((link) => (link.createdBy === mine ? link : { ...link, title: '' })),
        limit,
      )
    }),

  openingsOfAny: teamDoor('link.all')
    .input(OneLink)
    .query(({ ctx, input }) => ctx.store.links.openings(input.linkId)),

  /** Ends any link of the team. */
  end: teamDoor('link.end')
    .input(OneLink)
    .mutation(async ({ ctx, input }) => {
      const link = await ctx.store.links.revoke(input.linkId, null, ctx.actor.userId)
      if (!link) throw missing()
      return { ...link, title: link.createdBy === ctx.actor.userId ? link.title : '' }
    }),
})
