/**
 * The frame of every procedure: it names what it does to what, and one middleware asks `assertCan` before it runs and
 * maps errors after it. A procedure without a name for its action does not run: default deny.
 */
import { initTRPC, TRPCError } from '@trpc/server'
import { z } from 'zod'
import { type ErrorCode, Fault, toFact } from '../../protocol/error.ts'
import { ProjectId, ThreadId } from '../../protocol/ids.ts'
import type { ThreadProjection } from '../../protocol/thread.ts'
import { viaId } from '../access/actor.ts'
import { assertCan } from '../access/permission.ts'
import { openThread } from '../access/threads.ts'
import type { Action, Actor, Resource } from '../access/types.ts'
import type { ThreadAccess } from '../store/types.ts'
import type { Context } from './context.ts'

/** What a door does, to which kind of thing. `visitor` marks the few that anybody may call. */
export type DoorMeta = { action: Action; on: 'team' | 'project' | 'thread' | 'pair' } | { action: 'visitor' }

const trpcCode: Partial<Record<ErrorCode, TRPCError['code']>> = {
  bad_input: 'BAD_REQUEST',
  unauthenticated: 'UNAUTHORIZED',
  forbidden: 'FORBIDDEN',
  not_found: 'NOT_FOUND',
  conflict: 'CONFLICT',
  too_large: 'PAYLOAD_TOO_LARGE',
  rate_limited: 'TOO_MANY_REQUESTS',
}

const badInput = (error: z.ZodError): Fault => {
  const issue = error.issues[0]
  const where = issue && issue.path.length > 0 ? `${issue.path.map(String).join('.')}: ` : ''
  return new Fault(
    'bad_input',
    `${where}${issue?.message ?? 'the input is not valid'}`,
    'Correct the input and send it again.',
    { field: issue?.path.map(String).join('.') ?? '' },
  )
}

const faultOf = (error: TRPCError): Fault | null => {
  if (error.cause instanceof Fault) return error.cause
  if (error.cause instanceof z.ZodError) return badInput(error.cause)
  if (error.code === 'NOT_FOUND')
    return new Fault('not_found', 'There is no such procedure.', 'Reload the page.')
  return error.code === 'BAD_REQUEST' || error.code === 'PARSE_ERROR'
    ? new Fault('bad_input', 'The call cannot be read.', 'Reload the page and try again.')
    : null
}

const t = initTRPC
  .context<Context>()
  .meta<DoorMeta>()
  .create({
    errorFormatter: ({ shape, error }) => {
      const fact = (faultOf(error) ?? toFact(null)) as Fault | ReturnType<typeof toFact>
      const plain = fact instanceof Fault ? fact.toFact() : fact
      return { ...shape, message: plain.message, data: { code: shape.data.code, fact: plain } }
    },
  })

export const router = t.router

const threadInput = z.looseObject({ threadId: ThreadId })
const projectInput = z.looseObject({ projectId: ProjectId })

const pairInput = z.looseObject({ a: ThreadId, b: ThreadId })

type Pair = { a: ThreadProjection; b: ThreadProjection }
type Opened = {
  actor: Actor | null
  action: Action | 'visitor'
  thread: ThreadProjection | null
  access?: ThreadAccess
  pair?: Pair
}

/** What came of an action that reads is written down when the thread is somebody else's. */
const opened = async (ctx: Context, actor: Actor | null, action: Action, threadId: string) => {
  const found = await openThread(ctx.store, actor, action, threadId)
  if (actor) await ctx.readings.note(actor, { threadId, ownerId: found.access.ownerId })
  return found
}

const open = async (
  meta: DoorMeta | undefined,
  ctx: Context,
  raw: () => Promise<unknown>,
): Promise<Opened> => {
  if (!meta) throw new Fault('forbidden', 'This door has no rule.', 'Report it: it is a defect.')
  const actor = await ctx.actorNow()
  if (actor) ctx.store.auditedBy({ type: actor.via.type, id: viaId(actor) })
  const { action } = meta
  if (action === 'visitor') return { actor, action, thread: null }
  if (meta.on === 'team' || meta.on === 'project') {
    const resource: Resource =
      meta.on === 'project'
        ? { type: 'project', projectId: projectInput.parse(await raw()).projectId }
        : { type: 'team' }
    assertCan(actor, action, resource)
    return { actor, action, thread: null }
  }
  // Before the input is looked at: a visitor learns nothing of what would be asked.
  if (!actor) assertCan(null, action, { type: 'team' })
  if (meta.on === 'pair') {
    const { a, b } = pairInput.parse(await raw())
    const pair = {
      a: (await opened(ctx, actor, action, a)).thread,
      b: (await opened(ctx, actor, action, b)).thread,
    }
    return { actor, action, thread: null, pair }
  }
  const { threadId } = threadInput.parse(await raw())
  return { actor, action, ...(await opened(ctx, actor, action, threadId)) }
}

/** The error in which a fault leaves a procedure. */
export const toTrpcError = (fault: Fault): TRPCError =>
  new TRPCError({
    code: trpcCode[fault.code] ?? 'INTERNAL_SERVER_ERROR',
    message: fault.message,
    cause: fault,
  })

const guarded = t.procedure.use(({ ctx, meta, getRawInput, next, path }) =>
  ctx.store.audited(async () => {
    try {
      const result = await next({ ctx: await open(meta, ctx, getRawInput) })
      if (
        !result.ok &&
        result.error.code === 'INTERNAL_SERVER_ERROR' &&
        !(result.error.cause instanceof Fault)
      ) {
        ctx.log.error('a procedure failed', { path, error: result.error.cause ?? result.error })
      }
      if (!result.ok && result.error.cause instanceof Fault) throw toTrpcError(result.error.cause)
      return result
    } catch (error) {
      if (error instanceof TRPCError) throw error
      const fault = error instanceof z.ZodError ? badInput(error) : error
      if (fault instanceof Fault) throw toTrpcError(fault)
      ctx.log.error('a door failed', { path, error })
      throw new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: 'internal', cause: fault })
    }
  }),
)

type Known = { actor: Actor }
type OnThread = Known & { thread: ThreadProjection; access: ThreadAccess }
type OnPair = Known & { pair: Pair }

/** A door that anybody may call. */
export const visitorDoor = guarded.meta({ action: 'visitor' })

/** A door on the team or one of its projects. */
export const teamDoor = (action: Action, on: 'team' | 'project' = 'team') =>
  guarded.meta({ action, on }).use(({ ctx, next }) => next({ ctx: ctx as typeof ctx & Known }))

/** A door on one thread, named by `threadId` in the input; `ctx.thread` is its row. */
export const threadDoor = (action: Action) =>
  guarded.meta({ action, on: 'thread' }).use(({ ctx, next }) => next({ ctx: ctx as typeof ctx & OnThread }))

/**
 * What a subscription yields as long as its caller may have it: held against the database each second, it ends with the
 * fault that a new call would get. `make` is given a signal that aborts with it.
 */
export async function* whileAllowed<T>(
  ctx: Pick<Context, 'watch'> & Known & { action: Action | 'visitor'; thread: ThreadProjection | null },
  signal: AbortSignal,
  make: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const ended = new AbortController()
  let why: Fault | null = null
  const { actor, action, thread } = ctx
  const letGo =
    action === 'visitor'
      ? () => undefined
      : ctx.watch.follow({ actor, action, threadId: thread?.id ?? null }, (fault) => {
          why = fault
          ended.abort()
        })
  try {
    for await (const value of make(AbortSignal.any([signal, ended.signal]))) {
      if (why) break
      yield value
    }
    if (why) throw toTrpcError(why)
  } finally {
    letGo()
    ended.abort()
  }
}

/** A door on two threads, named by `a` and `b` in the input: who uses it may do so to both. */
export const pairDoor = (action: Action) =>
  guarded.meta({ action, on: 'pair' }).use(({ ctx, next }) => next({ ctx: ctx as typeof ctx & OnPair }))
