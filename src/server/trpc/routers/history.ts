/**
 * Doors on a thread's past: its windows, its items, search in it and in all threads.
 */
import { z } from 'zod'
import { historyRoles, maxQueryChars, searchModes, searchOrders } from '../../../protocol/history.ts'
import { ItemId, ThreadId, WindowId } from '../../../protocol/ids.ts'
import { router, teamDoor, threadDoor } from '../base.ts'
import { given } from '../given.ts'

const OneThread = z.object({ threadId: ThreadId })

const part = { limit: z.int().min(1).max(100).default(20), cursor: z.string().max(200).optional() }
const page = { ...part, recentFirst: z.boolean().default(true) }
const filter = {
  windowId: WindowId.optional(),
  role: z.enum(historyRoles).optional(),
  tool: z.string().min(1).max(200).optional(),
  status: z.string().min(1).max(50).optional(),
}
const Query = z.object({
  text: z.string().min(1).max(maxQueryChars),
  mode: z.enum(searchModes).default('literal'),
  order: z.enum(searchOrders).default('newest'),
  /** Whether to count what fits, up to a bound. */
  count: z.boolean().default(false),
  ...filter,
  ...part,
})

export const historyRouter = router({
  windows: threadDoor('thread.read')
    .input(OneThread.extend(page))
    .query(({ ctx, input: { threadId, ...query } }) =>
      ctx.worker.historyWindows(ctx.actor, threadId, given(query)),
    ),

  items: threadDoor('thread.read')
    .input(OneThread.extend({ ...filter, ...page, maxChars: z.int().min(1).max(2_000).default(400) }))
    .query(({ ctx, input: { threadId, ...query } }) =>
      ctx.worker.historyItems(ctx.actor, threadId, given(query)),
    ),

  /** A part of an item's whole text; a negative offset counts from the end. */
  item: threadDoor('thread.read')
    .input(
      OneThread.extend({
        itemId: ItemId,
        offsetChars: z.int().min(-1_000_000).max(100_000_000).default(0),
        limitChars: z.int().min(1).max(200_000).default(20_000),
      }),
    )
    .query(({ ctx, input: { threadId, ...wanted } }) => ctx.worker.historyItem(ctx.actor, threadId, wanted)),

  search: threadDoor('thread.read')
    .input(Query.extend({ threadId: ThreadId }))
    .query(({ ctx, input }) => {
      ctx.searches.take(ctx.actor.userId)
      return ctx.worker.search(ctx.actor, given(input))
    }),

  /** In all threads that the caller may read. */
  searchAll: teamDoor('thread.list')
    .input(Query)
    .query(async ({ ctx, input }) => {
      ctx.searches.take(ctx.actor.userId)
      const found = await ctx.worker.search(ctx.actor, given(input))
      // What is quoted of somebody else's thread was read.
      const threadIds = [...new Set(found.entries.map(({ threadId }) => threadId))]
      for (const thread of (await ctx.store.sharing.access(threadIds, ctx.actor.userId)).values())
        await ctx.readings.note(ctx.actor, thread)
      return found
    }),
})
