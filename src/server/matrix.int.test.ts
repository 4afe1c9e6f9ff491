/**
 * Every HTTP route and page against every kind of caller, on a real server. A door that this test does not know fails it;
 * procedures and subscriptions are in the matrix beside them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seedRollout } from '../../test/bench/parts/seed-rollout.ts'
import { loggedThread, said } from '../../test/setup/logged-thread.ts'
import { openTestTeam, type Person, password, type TestTeam } from '../../test/setup/team.ts'
import { newId } from '../protocol/ids.ts'

let team: TestTeam
let projectId: string
let threadId: string
let hash: string
let owner: Person
let stepId: string
let publicPath: string
/** Headers by which each caller comes, in the order of the letters below. */
const callers = new Map<string, Record<string, string>>()

const names = [
  ...['anonymous', 'another member', 'viewer', 'commenter', 'driver', 'owner', 'the team’s owner'],
  ...['administrator', 'a viewer of the team who was made a driver', 'a token that may read threads'],
  ...['a revoked token', 'a disabled user'],
]

const may = {
  anybody: 'yyyyyyyyyyyy',
  member: '-yyyyyyyyy--',
  'signed in': '-yyyyyyyy---',
  worker: '-yyyyyyy----',
  'thread viewer': '--yyyy--yy--',
  'thread driver': '----yy------',
} as const

type Door = { who: keyof typeof may; path: () => string; init?: () => RequestInit }
const json = (value: unknown): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json' },
})
const link = 'x'.repeat(43)

/** By hand, as those who use the doors would say it. */
const doors: Record<string, Door> = {
  'GET /api/health': { who: 'anybody', path: () => '/api/health' },
  'ANY /api/auth/*': { who: 'anybody', path: () => '/api/auth/error' },
  // Nobody has such a link: what matters is that the door asks for it and nothing else.
  'POST /api/setup': {
    who: 'anybody',
    path: () => '/api/setup',
    init: () => json({ token: link, name: '', email: '', password: '' }),
  },
  'POST /api/invites/accept': {
    who: 'anybody',
    path: () => '/api/invites/accept',
    init: () => json({ as: 'new', token: link, name: '', email: '', password: '' }),
  },
  'POST /api/account/password': {
    who: 'signed in',
    path: () => '/api/account/password',
    init: () => json({}),
  },
  'POST /api/projects/:projectId/upload': {
    who: 'worker',
    path: () => `/api/projects/${projectId}/upload`,
    init: () => ({ method: 'POST', body: 'no tar' }),
  },
  'POST /api/t/:threadId/blobs': {
    who: 'thread driver',
    path: () => `/api/t/${threadId}/blobs`,
    init: () => ({ method: 'POST', body: 'bytes' }),
  },
  'GET /t/:threadId/b/:hash': { who: 'thread viewer', path: () => `/t/${threadId}/b/${hash}` },
  'GET /api/reviews/export': { who: 'member', path: () => '/api/reviews/export' },
  'GET /t/:threadId/export': {
    who: 'thread viewer',
    path: () => `/t/${threadId}/export?format=markdown&redact=secrets`,
  },
  'GET /t/:threadId/steps/:stepId/request': {
    who: 'thread viewer',
    path: () => `/t/${threadId}/steps/${stepId}/request`,
  },
  'GET /t/:threadId/steps/:stepId/response': {
    who: 'thread viewer',
    path: () => `/t/${threadId}/steps/${stepId}/response`,
  },
  // Whoever has the link; nothing else is asked for.
  'GET /s/:token': { who: 'anybody', path: () => publicPath },
  'GET /s/:token/live': { who: 'anybody', path: () => `${publicPath}/live?of=another` },
  'POST /api/imports': {
    who: 'worker',
    path: () => `/api/imports?project=${projectId}&name=x`,
    init: () => ({ method: 'POST', body: 'x' }),
  },
}

/** Pages are the same for everybody: they hold no data, which comes through procedures. */
const pages = [
  ...['(auth)/invite', '(main)/settings/links', '(main)/settings/team', '(main)/settings/team/audit'],
  '(main)/settings/team/service-accounts',
  ...['(auth)/login', '(auth)/setup', '(main)', '(main)/new', '(main)/reviews', '(main)/rollouts'],
  ...['(main)/rollouts/compare', '(main)/settings', '(main)/settings/account', '(main)/settings/projects'],
  ...['(main)/settings/providers', '(main)/threads/[threadId]', '(main)/threads/[threadId]/rollout'],
]

beforeAll(async () => {
  team = await openTestTeam()
  const join = (role: 'admin' | 'member' | 'viewer', name: string): Promise<Person> => team.join(role, name)
  owner = await join('member', 'Owner')
  const people: Record<string, Person> = {
    'another member': await join('member', 'Other'),
    viewer: await join('member', 'Viewer'),
    commenter: await join('member', 'Commenter'),
    driver: await join('member', 'Driver'),
    owner,
    'the team’s owner': team.owner,
    administrator: await join('admin', 'Admin'),
    'a viewer of the team who was made a driver': await join('viewer', 'Capped'),
    'a disabled user': await join('member', 'Disabled'),
  }
  projectId = (await team.owner.api.project.create.mutate({ name: 'Matrix' })).id
  ;({ threadId } = await seedRollout(team.store, { projectId, ownerId: owner.userId, events: 40 }))
  hash = await team.store.blobs.put(Buffer.from('a file of the thread'))
  await team.store.blobs.ref(threadId, hash)
  const raw = await team.store.windows.steps(threadId)
  stepId = raw[0]?.stepId ?? ''
  const settings = { title: 'Public', live: true }
  const { head, digest } = await owner.api.link.preview.mutate({ threadId, settings })
  publicPath = (await owner.api.link.create.mutate({ threadId, settings, head, digest })).path
  for (const [name, role] of [
    ['viewer', 'viewer'],
    ['commenter', 'commenter'],
    ['driver', 'driver'],
    ['a viewer of the team who was made a driver', 'driver'],
    ['a disabled user', 'driver'],
  ] as const)
    await owner.api.sharing.share.mutate({ threadId, userId: people[name]?.userId ?? '', role })
  const token = () => owner.api.token.create.mutate({ name: 'x', scopes: ['threads:read'], days: 1 })
  const [good, revoked] = [await token(), await token()]
  await owner.api.token.revoke.mutate({ tokenId: revoked.token.id })
  const disabled = people['a disabled user']?.userId ?? ''
  await team.owner.api.member.setDisabled.mutate({ userId: disabled, disabled: true })
  for (const name of names) {
    const cookie = people[name]?.cookie
    callers.set(name, cookie ? { cookie, origin: team.origin } : { origin: team.origin })
  }
  callers.set('a token that may read threads', { authorization: `Bearer ${good.secret}` })
  callers.set('a revoked token', { authorization: `Bearer ${revoked.secret}` })
}, 180_000)
afterAll(() => team?.close())

/** What a caller gets at a door. */
const ask = async (door: Door, name: string, more: Record<string, string> = {}): Promise<number> => {
  const { headers, ...init } = door.init?.() ?? {}
  const { status } = await team.call(door.path(), {
    ...{ from: null, ...init },
    headers: { ...(headers as Record<string, string>), ...callers.get(name), ...more },
  })
  return status
}
/** A missing answer of a step is no refusal; an address that no such door has is not asked for here. */
const letIn = (route: string, status: number): boolean =>
  route.endsWith('/response') ? ![401, 403].includes(status) : ![401, 403, 404].includes(status)

describe('SEC-38 every route against every caller', () => {
  test('each route is known here', () => {
    expect(team.routes.map(({ method, pattern }) => `${method} ${pattern}`).sort()).toEqual(
      Object.keys(doors).sort(),
    )
  })

  test(`${Object.keys(doors).length} routes × ${names.length} callers`, async () => {
    const wrong: string[] = []
    for (const [route, door] of Object.entries(doors)) {
      // A stranger and nobody are told apart from whoever lacks a role alone where the answer itself is missing.
      if (route.endsWith('/response')) continue
      let got = ''
      for (const name of names) got += letIn(route, await ask(door, name)) ? 'y' : '-'
      if (got !== may[door.who]) wrong.push(`${route}: ${got} in place of ${may[door.who]} (${door.who})`)
    }
    expect(wrong).toEqual([])
  })

  test('who is nobody is told to sign in, who sees no thread that there is none', async () => {
    for (const [route, door] of Object.entries(doors).filter(([, { who }]) => who.startsWith('thread'))) {
      for (const name of ['anonymous', 'a revoked token', 'a disabled user'])
        expect([route, name, await ask(door, name)]).toEqual([route, name, 401])
      for (const name of ['another member', 'the team’s owner', 'administrator'])
        expect([route, name, await ask(door, name)]).toEqual([route, name, 404])
    }
  })

  test('SEC-39 no header and no spelling of the address goes around the doors', async () => {
    const tricks = [
      { 'x-middleware-subrequest': 'middleware:middleware:middleware:middleware:middleware' },
      { 'x-middleware-subrequest': 'src/proxy:src/proxy:src/proxy:src/proxy:src/proxy' },
      { rsc: '1', 'next-router-prefetch': '1' },
      { 'x-nextjs-data': '1', purpose: 'prefetch' },
      {
        'x-forwarded-user': 'ada@example.org',
        'x-original-url': '/api/health',
        'x-rewrite-url': '/api/health',
      },
    ]
    for (const [route, door] of Object.entries(doors).filter(([, { who }]) => who !== 'anybody'))
      for (const headers of tricks)
        expect([route, await ask(door, 'anonymous', headers)]).toEqual([route, 401])
    for (const path of [
      ...[
        `/t/${threadId}/b/${hash}?_rsc=1`,
        `/t/${threadId}/export/?format=html`,
        `//t/${threadId}/b/${hash}`,
      ],
      ...[`/T/${threadId}/b/${hash}`, `/en/t/${threadId}/b/${hash}`, `/t/${threadId}/b/${hash}.rsc`],
      ...[
        `/_next/data/x/t/${threadId}.json`,
        `/t/${threadId}/b/../b/${hash}`,
        `/t/%2e%2e/${threadId}/b/${hash}`,
      ],
    ]) {
      const { status, body } = await team.call(path, { from: null })
      // Either a door, which refuses, or the pages, which hold nothing.
      expect([path, status === 200 ? body.text : 'refused']).toEqual([
        path,
        status === 200 ? 'page' : 'refused',
      ])
    }
  })

  test('SEC-40 what belongs to another thread is not found under one’s own', async () => {
    const theirs = await seedRollout(team.store, { projectId, ownerId: newId('usr'), events: 40 })
    const theirHash = await team.store.blobs.put(Buffer.from('of somebody else'))
    await team.store.blobs.ref(theirs.threadId, theirHash)
    const theirStep = (await team.store.windows.steps(theirs.threadId))[0]?.stepId
    const headers = callers.get('owner') ?? {}
    for (const path of [
      `/t/${threadId}/b/${theirHash}`,
      `/t/${threadId}/steps/${theirStep}/request`,
      `/t/${threadId}/steps/${theirStep}/response`,
      `/api/reviews/export?thread=${theirs.threadId}`,
    ])
      expect([path, (await team.call(path, { from: null, headers })).status]).toEqual([path, 404])
  })
})

describe('pages', () => {
  test(`${pages.length} pages hold no data: none of them reads anything of the server`, () => {
    const folder = join(import.meta.dirname, '../app')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const found = files
      .filter((file) => /(^|\/)page\.tsx$/.test(file))
      .map((file) => file.replace(/\/?page\.tsx$/, ''))
    expect(found.sort()).toEqual([...pages].sort())
    for (const file of files.filter((name) => /\.tsx?$/.test(name)))
      expect([file, /from '[./]*\/server\//.test(readFileSync(join(folder, file), 'utf8'))]).toEqual([
        file,
        false,
      ])
  })
})

describe('requests from elsewhere', () => {
  test('SEC-41 another site, a cookie without an origin and another host are refused, at every door that changes', async () => {
    const cookie = callers.get('owner')?.cookie ?? ''
    for (const [route, door] of Object.entries(doors).filter(([name]) => name.startsWith('POST'))) {
      const { headers, ...init } = door.init?.() ?? {}
      for (const bad of [
        { cookie, origin: 'https://evil.example' },
        { cookie, origin: 'null' },
        { cookie },
        { cookie, origin: team.origin.replace('127.0.0.1', 'localhost.evil.example') },
      ]) {
        const { status } = await team.call(door.path(), {
          ...{ from: null, ...init },
          headers: { ...(headers as Record<string, string>), ...bad },
        })
        expect([route, bad.origin, status]).toEqual([route, bad.origin, 403])
      }
    }
  })
})

describe('answers', () => {
  test('SEC-50 SEC-55 whatever any door answers to anybody, a browser runs, frames, guesses and passes on nothing of it', async () => {
    const asked: [string, string, RequestInit][] = []
    for (const [route, door] of Object.entries(doors)) {
      const { headers, ...init } = door.init?.() ?? {}
      const as = (more: HeadersInit = {}): RequestInit => ({ ...init, headers: { ...headers, ...more } })
      for (const name of ['anonymous', 'another member', 'owner', 'a revoked token'])
        asked.push([`${route} for ${name}`, door.path(), as(callers.get(name))])
      asked.push([`${route} from elsewhere`, door.path(), as({ origin: 'https://evil.example' })])
      asked.push([`${route} by another method`, door.path(), { method: 'DELETE' }])
    }
    asked.push(['no door', '/api/nowhere', {}])
    for (const [what, path, init] of asked) {
      const { headers, status } = await team.call(path, { from: null, ...init })
      if (/^\/s\/[^?]*$/.test(path) && headers.get('content-type')?.startsWith('text/html')) {
        // The one page among them: it may be styled and, when it is live, run its own script, named by its hash.
        const policy = headers.get('content-security-policy') ?? ''
        expect([what, policy]).toEqual([
          what,
          expect.stringMatching(
            /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none';/,
          ),
        ])
        expect(policy).toContain("frame-ancestors 'none'")
        expect(policy.replaceAll(/'sha256-[^']+'/g, '')).not.toMatch(/unsafe|https?:|\*/)
        expect(headers.get('x-content-type-options')).toBe('nosniff')
        expect(headers.get('referrer-policy')).toBe('no-referrer')
        continue
      }
      expect([what, status < 500 || status === 502, Object.fromEntries(headers)]).toMatchObject([
        what,
        true,
        {
          'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cross-origin-resource-policy': 'same-origin',
        },
      ])
      const inert =
        /^(application\/(json|octet-stream)|text\/(plain|event-stream)|image\/(png|jpeg|gif|webp))/
      if (!inert.test(headers.get('content-type') ?? 'application/json'))
        expect([what, headers.get('content-disposition')]).toEqual([
          what,
          expect.stringMatching(/^attachment;/),
        ])
    }
  })
})

describe('bad input', () => {
  test('SEC-45 malformed bodies are refused at every door, and the server stays up', async () => {
    const bodies: (string | Uint8Array<ArrayBuffer>)[] = [
      ...['', 'null', '[]', '0', '"x"', '{', '{}', '{"__proto__":{"role":"owner"}}', '\u0000'],
      ...['['.repeat(5_000), `{"a":${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}}`, '{"token":{"$ne":null}}'],
      new Uint8Array([0xff, 0xfe, 0x7b, 0xc3, 0x28]),
    ]
    const json = Object.entries(doors).filter(([, { init }]) => init && 'headers' in (init() ?? {}))
    for (const [route, door] of json)
      for (const body of bodies) {
        const { status } = await team.call(door.path(), {
          ...{ method: 'POST', body, cookie: callers.get('owner')?.cookie ?? '' },
          headers: { 'content-type': 'application/json' },
        })
        expect([route, status >= 400 && status < 500]).toEqual([route, true])
      }
    for (const [, door] of Object.entries(doors)) {
      const odd = door.path().replace(/(thr|prj|stp)_[0-9a-f-]+/, '%00%ff{}')
      expect((await team.call(odd, { headers: callers.get('owner') ?? {} })).status).toBeLessThan(500)
    }
    expect((await team.call('/api/health')).status).toBe(200)
  })

  test('SEC-46 a body beyond its limit is refused before it is kept', async () => {
    const large = JSON.stringify({ token: link, name: 'x'.repeat(30_000), email: 'a@example.org', password })
    for (const path of ['/api/setup', '/api/invites/accept', '/api/account/password']) {
      const { status } = await team.call(path, {
        ...{ method: 'POST', body: large, cookie: callers.get('driver')?.cookie ?? '' },
        headers: { 'content-type': 'application/json' },
      })
      expect([path, status]).toEqual([path, 413])
    }
  })

  test('SEC-46 no answer of a procedure is larger than a megabyte, however large the thread is', async () => {
    const large = await loggedThread(team.store, owner.userId)
    const items = Array.from({ length: 12 }, (_, at) => said(`${at} ${'word '.repeat(60_000)}`))
    await large.write(...items)
    const { threadId: id } = large
    const [first] = items
    const tab = team.tab(owner.cookie)
    const { api } = tab
    const answers: Record<string, unknown> = {
      page: await api.thread.page.query({ threadId: id, before: null, limit: 1_000 }),
      item: await api.history.item.query({ threadId: id, itemId: first?.id ?? '', limitChars: 200_000 }),
      items: await api.history.items.query({ threadId: id, maxChars: 2_000, limit: 100 }),
      search: await api.history.search.query({ threadId: id, text: 'word', limit: 100 }),
      rows: await api.rollout.rows.query({ threadId: id }),
      list: await api.thread.list.query({ limit: 500 }),
    }
    for (const [name, answer] of Object.entries(answers))
      expect([name, JSON.stringify(answer).length < 1_100_000]).toEqual([name, true])
    tab.close()
  })

  test('SEC-48 what is searched for is never a program', async () => {
    const tab = team.tab(callers.get('owner')?.cookie ?? '')
    for (const text of [
      ...[
        `'; drop table "Thread"; --`,
        `' or '1'='1`,
        '(a+)+$',
        '%'.repeat(500),
        '\\'.repeat(500),
        '_______',
      ],
      ...['a & | ! b', '"never closed', ':*', '<->', '\u0000\u0001', '((((((((((', '.*.*.*.*.*=.*'],
    ])
      for (const mode of ['literal', 'words'] as const) {
        const answer = await tab.api.history.searchAll.query({ text, mode, count: true }).then(
          () => 'ok',
          (error: { data?: { fact?: { code?: string } } }) => error.data?.fact?.code,
        )
        expect(['ok', 'bad_input']).toContain(answer)
      }
    expect((await tab.api.thread.get.query({ threadId })).id).toBe(threadId)
    tab.close()
  })
})
