import { describe, expect, test } from 'vitest'
import { assertCan, can } from './permission.ts'
import type { Action, Actor, Role } from './types.ts'

const actor = (role: Role, userId = 'usr_1'): Actor => ({
  userId,
  role,
  name: role,
  email: 'x@example.org',
  sessionId: 's',
})
const mine = { type: 'thread', threadId: 'thr_1', ownerId: 'usr_1' } as const
const theirs = { type: 'thread', threadId: 'thr_2', ownerId: 'usr_2' } as const
const team = { type: 'team' } as const

describe('access', () => {
  test('nobody is unauthenticated everywhere', () => {
    expect(() => assertCan(null, 'team.read', team)).toThrow(
      expect.objectContaining({ code: 'unauthenticated' }),
    )
  })

  test('a thread is its owner’s alone, even for the team’s owner', () => {
    for (const action of ['thread.read', 'thread.op', 'thread.write', 'thread.delete'] as Action[]) {
      expect(can(actor('member'), action, mine)).toBe(true)
      expect(can(actor('owner'), action, theirs)).toBe(false)
      expect(() => assertCan(actor('owner'), action, theirs)).toThrow(
        expect.objectContaining({ code: 'not_found' }),
      )
    }
  })

  test('a viewer reads and changes nothing', () => {
    expect(can(actor('viewer'), 'thread.read', mine)).toBe(true)
    expect(() => assertCan(actor('viewer'), 'thread.op', mine)).toThrow(
      expect.objectContaining({ code: 'forbidden' }),
    )
    expect(can(actor('viewer'), 'thread.create', team)).toBe(false)
  })

  test('keys are for owners and administrators', () => {
    expect(can(actor('admin'), 'provider.write', team)).toBe(true)
    expect(can(actor('member'), 'provider.write', team)).toBe(false)
  })

  test('an action that is not in the list is denied', () => {
    expect(can(actor('owner'), 'thread.unknown' as Action, mine)).toBe(false)
  })

  test('a thread action on another kind of thing is denied', () => {
    expect(can(actor('owner'), 'thread.read', team)).toBe(false)
  })
})
