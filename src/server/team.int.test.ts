/**
 * People through the doors: invitations, members, sessions, passwords, tokens, accounts of scripts.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, openTestTeam, type Person, password, type TestTeam, until } from '../../test/setup/team.ts'
import type { TeamRole } from '../protocol/access.ts'

let team: TestTeam
let admin: Person
let ann: Person

beforeAll(async () => {
  team = await openTestTeam()
  admin = await team.join('admin', 'Alan')
  ann = await team.join('member', 'Ann')
}, 120_000)
afterAll(() => team?.close())

const sql = async (text: string, values: unknown[] = []): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString: team.test.url })
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}
const invite = (role: TeamRole = 'member', email: string | null = null, by: Person = team.owner) =>
  by.api.invite.create.mutate({ role, email })
const accept = (token: string, name: string, more: object = {}) =>
  team.post('/api/invites/accept', {
    ...{ as: 'new', token, name, email: `${name.toLowerCase()}@example.org`, password },
    ...more,
  })
const signIn = (email: string, secret = password, cookie?: string) =>
  team.post('/api/auth/sign-in/email', { email, password: secret }, cookie ? { cookie } : {})

describe('invitations', () => {
  test('a link lets somebody in, once: the second is told that it was used', async () => {
    const { token, path, invite: made } = await invite('viewer')
    expect(path).toBe(`/invite?token=${token}`)
    // At least 128 bits, of which only the hash is kept.
    expect(Buffer.from(token, 'base64url').length).toBeGreaterThanOrEqual(16)
    expect(JSON.stringify(await sql('select * from "Invite"'))).not.toContain(token)
    const visitor = team.tab('')
    expect(await visitor.api.invite.look.query({ token })).toMatchObject({
      ...{ state: 'open', role: 'viewer', invitedBy: 'Ada', email: null },
    })
    const joined = await accept(token, 'Vera')
    expect(joined.status).toBe(200)
    const me = await team.tab(joined.cookie).api.session.me.query()
    expect(me.user).toMatchObject({ name: 'Vera', role: 'viewer' })
    const again = await accept(token, 'Victor')
    expect([again.status, again.body.error?.code, again.body.error?.details?.state]).toEqual([
      ...[409, 'conflict', 'used'],
    ])
    expect(await visitor.api.invite.look.query({ token })).toMatchObject({ state: 'used' })
    expect((await team.owner.api.invite.list.query()).find(({ id }) => id === made.id)).toMatchObject({
      ...{ state: 'used', usedBy: joined.body.userId },
    })
    // Nothing of Victor is left behind.
    expect(await sql(`select 1 from "User" where name = 'Victor'`)).toEqual([])
    visitor.close()
  })

  test('two at once with one link make one member', async () => {
    const { token } = await invite()
    const answers = await Promise.all(['Uma', 'Udo', 'Una'].map((name) => accept(token, name)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect(await sql(`select 1 from "User" where name in ('Uma', 'Udo', 'Una')`)).toHaveLength(1)
  })

  test('one that is expired, revoked or unknown says so', async () => {
    const expired = await invite()
    await sql(`update "Invite" set "expiresAt" = now() - interval '1 second' where id = $1`, [
      expired.invite.id,
    ])
    const revoked = await invite()
    await team.owner.api.invite.revoke.mutate({ inviteId: revoked.invite.id })
    for (const [token, state] of [
      [expired.token, 'expired'],
      [revoked.token, 'revoked'],
      ['x'.repeat(43), 'unknown'],
    ] as const) {
      const { status, body } = await accept(token, 'Late')
      expect([status, body.error?.details?.state]).toEqual([403, state])
      expect(body.error?.next).toBeTruthy()
    }
  })

  test('one for an address is for nobody else', async () => {
    const { token } = await invite('member', 'Walt@Example.org')
    const other = await accept(token, 'Wolf')
    expect([other.status, other.body.error?.details?.field]).toEqual([403, 'email'])
    expect((await accept(token, 'Walt')).status).toBe(200)
  })

  test('an account that there is signs in to accept; a member keeps the link unused', async () => {
    const { token } = await invite()
    const taken = await accept(token, 'Ann')
    expect([taken.status, taken.body.error?.details?.field]).toEqual([409, 'email'])
    const existing = { as: 'existing', email: ann.email }
    expect((await accept(token, 'x', { ...existing, password: 'not the password' })).status).toBe(403)
    const member = await accept(token, 'x', existing)
    expect([member.status, member.body.error?.code]).toEqual([409, 'conflict'])
    expect((await team.post('/api/invites/accept', { as: 'me', token })).status).toBe(401)
    const left = await team.join('member', 'Lena')
    await left.api.member.leave.mutate()
    const back = await accept(token, 'x', { as: 'existing', email: left.email })
    expect(back.status).toBe(200)
    expect((await team.tab(back.cookie).api.session.me.query()).user).toMatchObject({ name: 'Lena' })
  })

  test('a disabled account is told that an invitation does not change that', async () => {
    const dora = await team.join('member', 'Dora')
    await admin.api.member.setDisabled.mutate({ userId: dora.userId, disabled: true })
    const { token } = await invite()
    const { status, body } = await accept(token, 'x', { as: 'existing', email: dora.email })
    expect([status, body.error?.code]).toEqual([403, 'forbidden'])
    expect(body.error?.next).toContain('enable')
    expect((await team.tab('').api.invite.look.query({ token })).state).toBe('open')
    const refused = await signIn(dora.email)
    expect([refused.status, refused.body.code]).toEqual([403, 'account_disabled'])
  })

  test('nobody invites somebody to more than they are, and members invite nobody', async () => {
    expect(await codeOf(invite('owner', null, admin))).toBe('forbidden')
    expect(await codeOf(invite('admin', null, admin))).toBe('ok')
    expect(await codeOf(invite('viewer', null, ann))).toBe('forbidden')
  })

  test('SEC-43 guesses of links and tokens are slowed down', async () => {
    // All at once: however slow a machine is, a bucket has no time to fill.
    const atOnce = <T>(times: number, call: (guess: number) => Promise<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: times }, (_, guess) => call(guess)))
    const visitor = team.tab('')
    const looks = await atOnce(150, (guess) =>
      codeOf(visitor.api.invite.look.query({ token: `${guess}`.padStart(43, 'x') })),
    )
    expect(new Set(looks)).toEqual(new Set(['not_found', 'rate_limited']))
    const headers = { authorization: `Bearer bat_${'x'.repeat(43)}`, 'x-forwarded-for': '10.9.9.9' }
    const calls = await atOnce(150, async () => (await team.call('/api/reviews/export', { headers })).status)
    expect(new Set(calls)).toEqual(new Set([401, 429]))
    const signIns = new Set<number>()
    for (let guess = 0; guess < 20 && !signIns.has(429); guess += 1)
      signIns.add(
        (
          await team.post(
            '/api/auth/sign-in/email',
            { email: ann.email, password: `wrong password ${guess}` },
            { headers: { 'x-forwarded-for': '10.9.9.8' } },
          )
        ).status,
      )
    expect([...signIns]).toEqual([401, 429])
    const searched = await atOnce(200, (again) =>
      codeOf(ann.api.history.searchAll.query({ text: `word ${again}` })),
    )
    expect(new Set(searched)).toEqual(new Set(['ok', 'rate_limited']))
    // Somebody else at another address is not held up by that.
    expect(await codeOf(admin.api.history.searchAll.query({ text: 'word' }))).toBe('ok')
    expect((await signIn(ann.email)).status).toBe(200)
    visitor.close()
  })
})

describe('members', () => {
  test('the last owner can neither leave, nor be made less, disabled or removed', async () => {
    const { userId } = team.owner
    const { api } = team.owner
    for (const call of [
      () => api.member.leave.mutate(),
      () => api.member.setRole.mutate({ userId, role: 'member' }),
      () => api.member.setDisabled.mutate({ userId, disabled: true }),
      () => api.member.remove.mutate({ userId }),
    ])
      expect(await codeOf(call())).toBe('conflict')
    const second = await team.join('owner', 'Olga')
    // Both at once: one stays.
    const codes = await Promise.all([
      codeOf(second.api.member.setRole.mutate({ userId, role: 'admin' })),
      codeOf(api.member.setRole.mutate({ userId: second.userId, role: 'admin' })),
    ])
    expect(codes.filter((code) => code === 'ok')).toHaveLength(1)
    const owners = (await admin.api.member.list.query()).members.filter(({ role }) => role === 'owner')
    expect(owners).toHaveLength(1)
    const [left] = owners
    if (left?.userId !== userId) await second.api.member.setRole.mutate({ userId, role: 'owner' })
    await api.member.remove.mutate({ userId: second.userId })
  })

  test('an owner is changed by owners alone', async () => {
    const { userId } = team.owner
    expect(await codeOf(admin.api.member.setRole.mutate({ userId, role: 'member' }))).toBe('forbidden')
    expect(await codeOf(admin.api.member.setDisabled.mutate({ userId, disabled: true }))).toBe('forbidden')
    expect(await codeOf(admin.api.member.endSessions.mutate({ userId }))).toBe('forbidden')
    const { userId: annId } = ann
    expect(await codeOf(admin.api.member.setRole.mutate({ userId: annId, role: 'owner' }))).toBe('forbidden')
  })

  test('who is disabled or removed is out at once, and their threads are handed on unread', async () => {
    const greg = await team.join('member', 'Greg')
    const tab = greg.tab()
    const { id: projectId } = await greg.api.project.create.mutate({ name: 'Of Greg' })
    const { id: threadId } = await greg.api.thread.create.mutate({ projectId, title: 'Of Greg' })
    expect((await tab.api.session.me.query()).user?.name).toBe('Greg')
    const early = { fromUserId: greg.userId, toUserId: ann.userId }
    expect(await codeOf(admin.api.member.handOverThreads.mutate(early))).toBe('forbidden')
    await admin.api.member.remove.mutate({ userId: greg.userId })
    await until(() => tab.closes.includes(4_401))
    expect((await team.call('/api/reviews/export', { cookie: greg.cookie })).status).toBe(401)
    const { gone } = await admin.api.member.list.query()
    expect(gone).toContainEqual({ userId: greg.userId, name: 'Greg', threads: 1 })
    expect(await codeOf(admin.api.thread.get.query({ threadId }))).toBe('not_found')
    expect(await admin.api.member.handOverThreads.mutate(early)).toEqual({ threads: 1 })
    expect((await ann.api.thread.get.query({ threadId })).role).toBe('owner')
    expect(await codeOf(admin.api.thread.get.query({ threadId }))).toBe('not_found')
    expect(await ann.api.member.names.query({ ids: [greg.userId] })).toEqual([
      { id: greg.userId, name: 'Greg', kind: 'person' },
    ])
  })

  test('a member sees who is in the team, and not when they were here last', async () => {
    const { members, gone } = await ann.api.member.list.query()
    expect(members.map(({ name }) => name)).toContain('Ada')
    expect(members.every(({ lastSeenAt }) => lastSeenAt === null)).toBe(true)
    expect(gone).toEqual([])
    expect((await admin.api.member.list.query()).members.some(({ lastSeenAt }) => lastSeenAt !== null)).toBe(
      true,
    )
  })
})

describe('sessions and passwords', () => {
  test('SEC-42 cookies are bounded, unreadable for scripts and of this site; signing in anew makes a new session', async () => {
    const first = await signIn(ann.email)
    const second = await signIn(ann.email, password, first.cookie)
    for (const header of second.headers.getSetCookie().filter((each) => each.includes('session_token'))) {
      expect(header).toMatch(/HttpOnly/i)
      expect(header).toMatch(/SameSite=(Lax|Strict)/i)
      expect(Number(/Max-Age=(\d+)/i.exec(header)?.[1])).toBeLessThanOrEqual(30 * 24 * 3_600)
    }
    expect(second.cookie).not.toBe(first.cookie)
    // The one that was replaced is worth nothing.
    await until(async () => (await team.call('/api/reviews/export', { cookie: first.cookie })).status === 401)
    expect((await team.call('/api/reviews/export', { cookie: second.cookie })).status).toBe(200)
  })

  test('SEC-42 behind https cookies are for https alone', async () => {
    const safe = await openTestTeam({ publicUrl: 'https://baton.example.org' })
    const answer = await safe.post('/api/auth/sign-in/email', { email: safe.owner.email, password })
    const cookies = answer.headers.getSetCookie()
    expect(cookies.length).toBeGreaterThan(0)
    for (const cookie of cookies) expect(cookie).toMatch(/^__Secure-.*; ?Secure/i)
    await safe.close()
  })

  test('SEC-42 sessions are listed without secrets, and ended one by one, all, or by an administrator', async () => {
    const hal = await team.join('member', 'Hal')
    const others = [await signIn(hal.email), await signIn(hal.email)]
    const sessions = await hal.api.session.list.query()
    expect(sessions).toHaveLength(3)
    expect(sessions.filter(({ current }) => current)).toHaveLength(1)
    const tokens = (await sql('select token from "Session"')) as { token: string }[]
    for (const { token } of tokens) expect(JSON.stringify(sessions)).not.toContain(token)
    expect(await codeOf(ann.api.session.end.mutate({ sessionId: sessions[0]?.id ?? '' }))).toBe('not_found')
    expect(await hal.api.session.endOthers.mutate()).toEqual({ ended: 2 })
    for (const { cookie } of others)
      expect((await team.call('/api/reviews/export', { cookie })).status).toBe(401)
    const tab = hal.tab()
    await tab.api.session.me.query()
    expect(await admin.api.member.endSessions.mutate({ userId: hal.userId })).toEqual({ ended: 1 })
    await until(() => tab.closes.includes(4_401))
    expect(await codeOf(ann.api.member.endSessions.mutate({ userId: hal.userId }))).toBe('forbidden')
  })

  test('who signed in is in the audit log', async () => {
    const kim = await team.join('member', 'Kim')
    await signIn(kim.email)
    const { rows } = await admin.api.audit.list.query({ action: 'session', targetId: kim.userId })
    expect(rows.map(({ action }) => action)).toEqual(['session.start', 'session.start'])
  })

  test('SEC-42 a password is changed by who knows it, and everybody else is out', async () => {
    const ida = await team.join('member', 'Ida')
    const elsewhere = await signIn(ida.email)
    const change = (current: string, next: string) =>
      team.post('/api/account/password', { current, next }, { cookie: ida.cookie })
    expect((await change('a wrong password', 'another good one')).body.error?.details?.field).toBe('current')
    expect((await change(password, 'short')).status).toBe(400)
    const changed = await change(password, 'another good one')
    expect(changed.status).toBe(200)
    for (const cookie of [elsewhere.cookie, ida.cookie])
      expect((await team.call('/api/reviews/export', { cookie })).status).toBe(401)
    expect((await team.call('/api/reviews/export', { cookie: changed.cookie })).status).toBe(200)
    expect((await signIn(ida.email)).status).toBe(401)
    expect((await signIn(ida.email, 'another good one')).status).toBe(200)
    const { rows } = await admin.api.audit.list.query({ action: 'account.password', actorId: ida.userId })
    expect(rows).toHaveLength(1)
  })

  test('of the library’s own paths only signing in and out is there', async () => {
    for (const path of [
      ...[
        'get-session',
        'list-sessions',
        'revoke-session',
        'update-user',
        'change-password',
        'change-email',
        'delete-user',
      ],
      ...[
        'sign-up/email',
        'sign-in/social',
        'callback/oidc',
        'request-password-reset',
        'list-accounts',
        'ok',
      ],
    ]) {
      const answer = await team.post(`/api/auth/${path}`, {}, { cookie: ann.cookie })
      expect([path, answer.status]).toEqual([path, 404])
      expect([path, (await team.call(`/api/auth/${path}`, { cookie: ann.cookie })).status]).toEqual([
        path,
        404,
      ])
    }
  })
})

describe('tokens', () => {
  const bearer = (secret: string, path = '/api/reviews/export', init: object = {}) =>
    team.call(path, { from: null, ...init, headers: { authorization: `Bearer ${secret}` } })

  test('a token is shown once, kept as a hash, does what its scopes say, and is nobody’s once revoked', async () => {
    const { secret, token } = await ann.api.token.create.mutate({
      ...{ name: 'CI', scopes: ['threads:read'], days: 30 },
    })
    expect(secret).toMatch(/^bat_[\w-]{43}$/)
    expect(JSON.stringify(await sql('select * from "ApiToken"'))).not.toContain(secret)
    const listed = JSON.stringify(await ann.api.token.list.query())
    expect(listed).toContain(token.id)
    expect(listed).not.toContain(secret)
    expect((await bearer(secret)).status).toBe(200)
    const { id: projectId } = await ann.api.project.create.mutate({ name: 'Of Ann' })
    const refused = await bearer(secret, `/api/projects/${projectId}/upload`, { method: 'POST', body: 'x' })
    expect([refused.status, refused.body.error?.details?.scope]).toEqual([403, 'projects:write'])
    expect((await bearer(secret, '/api/account/password', { method: 'POST', body: '{}' })).status).toBe(403)
    await until(async () => (await ann.api.token.list.query())[0]?.lastUsedAt !== null)
    expect(await codeOf(admin.api.token.revoke.mutate({ tokenId: token.id }))).toBe('not_found')
    await ann.api.token.revoke.mutate({ tokenId: token.id })
    expect((await bearer(secret)).status).toBe(401)
  })

  test('a token with a cookie is the token alone; a broken header is nobody', async () => {
    const { secret } = await ann.api.token.create.mutate({ name: 'x', scopes: ['usage:read'], days: null })
    expect((await bearer(secret, '/api/reviews/export', { cookie: ann.cookie })).status).toBe(403)
    const broken = { cookie: ann.cookie, headers: { authorization: 'Basic eDp5' } }
    expect((await team.call('/api/reviews/export', broken)).status).toBe(401)
  })

  test('a token expires, and dies with its member', async () => {
    const joe = await team.join('member', 'Joe')
    const make = () => joe.api.token.create.mutate({ name: 'x', scopes: ['threads:read'], days: 1 })
    const [expiring, dying] = [await make(), await make()]
    await sql(`update "ApiToken" set "expiresAt" = now() - interval '1 second' where id = $1`, [
      expiring.token.id,
    ])
    expect((await bearer(expiring.secret)).status).toBe(401)
    expect((await bearer(dying.secret)).status).toBe(200)
    await admin.api.member.setDisabled.mutate({ userId: joe.userId, disabled: true })
    expect((await bearer(dying.secret)).status).toBe(401)
    await admin.api.member.setDisabled.mutate({ userId: joe.userId, disabled: false })
    expect((await bearer(dying.secret)).status).toBe(200)
    await admin.api.member.remove.mutate({ userId: joe.userId })
    expect((await bearer(dying.secret)).status).toBe(401)
  })

  test('an account of scripts has tokens alone, made by administrators', async () => {
    expect(await codeOf(ann.api.service.create.mutate({ name: 'Bot', role: 'member' }))).toBe('forbidden')
    const bot = await admin.api.service.create.mutate({ name: 'Bot', role: 'member' })
    expect(bot).toMatchObject({ kind: 'service', email: '' })
    const { userId } = bot
    const made = await admin.api.service.createToken.mutate({
      ...{ userId, name: 'nightly', scopes: ['threads:read'], days: null },
    })
    expect((await bearer(made.secret)).status).toBe(200)
    expect((await signIn(`${userId}@service.invalid`)).status).toBe(401)
    const forPerson = { userId: ann.userId, name: 'x', scopes: ['threads:read' as const], days: 1 }
    expect(await codeOf(admin.api.service.createToken.mutate(forPerson))).toBe('forbidden')
    expect(await codeOf(admin.api.service.tokens.query({ userId: ann.userId }))).toBe('forbidden')
    expect(await admin.api.service.tokens.query({ userId })).toHaveLength(1)
    await admin.api.service.revokeToken.mutate({ userId, tokenId: made.token.id })
    expect((await bearer(made.secret)).status).toBe(401)
    const { rows } = await admin.api.audit.list.query({ targetType: 'token', targetId: made.token.id })
    expect(rows.map(({ action }) => action)).toEqual(['token.revoke', 'token.create'])
  })

  test('what a token does is written down as done by it', async () => {
    const { secret, token } = await team.owner.api.token.create.mutate({
      ...{ name: 'x', scopes: ['threads:read'], days: 1 },
    })
    const { id: projectId } = await team.owner.api.project.create.mutate({ name: 'Exported' })
    const { id: threadId } = await team.owner.api.thread.create.mutate({ projectId, title: 'x' })
    const { status } = await bearer(secret, `/t/${threadId}/export?format=markdown&redact=secrets`)
    expect(status).toBe(200)
    const { rows } = await team.owner.api.audit.list.query({ action: 'thread.export', targetId: threadId })
    expect(rows[0]?.via).toEqual({ type: 'token', id: token.id })
  })
})
