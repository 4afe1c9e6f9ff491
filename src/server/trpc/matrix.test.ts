/**
 * Every procedure against every kind of caller. A door that this test does not know, or that names no rule, fails it.
 * What is expected stands here by hand, not by the table that the doors ask.
 */
import { callTRPCProcedure, TRPCError } from '@trpc/server'
import { describe, expect, test } from 'vitest'
import { testActor } from '../../../test/setup/actor.ts'
import { isAtLeast, type ThreadRole } from '../../protocol/access.ts'
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import { createAccessWatch } from '../access/access-watch.ts'
import { rateLimit } from '../access/rate-limit.ts'
import type { Actor } from '../access/types.ts'
import { createLog } from '../log.ts'
import { createPresence } from '../runtime/presence.ts'
import type { DoorMeta } from './base.ts'
import type { Context, Services } from './context.ts'
import { appRouter } from './router.ts'

const projectId = newId('prj')
const threadId = newId('thr')
const othersThread = newId('thr')

/** Somebody, and what the database says they are on the thread. */
type Caller = { actor: Actor | null; on: ThreadRole | null }
const person = (on: ThreadRole | null, known: Partial<Actor> = {}): Caller => ({
  actor: testActor(known),
  on,
})

/** In the order of the columns below. */
const callers: Record<string, Caller> = {
  anonymous: { actor: null, on: null },
  'another member': person(null),
  viewer: person('viewer'),
  commenter: person('commenter'),
  driver: person('driver'),
  owner: person('owner'),
  'the team’s owner': person(null, { role: 'owner' }),
  administrator: person(null, { role: 'admin' }),
  'a viewer of the team who was made a driver': person('driver', { role: 'viewer' }),
  'the owner’s token that may read threads': person('owner', {
    via: { type: 'token', tokenId: newId('tok'), scopes: ['threads:read'] },
  }),
  // What the doors see of a token that was revoked and of somebody who was disabled.
  'a revoked token': { actor: null, on: 'owner' },
  'a disabled user': { actor: null, on: 'owner' },
}

/** Who may: one letter for each caller above. */
const may = {
  anybody: 'yyyyyyyyyyyy',
  /** Whoever is a member, by whatever token. */
  everyone: '-yyyyyyyyy--',
  /** …but not by this token. */
  signedIn: '-yyyyyyyy---',
  reader: '-yyyyyyyyy--',
  worker: '-yyyyyyy----',
  keeper: '------yy----',
  'thread viewer': '--yyyy--yy--',
  'thread viewer, signed in': '--yyyy--y---',
  'thread commenter': '---yyy--y---',
  'thread driver': '----yy------',
  /** …and by this token, which may read. */
  'thread driver, reading': '----yy---y--',
  'thread owner': '-----y------',
} as const

const expected: Record<string, keyof typeof may> = {
  'session.me': 'anybody',
  'thread.list': 'reader',
  'thread.listChanges': 'reader',
  'thread.create': 'worker',
  'thread.get': 'thread viewer',
  'thread.page': 'thread viewer',
  'thread.live': 'thread viewer',
  'thread.submit': 'thread driver',
  'thread.queue': 'thread viewer',
  'thread.drafts': 'thread viewer',
  'thread.windows': 'thread viewer',
  'thread.windowBlocks': 'thread viewer',
  'thread.rename': 'thread owner',
  'thread.pin': 'thread owner',
  'thread.archive': 'thread owner',
  'thread.delete': 'thread owner',
  'thread.commandOutput': 'thread viewer',
  'thread.diff': 'thread viewer',
  'note.list': 'thread viewer',
  'note.read': 'thread viewer',
  'note.versions': 'thread viewer',
  'history.windows': 'thread viewer',
  'history.items': 'thread viewer',
  'history.item': 'thread viewer',
  'history.search': 'thread viewer',
  'history.searchAll': 'reader',
  'rollout.skeleton': 'thread viewer',
  'rollout.rows': 'thread viewer',
  'rollout.locate': 'thread viewer',
  'rollout.step': 'thread viewer',
  'rollout.blocks': 'thread viewer',
  'rollout.block': 'thread viewer',
  'rollout.difference': 'thread viewer',
  'rollout.handOver': 'thread viewer',
  'rollout.picture': 'thread viewer',
  'rollout.list': 'reader',
  'export.preview': 'thread viewer',
  'link.ofThread': 'thread driver, reading',
  'link.preview': 'thread owner',
  'link.create': 'thread owner',
  'link.openings': 'thread driver, reading',
  'link.revoke': 'thread owner',
  'link.mine': 'reader',
  'link.revokeMine': 'signedIn',
  'link.all': 'keeper',
  'link.openingsOfAny': 'keeper',
  'link.end': 'keeper',
  'compare.get': 'thread viewer',
  'compare.lines': 'thread viewer',
  'compare.detail': 'thread viewer',
  'compare.windows': 'thread viewer',
  'import.state': 'worker',
  'import.list': 'worker',
  'import.cancel': 'worker',
  'review.summary': 'thread viewer',
  'review.comments': 'thread viewer',
  'review.commentChanges': 'thread viewer',
  'review.comment': 'thread commenter',
  'review.edit': 'thread commenter',
  'review.remove': 'thread commenter',
  'review.resolve': 'thread commenter',
  'review.judge': 'thread commenter',
  'review.history': 'thread viewer',
  'review.label': 'thread commenter',
  'review.queue': 'reader',
  'review.reviewedTurns': 'reader',
  'review.listChanges': 'reader',
  'label.list': 'reader',
  'label.create': 'worker',
  'label.change': 'worker',
  'provider.list': 'signedIn',
  'provider.save': 'keeper',
  'provider.delete': 'keeper',
  'provider.test': 'keeper',
  'provider.catalogue': 'signedIn',
  'project.list': 'signedIn',
  'project.create': 'worker',
  'project.update': 'worker',
  'project.delete': 'keeper',
  'session.list': 'signedIn',
  'session.end': 'signedIn',
  'session.endOthers': 'signedIn',
  'token.list': 'signedIn',
  'token.create': 'signedIn',
  'token.revoke': 'signedIn',
  'audit.list': 'keeper',
  'member.names': 'everyone',
  'member.list': 'signedIn',
  'member.setRole': 'keeper',
  'member.setDisabled': 'keeper',
  'member.remove': 'keeper',
  'member.leave': 'signedIn',
  'member.endSessions': 'keeper',
  'member.handOverThreads': 'keeper',
  'invite.look': 'anybody',
  'invite.list': 'keeper',
  'invite.create': 'keeper',
  'invite.revoke': 'keeper',
  'service.create': 'keeper',
  'service.tokens': 'keeper',
  'service.createToken': 'keeper',
  'service.revokeToken': 'keeper',
  'sharing.get': 'thread viewer',
  'sharing.share': 'thread owner',
  'sharing.shareWithTeam': 'thread owner',
  'sharing.handOver': 'thread owner',
  'sharing.leave': 'thread viewer, signed in',
  'sharing.live': 'thread viewer',
  'sharing.typing': 'thread viewer',
  'server.health': 'everyone',
}

const procedures = appRouter._def.procedures as unknown as Record<
  string,
  { _def: { meta?: DoorMeta; type: string } }
>

const reached = new Error('reached')
/** Anything below the door: touching it means that the door let the caller in. */
const below = <T extends object>(known: Partial<T>): T =>
  new Proxy(known, {
    get: (target, name) => {
      if (name in target) return target[name as keyof T]
      return () => {
        throw reached
      }
    },
  }) as T

const context = ({ actor, on }: Caller): Context => {
  const access = async (ids: string[]) =>
    new Map(
      ids.map((id) => [
        id,
        { threadId: id, rootThreadId: id, ownerId: newId('usr'), role: id === threadId ? on : null },
      ]),
    )
  const services: Services = {
    store: below<Services['store']>({
      audited: (work) => work(),
      auditedBy: () => undefined,
      threads: below<Services['store']['threads']>({
        get: (async (id: string) => ({ id, head: 1 })) as never,
        onChange: () => () => undefined,
      }),
      sharing: below<Services['store']['sharing']>({ access: access as never }),
      members: below<Services['store']['members']>({ count: async () => 1 }),
      ...Object.fromEntries(
        (
          [
            'providers',
            'projects',
            'reviews',
            'rollouts',
            'invites',
            'sessions',
            'tokens',
            'auditLog',
          ] as const
        ).map((room) => [room, below({})]),
      ),
    }),
    worker: below<Services['worker']>({}),
    imports: below<Services['imports']>({}),
    models: below<Services['models']>({}),
    version: 'test',
    log: createLog('error', () => undefined),
  }
  const watch = createAccessWatch(services.store, { intervalMs: 3_600_000, onError: () => undefined })
  watch.stop()
  return {
    ...services,
    watch,
    readings: { note: async () => undefined },
    guesses: rateLimit(1_000, 1_000),
    searches: rateLimit(1_000, 1_000),
    oidc: null,
    sessionId: actor ? 's' : null,
    actorNow: async () => actor,
    presence: createPresence(),
    buffered: () => 0,
    request: { headers: {}, socket: {} } as never,
  }
}

/** Whether the door let the caller in; what happens behind it does not matter here. */
const letsIn = async (path: string, caller: Caller, input: object = {}): Promise<boolean> => {
  const abort = new AbortController()
  try {
    const result = await callTRPCProcedure({
      router: appRouter,
      path,
      getRawInput: async () => ({ threadId, projectId, a: threadId, b: threadId, ...input }),
      ctx: context(caller),
      type: procedures[path]?._def.type as 'query',
      signal: abort.signal,
      batchIndex: 0,
    })
    if (result && typeof result === 'object' && Symbol.asyncIterator in result) {
      await (result as AsyncIterable<unknown>)[Symbol.asyncIterator]().next()
    }
    return true
  } catch (error) {
    if (error === reached) return true
    if (!(error instanceof TRPCError)) throw error
    const fault = error.cause
    return !(fault instanceof Fault && ['unauthenticated', 'forbidden', 'not_found'].includes(fault.code))
  } finally {
    abort.abort()
  }
}

const owner = callers.owner ?? person('owner')

describe('SEC-38 every procedure against every caller', () => {
  test('each door is known here and names its rule', () => {
    expect(Object.keys(procedures).sort()).toEqual(Object.keys(expected).sort())
    for (const procedure of Object.values(procedures))
      expect(procedure._def.meta?.action).toBeTypeOf('string')
  })

  test(`${Object.keys(expected).length} procedures × ${Object.keys(callers).length} callers`, async () => {
    const wrong: string[] = []
    let asked = 0
    for (const [path, who] of Object.entries(expected)) {
      const answers = await Promise.all(Object.values(callers).map((caller) => letsIn(path, caller)))
      asked += answers.length
      const got = answers.map((answer) => (answer ? 'y' : '-')).join('')
      if (got !== may[who]) wrong.push(`${path}: ${got} in place of ${may[who]} (${who})`)
    }
    expect(wrong).toEqual([])
    expect(asked).toBe(Object.keys(expected).length * Object.keys(callers).length)
  })

  test('SEC-40 whoever compares needs both threads', async () => {
    for (const path of Object.keys(expected).filter((name) => name.startsWith('compare.'))) {
      expect(await letsIn(path, owner, { b: othersThread })).toBe(false)
      expect(await letsIn(path, owner, { a: othersThread })).toBe(false)
      expect(await letsIn(path, owner)).toBe(true)
    }
  })

  test('SEC-40 a new thread from another one needs that one too', async () => {
    const from = (fromThreadId: string) => ({ projectId, fromThreadId })
    expect(await letsIn('thread.create', owner, from(othersThread))).toBe(false)
    expect(await letsIn('thread.create', callers.viewer ?? owner, from(threadId))).toBe(false)
    expect(await letsIn('thread.create', owner, from(threadId))).toBe(true)
  })

  test('an op that opens the sandbox, or ends the thread, is the owner’s', async () => {
    const ops = [
      { type: 'egress.allow', host: 'example.org', scope: 'once' },
      { type: 'thread.close' },
      { type: 'thread.settings', settings: { permission: 'full-access' } },
    ]
    for (const op of ops)
      for (const caller of Object.values(callers))
        expect(await letsIn('thread.submit', caller, { clientId: newId('op'), op })).toBe(
          caller.actor?.via.type === 'session' &&
            caller.actor.role !== 'viewer' &&
            isAtLeast(caller.on, 'owner'),
        )
  })
})
