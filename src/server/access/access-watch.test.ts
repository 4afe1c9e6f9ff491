import { afterEach, describe, expect, test } from 'vitest'
import { testActor } from '../../../test/setup/actor.ts'
import type { SharedRole } from '../../protocol/access.ts'
import type { Member, ThreadAudience, TokenUse } from '../store/types.ts'
import { type AccessWatch, createAccessWatch } from './access-watch.ts'
import type { Actor } from './types.ts'

let watch: AccessWatch | undefined
afterEach(() => watch?.stop())

const bob = testActor()
const member: Member = {
  ...{ userId: bob.userId, kind: 'person', name: 'Bob', email: 'bob@example.org', role: 'member' },
  disabled: false,
}

/** A database that a test changes. */
const database = () => {
  const state = {
    sessions: new Map<string, Member>([['s', member]]),
    tokens: new Map<string, TokenUse>([['tok_1', { tokenId: 'tok_1', scopes: ['threads:read'], member }]]),
    members: new Map<string, SharedRole>([[bob.userId, 'driver']]),
    isThere: true,
    isAway: false,
    looks: 0,
  }
  const changed = new Set<(threadId: string) => void>()
  const store = {
    members: { ofSessions: async () => state.sessions },
    tokens: { alive: async () => state.tokens },
    sharing: {
      audiences: async (): Promise<Map<string, ThreadAudience>> => {
        state.looks += 1
        if (state.isAway) throw new Error('away')
        const audience = { ownerId: 'usr_1', teamRole: null, members: new Map(state.members) }
        return new Map(
          state.isThere ? [['thr_1', { threadId: 'thr_1', rootThreadId: 'thr_1', ...audience }]] : [],
        )
      },
    },
    threads: {
      onChange: (listener: (threadId: string) => void) => {
        changed.add(listener)
        return () => changed.delete(listener)
      },
    },
  }
  const tell = (): void => {
    for (const listener of changed) listener('thr_1')
  }
  return { state, store: store as never, tell }
}

const until = async (what: () => boolean): Promise<void> => {
  const end = Date.now() + 60_000
  while (!what()) {
    if (Date.now() > end) throw new Error('it did not happen')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
const start = () => {
  const { state, store, tell } = database()
  const errors: unknown[] = []
  watch = createAccessWatch(store, { intervalMs: 5, onError: (error) => errors.push(error) })
  return { state, errors, tell, watch }
}
const token: Actor = testActor({
  userId: bob.userId,
  via: { type: 'token', tokenId: 'tok_1', scopes: ['threads:read'] },
})

describe('what is open', () => {
  test.each([
    ['the session ended', bob, (state: ReturnType<typeof database>['state']) => state.sessions.clear()],
    ['the token was revoked', token, (state) => state.tokens.clear()],
    [
      'the token lost its scope',
      token,
      (state) => {
        state.tokens.set('tok_1', { tokenId: 'tok_1', scopes: [], member })
      },
    ],
    ['the thread is not shared any more', bob, (state) => state.members.clear()],
    [
      'the thread is gone',
      bob,
      (state) => {
        state.isThere = false
      },
    ],
  ] as [string, Actor, (state: ReturnType<typeof database>['state']) => void][])(
    'ends once when %s',
    async (_what, actor, change) => {
      const { state, watch: made } = start()
      const ends: string[] = []
      made.follow({ actor, action: 'thread.read', threadId: 'thr_1' }, ({ code }) => ends.push(code))
      const { looks } = state
      await until(() => state.looks > looks + 2)
      expect(ends).toEqual([])
      change(state)
      await until(() => ends.length > 0)
      expect(['not_found', 'unauthenticated', 'forbidden']).toContain(ends[0])
    },
  )

  test('a role that became too small ends what needs more; a change is told', async () => {
    const { state, watch: made } = start()
    const ends: string[] = []
    let changes = 0
    made.follow({ actor: bob, action: 'thread.op', threadId: 'thr_1' }, ({ code }) => ends.push(code))
    made.follow(
      { actor: bob, action: 'thread.read', threadId: 'thr_1' },
      ({ code }) => ends.push(code),
      () => {
        changes += 1
      },
    )
    await until(() => changes === 1)
    state.members.set(bob.userId, 'viewer')
    await until(() => changes === 2)
    await until(() => ends.length === 1)
    expect(ends).toEqual(['forbidden'])
  })

  test('a database that is away ends nothing, and is told', async () => {
    const { state, errors, watch: made } = start()
    const ends: string[] = []
    made.follow({ actor: bob, action: 'thread.read', threadId: 'thr_1' }, ({ code }) => ends.push(code))
    state.isAway = true
    await until(() => errors.length > 1)
    state.isAway = false
    state.members.clear()
    await until(() => ends.length === 1)
  })

  test('what a feed asks is remembered for a moment, and forgotten at once when sharing changes', async () => {
    const { store, state, tell } = database()
    watch = createAccessWatch(store, { intervalMs: 3_600_000, onError: () => undefined })
    expect(await watch.role(bob, 'thr_1')).toBe('driver')
    state.members.set(bob.userId, 'viewer')
    expect(await watch.role(bob, 'thr_1')).toBe('driver')
    expect(state.looks).toBe(1)
    tell()
    expect(await watch.role(bob, 'thr_1')).toBe('viewer')
    expect(await watch.role(testActor(), 'thr_1')).toBeNull()
    state.isThere = false
    tell()
    expect(await watch.role(bob, 'thr_1')).toBeNull()
  })
})
