import { describe, expect, test } from 'vitest'
import { testActor } from '../../../test/setup/actor.ts'
import { type ThreadRole, teamRoles, threadRoles, tokenScopes } from '../../protocol/access.ts'
import { actionOf } from './ops.ts'
import { assertCan, can, mayReadThread, roleOn } from './permission.ts'
import { type Rule, rules } from './rules.ts'
import type { Action, Resource } from './types.ts'

const thread = (role: ThreadRole | null): Resource => ({
  type: 'thread',
  threadId: 'thr_1',
  ownerId: 'usr_1',
  role,
})
const team = { type: 'team' } as const
const actions = Object.entries(rules) as [Action, Rule][]

describe('access', () => {
  test('nobody is unauthenticated everywhere', () => {
    for (const [action] of actions)
      for (const resource of [team, thread('owner')])
        expect(() => assertCan(null, action, resource)).toThrow(
          expect.objectContaining({ code: 'unauthenticated' }),
        )
  })

  test('a thread is private: whoever has no role on it is told that there is none, owners of the team too', () => {
    for (const [action, rule] of actions.filter(([, { thread: least }]) => least !== undefined))
      for (const role of teamRoles) {
        expect(can(testActor({ role }), action, thread(null)), `${action} ${rule.thread}`).toBe(false)
        expect(() => assertCan(testActor({ role }), action, thread(null))).toThrow(
          expect.objectContaining({ code: 'not_found' }),
        )
      }
  })

  test.each([
    ['thread.read', ['viewer', 'commenter', 'driver', 'owner']],
    ['review.write', ['commenter', 'driver', 'owner']],
    ['thread.comment', ['commenter', 'driver', 'owner']],
    ['thread.op', ['driver', 'owner']],
    ['thread.fork', ['driver', 'owner']],
    ['thread.write', ['owner']],
    ['thread.share', ['owner']],
    ['thread.delete', ['owner']],
    ['link.create', ['owner']],
  ] as [Action, ThreadRole[]][])('%s takes %j', (action, roles) => {
    expect(threadRoles.filter((role) => can(testActor(), action, thread(role)))).toEqual(roles)
  })

  test('a viewer of the team is never more than a commenter, of an own thread either', () => {
    const viewer = testActor({ role: 'viewer' })
    for (const role of ['commenter', 'driver', 'owner'] as const) {
      expect(roleOn(viewer, { role })).toBe('commenter')
      expect(can(viewer, 'review.write', thread(role))).toBe(true)
      expect(() => assertCan(viewer, 'thread.op', thread(role))).toThrow(
        expect.objectContaining({ code: 'forbidden' }),
      )
    }
    expect(roleOn(viewer, { role: 'viewer' })).toBe('viewer')
    expect(roleOn(viewer, { role: null })).toBeNull()
    expect(can(viewer, 'thread.create', team)).toBe(false)
  })

  test.each([
    'provider.write',
    'member.write',
    'invite.write',
    'audit.read',
    'link.all',
    'usage.team',
  ] as Action[])('%s is for owners and administrators', (action) => {
    expect(teamRoles.filter((role) => can(testActor({ role }), action, team))).toEqual(['owner', 'admin'])
  })

  test('an action that is not in the list is denied, whatever objects inherit', () => {
    for (const action of ['thread.unknown', 'constructor', 'toString', '__proto__'])
      for (const resource of [team, thread('owner')])
        expect(can(testActor({ role: 'owner' }), action as Action, resource)).toBe(false)
  })

  test('an action is denied on another kind of thing', () => {
    expect(can(testActor({ role: 'owner' }), 'thread.read', team)).toBe(false)
    expect(can(testActor({ role: 'owner' }), 'team.read', thread('owner'))).toBe(false)
  })
})

describe('tokens', () => {
  const token = (...scopes: (typeof tokenScopes)[number][]) =>
    testActor({ role: 'owner', via: { type: 'token', tokenId: 'tok_1', scopes } })

  test('a token may what its scopes name and its member may', () => {
    expect(can(token('threads:read'), 'thread.read', thread('viewer'))).toBe(true)
    expect(can(token('threads:write'), 'thread.read', thread('owner'))).toBe(false)
    expect(can(token('threads:read'), 'thread.op', thread('owner'))).toBe(false)
    expect(can({ ...token(...tokenScopes), role: 'viewer' }, 'thread.create', team)).toBe(false)
    expect(can(token(...tokenScopes), 'thread.read', thread(null))).toBe(false)
  })

  test('a scope that is missing is named', () => {
    expect(() => assertCan(token('threads:read'), 'thread.op', thread('owner'))).toThrow(
      expect.objectContaining({ code: 'forbidden', details: { scope: 'threads:write' } }),
    )
  })

  test('no token lets anybody in, raises anybody, or makes another token', () => {
    for (const action of [
      ...['member.write', 'invite.write', 'service.write', 'token.own', 'session.own', 'session.end'],
      ...['account.password', 'provider.rotate', 'provider.own', 'thread.adopt', 'link.end'],
    ] as Action[])
      expect(can(token(...tokenScopes), action, team), action).toBe(false)
  })
})

test('history, search and hints ask the same rule; an agent reads its own tree', () => {
  const row = { threadId: 'thr_2', rootThreadId: 'thr_1', ownerId: 'usr_1' }
  const reader = { type: 'person' as const, actor: testActor() }
  expect(mayReadThread(reader, { ...row, role: 'viewer' })).toBe(true)
  expect(mayReadThread(reader, { ...row, role: null })).toBe(false)
  expect(mayReadThread({ type: 'agent', rootThreadId: 'thr_1' }, { ...row, role: null })).toBe(true)
  expect(mayReadThread({ type: 'agent', rootThreadId: 'thr_9' }, { ...row, role: 'owner' })).toBe(false)
})

test('what opens the sandbox or ends the thread is the owner’s op', () => {
  expect(actionOf({ type: 'thread.redo' })).toBe('thread.op')
  expect(actionOf({ type: 'thread.settings', settings: { effort: null } })).toBe('thread.op')
  expect(actionOf({ type: 'thread.settings', settings: { permission: 'full-access' } })).toBe('thread.write')
  expect(actionOf({ type: 'thread.settings', settings: { egress: 'public' } as never })).toBe('thread.write')
  expect(actionOf({ type: 'egress.allow', host: 'example.org', scope: 'once' })).toBe('thread.write')
  expect(actionOf({ type: 'thread.close' })).toBe('thread.write')
})
