/**
 * One decision for every door: may this actor do this to that? Default deny. Knows neither transport nor tables.
 */
import { Fault } from '../../protocol/error.ts'
import type { Action, Actor, Reader, Resource, Role } from './types.ts'

const everyone: readonly Role[] = ['owner', 'admin', 'member', 'viewer']
const workers: readonly Role[] = ['owner', 'admin', 'member']
const keepers: readonly Role[] = ['owner', 'admin']

/** Team-wide rules. An action on a thread asks for the thread's owner on top of the role. */
const rules: Record<Action, { roles: readonly Role[]; ownThread?: boolean }> = {
  'team.read': { roles: everyone },
  'team.settings': { roles: keepers },
  'provider.read': { roles: everyone },
  'provider.write': { roles: keepers },
  'project.read': { roles: everyone },
  'project.create': { roles: workers },
  'project.write': { roles: workers },
  'project.delete': { roles: keepers },
  'thread.list': { roles: everyone },
  'thread.create': { roles: workers },
  'thread.read': { roles: everyone, ownThread: true },
  'thread.op': { roles: workers, ownThread: true },
  'thread.write': { roles: workers, ownThread: true },
  'thread.delete': { roles: workers, ownThread: true },
  'thread.fork': { roles: workers, ownThread: true },
  'rollout.import': { roles: workers },
  'review.list': { roles: everyone },
  'review.read': { roles: everyone, ownThread: true },
  'review.write': { roles: everyone, ownThread: true },
  'label.write': { roles: workers },
}

/** True when the actor may; a thread belongs to its owner alone until sharing says otherwise. */
export const can = (actor: Actor, action: Action, resource: Resource): boolean => {
  const rule = rules[action]
  if (!rule?.roles.includes(actor.role)) return false
  if (rule.ownThread) return resource.type === 'thread' && resource.ownerId === actor.userId
  return true
}

/**
 * The one rule of what history, search and hints may show: asked when it is read, whatever was indexed before. An agent
 * reads its own tree of threads alone, since whoever sees it there sees what it was given.
 */
export const mayReadThread = (
  reader: Reader,
  thread: { threadId: string; rootThreadId: string; ownerId: string },
): boolean =>
  reader.type === 'agent'
    ? thread.rootThreadId === reader.rootThreadId
    : can(reader.actor, 'thread.read', {
        type: 'thread',
        threadId: thread.threadId,
        ownerId: thread.ownerId,
      })

/**
 * Throws `not_found` for a thread that the actor may not even know of, `forbidden` otherwise, `unauthenticated` without
 * an actor.
 */
export function assertCan(actor: Actor | null, action: Action, resource: Resource): asserts actor is Actor {
  if (!actor) throw new Fault('unauthenticated', 'You are not signed in.', 'Sign in and try again.')
  if (can(actor, action, resource)) return
  if (resource.type === 'thread' && !can(actor, 'thread.read', resource)) throw threadNotFound()
  throw new Fault('forbidden', `Your role (${actor.role}) may not do this.`, 'Ask an owner of the team.')
}

/** The same answer for a thread that does not exist and for one that is not yours. */
export const threadNotFound = (): Fault =>
  new Fault(
    'not_found',
    'There is no such thread, or it is not yours.',
    'Check the link, or ask its owner to share it.',
  )
