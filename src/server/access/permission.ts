/**
 * One decision for every door: may this actor do this to that? Default deny. Knows neither transport nor tables; who may
 * what stands in `rules.ts`.
 */
import { isAtLeast, type ThreadRole } from '../../protocol/access.ts'
import { Fault } from '../../protocol/error.ts'
import { type Rule, rules } from './rules.ts'
import type { Action, Actor, Reader, Resource, ThreadResource } from './types.ts'

/** What an actor is on a thread: a viewer of the team is never more than a commenter, whatever was given. */
export const roleOn = (actor: Actor, { role }: Pick<ThreadResource, 'role'>): ThreadRole | null =>
  actor.role === 'viewer' && isAtLeast(role, 'commenter') ? 'commenter' : role

const ruleOf = (action: Action): Rule | undefined =>
  Object.hasOwn(rules, action) ? (rules[action] as Rule) : undefined

/** Whether the token, if one is used, was made for this. */
const inScope = ({ via }: Actor, { scope }: Rule): boolean =>
  via.type === 'session' || scope === 'any' || (scope !== null && via.scopes.includes(scope))

const mayByRole = (actor: Actor, rule: Rule, resource: Resource): boolean => {
  if (!rule.team.includes(actor.role)) return false
  if (rule.thread === undefined) return resource.type !== 'thread'
  return resource.type === 'thread' && isAtLeast(roleOn(actor, resource), rule.thread)
}

/** True when the actor may. */
export const can = (actor: Actor, action: Action, resource: Resource): boolean => {
  const rule = ruleOf(action)
  return rule !== undefined && inScope(actor, rule) && mayByRole(actor, rule, resource)
}

/** A thread as a row with the reader's role on it. */
type ReadThread = { threadId: string; rootThreadId: string; ownerId: string; role: ThreadRole | null }

/**
 * The one rule of what history, search and hints may show: asked when it is read, whatever was indexed before. An agent
 * reads its own tree of threads alone, since whoever sees it there sees what it was given.
 */
export const mayReadThread = (reader: Reader, thread: ReadThread): boolean =>
  reader.type === 'agent'
    ? thread.rootThreadId === reader.rootThreadId
    : can(reader.actor, 'thread.read', { type: 'thread', ...thread })

/**
 * Throws `not_found` for a thread that the actor may not even know of, `forbidden` otherwise, `unauthenticated` without
 * an actor.
 */
export function assertCan(actor: Actor | null, action: Action, resource: Resource): asserts actor is Actor {
  if (!actor) throw notSignedIn()
  if (can(actor, action, resource)) return
  if (resource.type === 'thread' && roleOn(actor, resource) === null) throw threadNotFound()
  const rule = ruleOf(action)
  if (rule && !inScope(actor, rule))
    throw new Fault(
      'forbidden',
      rule.scope === null || rule.scope === 'any'
        ? 'No token may do this.'
        : `This token lacks the scope ${rule.scope}.`,
      rule.scope === null || rule.scope === 'any'
        ? 'Sign in and do it in the browser.'
        : 'Make a token that has it, or use another one.',
      rule.scope === null || rule.scope === 'any' ? undefined : { scope: rule.scope },
    )
  if (resource.type === 'thread' && rule?.team.includes(actor.role))
    throw new Fault(
      'forbidden',
      `Your role on this thread (${roleOn(actor, resource)}) may not do this.`,
      'Ask the thread’s owner for a higher one.',
    )
  throw new Fault('forbidden', `Your role (${actor.role}) may not do this.`, 'Ask an owner of the team.')
}

export const notSignedIn = (): Fault =>
  new Fault('unauthenticated', 'You are not signed in.', 'Sign in and try again.')

/** The same answer for a thread that does not exist and for one that is not yours. */
export const threadNotFound = (): Fault =>
  new Fault(
    'not_found',
    'There is no such thread, or it is not yours.',
    'Check the link, or ask its owner to share it.',
  )
