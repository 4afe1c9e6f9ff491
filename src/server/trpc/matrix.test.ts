/**
 * Every door against every kind of caller. A door that this test does not know, or that names no rule, fails it.
 */
import { callTRPCProcedure, TRPCError } from '@trpc/server'
import { describe, expect, test } from 'vitest'
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import type { Actor, Role } from '../access/types.ts'
import { createLog } from '../log.ts'
import type { DoorMeta } from './base.ts'
import type { Context, Services } from './context.ts'
import { appRouter } from './router.ts'

const projectId = newId('prj')
const threadId = newId('thr')
const othersThread = newId('thr')
const people: Record<string, { role: Role; userId: string } | null> = {
  anonymous: null,
  'the thread’s owner': { role: 'member', userId: newId('usr') },
  'another member': { role: 'member', userId: newId('usr') },
  'the team’s owner': { role: 'owner', userId: newId('usr') },
  'an administrator': { role: 'admin', userId: newId('usr') },
  'a viewer': { role: 'viewer', userId: newId('usr') },
}
const threadOwner = people['the thread’s owner']?.userId ?? ''

/** Who may, in order of `people`: anonymous, thread's owner, member, team owner, admin, viewer. */
const expected: Record<string, string> = {
  'session.me': 'yyyyyy',
  'thread.list': '-yyyyy',
  'thread.listChanges': '-yyyyy',
  'thread.create': '-yyyy-',
  'thread.get': '-y----',
  'thread.page': '-y----',
  'thread.live': '-y----',
  'thread.submit': '-y----',
  'thread.queue': '-y----',
  'thread.drafts': '-y----',
  'thread.windows': '-y----',
  'thread.windowBlocks': '-y----',
  'thread.rename': '-y----',
  'thread.pin': '-y----',
  'thread.archive': '-y----',
  'thread.delete': '-y----',
  'thread.commandOutput': '-y----',
  'thread.diff': '-y----',
  'note.list': '-y----',
  'note.read': '-y----',
  'note.versions': '-y----',
  'history.windows': '-y----',
  'history.items': '-y----',
  'history.item': '-y----',
  'history.search': '-y----',
  'history.searchAll': '-yyyyy',
  'rollout.skeleton': '-y----',
  'rollout.rows': '-y----',
  'rollout.locate': '-y----',
  'rollout.step': '-y----',
  'rollout.blocks': '-y----',
  'rollout.block': '-y----',
  'rollout.difference': '-y----',
  'rollout.handOver': '-y----',
  'rollout.picture': '-y----',
  'rollout.list': '-yyyyy',
  'export.preview': '-y----',
  'compare.get': '-y----',
  'compare.lines': '-y----',
  'compare.detail': '-y----',
  'compare.windows': '-y----',
  'import.state': '-yyyy-',
  'import.list': '-yyyy-',
  'import.cancel': '-yyyy-',
  'review.summary': '-y----',
  'review.comments': '-y----',
  'review.commentChanges': '-y----',
  'review.comment': '-y----',
  'review.edit': '-y----',
  'review.remove': '-y----',
  'review.resolve': '-y----',
  'review.judge': '-y----',
  'review.history': '-y----',
  'review.label': '-y----',
  'review.queue': '-yyyyy',
  'review.reviewedTurns': '-yyyyy',
  'review.listChanges': '-yyyyy',
  'label.list': '-yyyyy',
  'label.create': '-yyyy-',
  'label.change': '-yyyy-',
  'provider.list': '-yyyyy',
  'provider.save': '---yy-',
  'provider.delete': '---yy-',
  'provider.test': '---yy-',
  'provider.catalogue': '-yyyyy',
  'project.list': '-yyyyy',
  'project.create': '-yyyy-',
  'project.update': '-yyyy-',
  'project.delete': '---yy-',
  'member.names': '-yyyyy',
  'server.health': '-yyyyy',
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

const context = (who: { role: Role; userId: string } | null): Context => {
  const actor: Actor | null = who && { ...who, name: 'n', email: 'e@example.org', sessionId: 's' }
  const thread = (id: string) => ({ id, ownerId: id === othersThread ? newId('usr') : threadOwner, head: 1 })
  const services: Services = {
    store: below<Services['store']>({
      threads: below<Services['store']['threads']>({ get: (async (id: string) => thread(id)) as never }),
      members: below<Services['store']['members']>({ count: async () => 1 }),
      providers: below<Services['store']['providers']>({}),
      projects: below<Services['store']['projects']>({}),
      reviews: below<Services['store']['reviews']>({}),
    }),
    worker: below<Services['worker']>({}),
    imports: below<Services['imports']>({}),
    models: below<Services['models']>({}),
    version: 'test',
    log: createLog('error', () => undefined),
  }
  return {
    ...services,
    sessionId: actor ? 's' : null,
    actor: async () => actor,
    buffered: () => 0,
    request: {} as never,
  }
}

/** Whether the door let the caller in; what happens behind it does not matter here. */
const letsIn = async (
  path: string,
  who: { role: Role; userId: string } | null,
  input: object = {},
): Promise<boolean> => {
  const abort = new AbortController()
  try {
    const result = await callTRPCProcedure({
      router: appRouter,
      path,
      getRawInput: async () => ({ threadId, projectId, a: threadId, b: threadId, ...input }),
      ctx: context(who),
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

describe('SEC-40 every procedure against every caller', () => {
  test('each door is known here and names its rule', () => {
    expect(Object.keys(procedures).sort()).toEqual(Object.keys(expected).sort())
    for (const procedure of Object.values(procedures))
      expect(procedure._def.meta?.action).toBeTypeOf('string')
  })

  test.each(Object.entries(expected))('%s: %s', async (path, allowed) => {
    const answers = await Promise.all(Object.values(people).map((who) => letsIn(path, who)))
    expect(answers.map((answer) => (answer ? 'y' : '-')).join('')).toBe(allowed)
  })

  test.each(Object.keys(expected).filter((path) => path.startsWith('compare.')))(
    '%s needs both threads',
    async (path) => {
      const mine = people['the thread’s owner'] ?? null
      expect(await letsIn(path, mine, { b: othersThread })).toBe(false)
      expect(await letsIn(path, mine, { a: othersThread })).toBe(false)
      expect(await letsIn(path, mine)).toBe(true)
    },
  )

  test('a member whose session ended is nobody', async () => {
    expect(await letsIn('thread.get', null)).toBe(false)
  })
})
