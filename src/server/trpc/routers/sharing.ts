/**
 * Doors on who sees a thread, and who is there. A sub-agent's thread follows its root: what is said of the one is said of
 * the other.
 */
import { z } from 'zod'
import { SharedRole, type ThreadPeopleChange, type ThreadSharing } from '../../../protocol/access.ts'
import { ThreadId, UserId } from '../../../protocol/ids.ts'
import { roleOn, threadNotFound } from '../../access/permission.ts'
import type { Actor } from '../../access/types.ts'
import type { ThreadAccess } from '../../store/types.ts'
import { router, threadDoor, whileAllowed } from '../base.ts'
import type { Context } from '../context.ts'
import { drained } from '../drained.ts'

const OneThread = z.object({ threadId: ThreadId })

type On = Context & { actor: Actor; access: ThreadAccess }

const sharingOf = async (ctx: Context, actor: Actor, threadId: string): Promise<ThreadSharing> => {
  const [audiences, people] = await Promise.all([
    ctx.store.sharing.audiences([threadId]),
    ctx.store.sharing.people(threadId),
  ])
  const access = (await ctx.store.sharing.access([threadId], actor.userId)).get(threadId)
  const role = access ? roleOn(actor, access) : null
  if (!access || role === null) throw threadNotFound()
  return {
    ...{ threadId, ownerId: access.ownerId, people, role },
    teamRole: audiences.get(threadId)?.teamRole ?? null,
  }
}

/** What the caller is shown after a change of theirs; null when they do not see the thread any more. */
const after = async (ctx: On): Promise<ThreadSharing | null> => {
  const { rootThreadId } = ctx.access
  const now = (await ctx.store.sharing.access([rootThreadId], ctx.actor.userId)).get(rootThreadId)
  return now && roleOn(ctx.actor, now) !== null ? sharingOf(ctx, ctx.actor, rootThreadId) : null
}

/** Sharing and presence of a thread, now and at each change. */
async function* peopleOf(ctx: On, signal: AbortSignal): AsyncGenerator<ThreadPeopleChange> {
  const { rootThreadId } = ctx.access
  let isSharing = true
  let last = ''
  let isPresence = true
  let wake: (() => void) | null = null
  const told = (): void => wake?.()
  const changedSharing = (): void => {
    isSharing = true
    told()
  }
  const stops = [
    ctx.presence.onChange(rootThreadId, () => {
      isPresence = true
      told()
    }),
    ctx.store.threads.onChange((threadId) => {
      if (threadId === rootThreadId) changedSharing()
    }),
    ctx.watch.follow(
      { actor: ctx.actor, action: 'thread.read', threadId: rootThreadId },
      () => undefined,
      changedSharing,
    ),
    ctx.presence.enter(rootThreadId, ctx.actor),
  ]
  signal.addEventListener('abort', told, { once: true })
  try {
    while (!signal.aborted) {
      if (isSharing) {
        isSharing = false
        const actor = await ctx.actorNow()
        if (!actor) return
        const sharing = await sharingOf(ctx, actor, rootThreadId)
        const said = JSON.stringify(sharing)
        if (said !== last) yield { type: 'sharing', sharing }
        last = said
      } else if (isPresence) {
        isPresence = false
        yield { type: 'presence', people: ctx.presence.list(rootThreadId) }
      } else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    signal.removeEventListener('abort', told)
    for (const stop of stops) stop()
  }
}

export const sharingRouter = router({
  get: threadDoor('thread.read')
    .input(OneThread)
    .query(({ ctx }) => sharingOf(ctx, ctx.actor, ctx.access.rootThreadId)),

  /** A member as viewer, commenter or driver; null takes the thread away. */
  share: threadDoor('thread.share')
    .input(OneThread.extend({ userId: UserId, role: SharedRole.nullable() }))
    .mutation(async ({ ctx, input }) => {
      await ctx.store.sharing.share(ctx.access.rootThreadId, input.userId, input.role, ctx.actor.userId)
      return after(ctx)
    }),

  /** Every member of the team; null takes it away. */
  shareWithTeam: threadDoor('thread.share')
    .input(OneThread.extend({ role: SharedRole.nullable() }))
    .mutation(async ({ ctx, input }) => {
      await ctx.store.sharing.shareWithTeam(ctx.access.rootThreadId, input.role, ctx.actor.userId)
      return after(ctx)
    }),

  /** Another member becomes the owner; the caller stays as `keep`, or leaves the thread. */
  handOver: threadDoor('thread.share')
    .input(OneThread.extend({ toUserId: UserId, keep: SharedRole.nullable().default('driver') }))
    .mutation(async ({ ctx, input }) => {
      const { rootThreadId } = ctx.access
      await ctx.store.sharing.handOver(rootThreadId, input.toUserId, input.keep, ctx.actor.userId)
      return after(ctx)
    }),

  /** The caller does not want to see it any more; what the team is given stays. */
  leave: threadDoor('thread.leave')
    .input(OneThread)
    .mutation(async ({ ctx }) => {
      const { actor, access } = ctx
      await ctx.store.sharing.share(access.rootThreadId, actor.userId, null, actor.userId)
      return after(ctx)
    }),

  /** Whoever has this open is shown to the others as being there. */
  live: threadDoor('thread.read')
    .input(OneThread)
    .subscription(async function* ({ ctx, signal }) {
      if (!signal) return
      for await (const change of whileAllowed(ctx, signal, (ending) => peopleOf(ctx, ending))) {
        yield change
        await drained(ctx, signal)
      }
    }),

  /** The caller writes, or stopped; it lapses after some seconds. */
  typing: threadDoor('thread.read')
    .input(OneThread.extend({ typing: z.boolean() }))
    .mutation(({ ctx, input }) => {
      ctx.presence.typing(ctx.access.rootThreadId, ctx.actor.userId, input.typing)
      return null
    }),
})
