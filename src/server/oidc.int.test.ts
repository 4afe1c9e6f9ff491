/**
 * Sign-in by the company's provider, over real HTTP, with a real provider of OpenID Connect.
 */
import { afterEach, describe, expect, test } from 'vitest'
import { startTestOidc, type TestOidc } from '../../test/setup/oidc.ts'
import { openTestTeam, password, type TestTeam } from '../../test/setup/team.ts'
import type { OidcOptions } from './auth/types.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

const start = async (change: Partial<OidcOptions> = {}): Promise<{ oidc: TestOidc; team: TestTeam }> => {
  const oidc = await startTestOidc()
  open.push(oidc)
  const { issuer, clientId, clientSecret } = oidc
  const team = await openTestTeam({
    oidc: {
      ...{ issuer, clientId, clientSecret, name: 'Company', role: null, domains: [], trustEmail: false },
      ...change,
    },
  })
  open.push(team)
  return { oidc, team }
}

/** From the button to where the browser ends up. */
const come = async (
  { oidc, team }: { oidc: TestOidc; team: TestTeam },
  person: string,
  callbackURL = '/',
) => {
  const begun = await team.post('/api/auth/sign-in/social', {
    ...{ provider: 'oidc', callbackURL, errorCallbackURL: '/login' },
  })
  expect(begun.body.url).toBeTypeOf('string')
  const asked = new URL(String(begun.body.url))
  expect(Object.fromEntries(asked.searchParams)).toMatchObject({
    ...{ response_type: 'code', code_challenge_method: 'S256', nonce: expect.any(String) },
    state: expect.any(String),
  })
  const back = new URL(await oidc.signIn(asked.href, person))
  const answer = await team.call(`${back.pathname}${back.search}`, { cookie: begun.cookie, from: null })
  return {
    back,
    cookie: answer.cookie,
    to: answer.headers.get('location') ?? `${answer.status} ${JSON.stringify(answer.body)}`,
  }
}
const who = async (team: TestTeam, cookie: string) => {
  const tab = team.tab(cookie)
  const me = await tab.api.session.me.query()
  tab.close()
  return me
}

describe('sign-in by the company’s provider', () => {
  test('the page where people sign in offers it', async () => {
    const { team } = await start()
    expect((await who(team, '')).oidc).toEqual({ name: 'Company' })
  })

  test('an invited person comes by it and accepts; the next time they are simply in', async () => {
    const both = await start()
    const { team } = both
    const stranger = await come(both, 'nina')
    expect(stranger.to).toMatch(/\/$/)
    expect(await who(team, stranger.cookie)).toMatchObject({ user: null, guest: 'nina@example.org' })
    expect((await team.call('/api/reviews/export', { cookie: stranger.cookie })).status).toBe(401)
    const { token } = await team.owner.api.invite.create.mutate({ role: 'member', email: 'nina@example.org' })
    const accepted = await team.post('/api/invites/accept', { as: 'me', token }, { cookie: stranger.cookie })
    expect(accepted.status).toBe(200)
    const again = await come(both, 'nina')
    expect((await who(team, again.cookie)).user).toMatchObject({
      ...{ name: 'nina of the company', role: 'member' },
    })
    // An invitation for one address is not for whoever else the provider knows.
    const other = await team.owner.api.invite.create.mutate({ role: 'admin', email: 'olaf@example.org' })
    const pia = await come(both, 'pia')
    const { status } = await team.post(
      '/api/invites/accept',
      { as: 'me', token: other.token },
      { cookie: pia.cookie },
    )
    expect(status).toBe(403)
  })

  test('with a role for newcomers they are members at once; who was removed does not come back by it', async () => {
    const both = await start({ role: 'viewer' })
    const { team } = both
    const quin = await come(both, 'quin')
    const me = await who(team, quin.cookie)
    expect(me.user).toMatchObject({ role: 'viewer' })
    await team.owner.api.member.remove.mutate({ userId: me.user?.id ?? '' })
    const back = await come(both, 'quin')
    expect((await who(team, back.cookie)).user).toBeNull()
  })

  test('an unverified address, and one of another domain, do not come in', async () => {
    const both = await start({ role: 'member', domains: ['company.example'] })
    expect((await come(both, 'rosa')).to).toContain('error=email_domain_not_allowed')
    const open = await start({ role: 'member' })
    open.oidc.unverified.add('sven')
    const sven = await come(open, 'sven')
    expect(sven.to).toContain('error=email_not_verified')
    expect((await who(open.team, sven.cookie)).user).toBeNull()
  })

  test('an account with a password is found by an address that both sides vouch for, and by no other', async () => {
    const both = await start()
    const { team } = both
    const owner = await come(both, 'ada')
    expect((await who(team, owner.cookie)).user).toMatchObject({ name: 'Ada', role: 'owner' })
    // Somebody who typed another person's address when they accepted a link has not got theirs.
    const { token } = await team.owner.api.invite.create.mutate({ role: 'member' })
    const squat = { as: 'new', token, name: 'Mallory', email: 'tess@example.org', password }
    expect((await team.post('/api/invites/accept', squat)).status).toBe(200)
    const tess = await come(both, 'tess')
    expect(tess.to).toContain('error=account_not_linked')
    expect((await who(team, tess.cookie)).user).toBeNull()
  })

  test('a disabled member is told so', async () => {
    const both = await start({ role: 'member' })
    const { team } = both
    const me = await who(team, (await come(both, 'uwe')).cookie)
    await team.owner.api.member.setDisabled.mutate({ userId: me.user?.id ?? '', disabled: true })
    const refused = await come(both, 'uwe')
    expect(refused.to).toContain('/login')
    expect(refused.to).toContain('error=account_disabled')
    expect((await who(team, refused.cookie)).user).toBeNull()
  })

  test('an answer that was not asked for, or is played twice, signs nobody in', async () => {
    const both = await start({ role: 'member' })
    const { team } = both
    const vic = await come(both, 'vic')
    const path = `${vic.back.pathname}${vic.back.search}`
    for (const cookie of ['', vic.cookie]) {
      const again = await team.call(path, { cookie, from: null })
      expect(again.headers.get('location')).toContain('error=')
      expect(again.cookie).not.toContain('session_token')
    }
  })

  test('SEC-47 nothing of the provider’s tokens is kept, and no picture that somebody’s browser would fetch', async () => {
    const both = await start({ role: 'member' })
    await come(both, 'wim')
    const { default: pg } = await import('pg')
    const client = new pg.Client({ connectionString: both.team.test.url })
    await client.connect()
    const { rows } = await client.query(
      `select "accessToken", "refreshToken", "idToken" from "Account" where "providerId" = 'oidc'`,
    )
    const pictures = await client.query(`select 1 from "User" where image is not null`)
    await client.end()
    expect(pictures.rows).toEqual([])
    expect(rows).toEqual([{ accessToken: null, refreshToken: null, idToken: null }])
  })
})
