/**
 * Doors on threads: lists, the log by pages, live delivery, ops.
 */
import { tracked } from '@trpc/server'
import { z } from 'zod'
import { Fault } from '../../../protocol/error.ts'
import { CommandId, ProjectId, ThreadId, WindowId } from '../../../protocol/ids.ts'
import { OpRequest } from '../../../protocol/op.ts'
import { ThreadSettings } from '../../../protocol/settings.ts'
import type { LiveMessage } from '../../../protocol/thread.ts'
import { actionOf } from '../../access/ops.ts'
import { assertCan, roleOn } from '../../access/permission.ts'
import { openThread } from '../../access/threads.ts'
import { router, teamDoor, threadDoor, whileAllowed } from '../base.ts'
import { drained } from '../drained.ts'
import { given } from '../given.ts'

const OneThread = z.object({ threadId: ThreadId })
const Title = z.string().trim().min(1).max(200)
const TreeId = z.string().regex(/^[0-9a-f]{40,64}$/, 'must be the id of a tree')
const FilePath = z.string().min(1).max(4_096)
const Seq = z.int().min(0)

export const threadRouter = router({
  list: teamDoor('thread.list')
    .input(
      z.object({
        projectId: ProjectId.optional(),
        search: z.string().max(200).optional(),
        archived: z.boolean().optional(),
        limit: z.int().min(1).max(500).default(200),
      }),
    )
    .query(async ({ ctx, input }) => {
      const { actor } = ctx
      const threads = await ctx.store.threads.list({ ...given(input), visibleTo: actor.userId })
      const shared = threads.filter(({ ownerId }) => ownerId !== actor.userId).map(({ id }) => id)
      const access = shared.length === 0 ? [] : await ctx.store.sharing.access(shared, actor.userId)
      // What the caller is on those that are somebody else's.
      const roles = Object.fromEntries([...access].map(([id, each]) => [id, roleOn(actor, each)]))
      return { threads, roles }
    }),

  listChanges: teamDoor('thread.list').subscription(async function* ({ ctx, signal }) {
    if (!signal) return
    const { actor } = ctx
    // What the lists show when this begins: of it the end is told, too.
    const known = await ctx.store.threads.list({ limit: 500, visibleTo: actor.userId })
    const shown = new Set(known.map(({ id }) => id))
    for await (const change of whileAllowed(ctx, signal, (ending) => ctx.worker.subscribeList(ending))) {
      const threadId = change.type === 'removed' ? change.threadId : change.projection.id
      const isTheirs =
        change.type === 'upsert' &&
        (change.projection.ownerId === actor.userId || (await ctx.watch.role(actor, threadId)) !== null)
      if (isTheirs) shown.add(threadId)
      // One that was deleted, handed over, or is not shared any more.
      else if (!shown.delete(threadId)) continue
      yield isTheirs ? change : { type: 'removed' as const, threadId }
      await drained(ctx, signal)
    }
  }),

  create: teamDoor('thread.create')
    .input(
      z.object({
        projectId: ProjectId,
        title: Title.optional(),
        settings: ThreadSettings.partial().default({}),
        fromThreadId: ThreadId.optional(),
      }),
    )
    .mutation(async ({ ctx, input }) => {
      if (input.fromThreadId) {
        const { access } = await openThread(ctx.store, ctx.actor, 'thread.fork', input.fromThreadId)
        await ctx.readings.note(ctx.actor, access)
      }
      return ctx.worker.createThread({ ...given(input), actorId: ctx.actor.userId })
    }),

  get: threadDoor('thread.read')
    .input(OneThread)
    .query(({ ctx }) => ({ ...ctx.thread, role: roleOn(ctx.actor, ctx.access) })),

  page: threadDoor('thread.read')
    .input(OneThread.extend({ before: Seq.nullable(), limit: z.int().min(1).max(1_000).default(300) }))
    .query(({ ctx, input }) => ctx.worker.page(input.threadId, input.before, input.limit)),

  live: threadDoor('thread.read')
    .input(
      OneThread.extend({
        after: Seq,
        lastEventId: z
          .string()
          .regex(/^\d{1,15}$/)
          .nullish(),
      }),
    )
    .subscription(async function* ({ ctx, input, signal }) {
      if (!signal) return
      const after = Math.max(input.after, Number(input.lastEventId ?? 0))
      const messages = whileAllowed(ctx, signal, (ending) =>
        ctx.worker.subscribe(input.threadId, after, ending),
      )
      for await (const message of messages) {
        const last = message.type === 'events' ? message.events.at(-1)?.seq : undefined
        if (last === undefined) yield message
        else yield tracked(String(last), message as LiveMessage)
        await drained(ctx, signal)
      }
    }),

  submit: threadDoor('thread.op')
    .input(OpRequest)
    .mutation(({ ctx, input }) => {
      assertCan(ctx.actor, actionOf(input.op), { type: 'thread', ...ctx.access })
      return ctx.worker.submit(input, ctx.actor.userId)
    }),

  queue: threadDoor('thread.read')
    .input(OneThread)
    .query(({ ctx, input }) => ctx.worker.queue(input.threadId)),

  drafts: threadDoor('thread.read')
    .input(OneThread)
    .query(({ ctx, input }) => ctx.worker.drafts(input.threadId)),

  windows: threadDoor('thread.read')
    .input(OneThread.extend({ windowId: WindowId.nullable().default(null), after: Seq.default(0) }))
    .query(({ ctx, input: { threadId, ...wanted } }) => ctx.worker.windows(threadId, wanted)),

  windowBlocks: threadDoor('thread.read')
    .input(
      OneThread.extend({
        windowId: WindowId,
        from: Seq.default(0),
        limit: z.int().min(1).max(1_000).default(500),
      }),
    )
    .query(({ ctx, input }) =>
      ctx.worker.windowBlocks(input.threadId, input.windowId, input.from, input.limit),
    ),

  rename: threadDoor('thread.write')
    .input(OneThread.extend({ title: Title }))
    .mutation(({ ctx, input }) => ctx.store.threads.rename(input.threadId, input.title, ctx.actor.userId)),

  pin: threadDoor('thread.write')
    .input(OneThread.extend({ pinned: z.boolean() }))
    .mutation(({ ctx, input }) => ctx.store.threads.pin(input.threadId, input.pinned, ctx.actor.userId)),

  archive: threadDoor('thread.write')
    .input(OneThread.extend({ archived: z.boolean() }))
    .mutation(({ ctx, input }) =>
      ctx.store.threads.archive(input.threadId, input.archived, ctx.actor.userId),
    ),

  delete: threadDoor('thread.delete')
    .input(OneThread)
    .mutation(async ({ ctx, input }) => {
      await ctx.worker.deleteThread(input.threadId, ctx.actor.userId)
      return { threadId: input.threadId }
    }),

  commandOutput: threadDoor('thread.read')
    .input(
      OneThread.extend({
        commandId: CommandId,
        from: Seq,
        limit: z.int().min(1).max(500_000).default(256_000),
      }),
    )
    .query(async ({ ctx, input }) => {
      const { bytes, ...rest } = await ctx.worker.commandOutput(
        input.threadId,
        input.commandId,
        input.from,
        input.limit,
      )
      return { base64: Buffer.from(bytes).toString('base64'), ...rest }
    }),

  diff: threadDoor('thread.read')
    .input(OneThread.extend({ from: TreeId, to: TreeId, path: FilePath.optional() }))
    .query(async ({ ctx, input }) => {
      const diff = await ctx.worker.diff(input.threadId, input.from, input.to, input.path)
      // One answer stays under a megabyte on the wire; a larger difference is asked for file by file.
      if (diff.length > 900_000) {
        throw new Fault(
          'too_large',
          'This difference is larger than 900,000 characters.',
          'Open it file by file.',
        )
      }
      return { diff }
    }),
})
