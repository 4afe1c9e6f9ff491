/**
 * The doors of a whole server on a real database: set-up, sign-in, sockets, uploads, blobs.
 */
import type { AddressInfo } from 'node:net'
import { createTRPCClient, createWSClient, wsLink } from '@trpc/client'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { called, loggedThread } from '../../test/setup/logged-thread.ts'
import { makeThread, openTestStore, type TestStore } from '../../test/setup/store.ts'
import { newId } from '../protocol/ids.ts'
import { modelDirectory } from './boot.ts'
import { type Doors, openDoors } from './doors.ts'
import { createLog } from './log.ts'
import type { AppRouter } from './trpc/router.ts'

const password = 'correct horse battery'
let testStore: TestStore
let doors: Doors
let port: number
let origin: string
let token: string
let ownerCookie: string

type Answer = {
  status: number
  body: Record<string, unknown> & { error?: { code: string; next: string } }
  cookie: string
}
const call = async (
  path: string,
  init: RequestInit & { cookie?: string; from?: string } = {},
): Promise<Answer> => {
  const response = await fetch(`${origin}${path}`, {
    ...init,
    headers: {
      origin: init.from ?? origin,
      ...(init.cookie ? { cookie: init.cookie } : {}),
      ...init.headers,
    },
  })
  const text = await response.text()
  const cookie = response.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : { text }, cookie }
}
const post = (path: string, body: unknown, more: { cookie?: string; from?: string } = {}) =>
  call(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
    ...more,
  })

const tab = (cookie: string, from = origin) => {
  const closes: number[] = []
  class Socket extends WebSocket {
    constructor(url: string) {
      super(url, { headers: { cookie, origin: from } })
      this.on('close', (code) => closes.push(code))
      this.on('error', () => undefined)
    }
  }
  const client = createWSClient({
    url: `ws://127.0.0.1:${port}/ws`,
    WebSocket: Socket as never,
    retryDelayMs: () => 3_600_000,
  })
  const api = createTRPCClient<AppRouter>({ links: [wsLink({ client })] })
  return { api, closes, close: () => client.close() }
}

const until = async (what: () => boolean | Promise<boolean>): Promise<void> => {
  const end = Date.now() + 60_000
  while (!(await what())) {
    if (Date.now() > end) throw new Error('it did not happen within a minute')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const tar = async (
  entries: { name: string; type?: 'file' | 'symlink' | 'directory'; linkname?: string; body?: string }[],
) => {
  const archive = pack()
  for (const { name, type = 'file', linkname, body = '' } of entries) {
    archive.entry({ name, type, ...(linkname ? { linkname } : {}) }, type === 'file' ? body : '')
  }
  archive.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of archive) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

beforeAll(async () => {
  testStore = await openTestStore()
  const { store } = testStore
  await store.members.team()
  token = (await store.members.makeInvite('setup', 'owner', 3_600_000)).token
  doors = openDoors({
    secret: 'k3J9x0qLr7bZ2mVt8yWc5nHs1dFg6pAe',
    publicUrl: undefined,
    ready: () => true,
    pages: async (_request, response) => void response.end('page'),
    services: {
      store,
      worker: {} as never,
      imports: {} as never,
      models: modelDirectory,
      version: 'test',
      log: createLog('error'),
    },
  })
  await new Promise<void>((resolve) => doors.server.listen(0, '127.0.0.1', resolve))
  port = (doors.server.address() as AddressInfo).port
  origin = `http://127.0.0.1:${port}`
})
afterAll(async () => {
  await doors?.close()
  await testStore?.close()
})

describe('set-up and sign-in', () => {
  const person = { name: 'Ada', email: 'Ada@Example.org', password }

  test('before the owner exists, a visitor learns only that', async () => {
    const { api, close } = tab('')
    expect(await api.session.me.query()).toEqual({
      ...{ user: null, guest: null, oidc: null, setupNeeded: true },
      version: 'test',
    })
    close()
  })

  test('a wrong token, a short password and a bad address are refused with the field', async () => {
    expect((await post('/api/setup', { ...person, token: 'x'.repeat(40) })).status).toBe(403)
    expect((await post('/api/setup', { ...person, token, password: 'short' })).body.error).toMatchObject({
      code: 'bad_input',
    })
    expect((await post('/api/setup', { ...person, token, email: 'no address' })).status).toBe(400)
    expect((await post('/api/setup', { ...person, token }, { from: 'https://evil.example' })).status).toBe(
      403,
    )
  })

  test('two at once with one link make one owner', async () => {
    const answers = await Promise.all(
      ['ada@example.org', 'eve@example.org'].map((email) => post('/api/setup', { ...person, email, token })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await testStore.store.members.list()).map(({ role }) => role)).toEqual(['owner'])
    ownerCookie = answers.find(({ status }) => status === 200)?.cookie ?? ''
    const { api, close } = tab(ownerCookie)
    expect(await api.session.me.query()).toMatchObject({
      user: { role: 'owner', name: 'Ada' },
      setupNeeded: false,
    })
    close()
  })

  test('nobody signs up by himself', async () => {
    const answer = await post('/api/auth/sign-up/email', { ...person, email: 'mallory@example.org' })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(await testStore.store.members.count()).toBe(1)
  })

  test('signing in needs the right password; signing out closes the open tab', async () => {
    const [member] = await testStore.store.members.list()
    const email = member?.email ?? ''
    expect((await post('/api/auth/sign-in/email', { email, password: 'wrong password' })).status).toBe(401)
    const signedIn = await post('/api/auth/sign-in/email', { email, password })
    expect(signedIn.status).toBe(200)
    const open = tab(signedIn.cookie)
    expect(await open.api.project.list.query()).toEqual([])
    expect((await post('/api/auth/sign-out', {}, { cookie: signedIn.cookie })).status).toBe(200)
    await until(() => open.closes.includes(4_401))
    open.close()
  })
})

describe('sockets', () => {
  test('SEC-41 a page of another site gets no socket', async () => {
    // The last one brings a cookie and does not say where it comes from.
    for (const headers of [{ origin: 'https://evil.example' }, { origin, host: 'evil.example' }, {}]) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, {
        headers: { cookie: ownerCookie, ...headers },
      })
      const status = await new Promise((resolve) => {
        socket.on('unexpected-response', (_request, response) => resolve(response.statusCode))
        socket.on('open', () => resolve('open'))
        socket.on('error', () => undefined)
      })
      expect(status).toBe(403)
    }
  })

  test('malformed messages end nothing but themselves', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { cookie: ownerCookie, origin } })
    await new Promise((resolve) => socket.once('open', resolve))
    for (const message of [
      '{',
      'null',
      '[]',
      '{"id":1}',
      '{"id":1,"method":"query","params":{"path":"nope"}}',
      '"x"',
      '{"id":{},"method":"query","params":{"path":"__proto__","input":1}}',
    ])
      socket.send(message)
    socket.send(Buffer.from([0xff, 0xfe, 0x00]))
    socket.close()
    const { api, close } = tab(ownerCookie)
    expect((await api.session.me.query()).user).not.toBeNull()
    close()
  })

  test('bad input names the field and the next step', async () => {
    const { api, close } = tab(ownerCookie)
    const failed = await api.thread.rename
      .mutate({ threadId: 'thr_1', title: 'x' })
      .catch((error: unknown) => error)
    expect(failed).toMatchObject({
      data: { fact: { code: 'bad_input', message: expect.stringContaining('threadId') } },
    })
    close()
  })

  test('a thread of somebody else and one that is not there look alike', async () => {
    const { store } = testStore
    const project = await store.projects.create({ name: 'P' }, newId('usr'))
    const { api, close } = tab(ownerCookie)
    const answer = await api.thread.get.query({ threadId: newId('thr') }).catch((error: unknown) => error)
    expect(answer).toMatchObject({ data: { fact: { code: 'not_found' } } })
    await store.projects.remove(project.id, 'system')
    close()
  })

  test('a key is stored, never read again, and stays with its address', async () => {
    const { api, close } = tab(ownerCookie)
    const input = {
      name: 'Local',
      kind: 'openai-chat' as const,
      baseUrl: 'http://127.0.0.1:1/v1',
      models: [],
    }
    const saved = await api.provider.save.mutate({ ...input, key: 'sk-a-very-secret-key' })
    expect(JSON.stringify([saved, await api.provider.list.query()])).not.toContain('very-secret')
    const moved = await api.provider.save
      .mutate({ ...input, id: saved.id, baseUrl: 'http://127.0.0.1:2/v1' })
      .catch((error: unknown) => error)
    expect(moved).toMatchObject({ data: { fact: { code: 'bad_input' } } })
    const tested = await api.provider.test.mutate({ id: saved.id, kind: input.kind, baseUrl: input.baseUrl })
    expect(tested).toMatchObject({ ok: false, error: { code: 'provider_unreachable' } })
    close()
  })
})

describe('uploads and blobs', () => {
  test('a folder is kept; links, devices and names that leave it are refused', async () => {
    const { store } = testStore
    const project = await store.projects.create({ name: 'Upload' }, newId('usr'))
    const send = async (body: Buffer, cookie = ownerCookie) =>
      call(`/api/projects/${project.id}/upload`, { method: 'POST', body: new Uint8Array(body), cookie })
    const good = await send(
      await tar([
        { name: 'a/', type: 'directory' },
        { name: 'a/b.txt', body: 'hello' },
      ]),
    )
    expect(good).toMatchObject({ status: 200, body: { source: { type: 'upload', files: 1, bytes: 5 } } })
    for (const entries of [
      [{ name: 'link', type: 'symlink' as const, linkname: '/etc/passwd' }],
      [{ name: '../outside', body: 'x' }],
      [{ name: '/absolute', body: 'x' }],
    ]) {
      expect((await send(await tar(entries))).status).toBe(400)
    }
    expect((await send(Buffer.from('this is no tar at all'.repeat(100)))).status).toBe(400)
    expect((await send(await tar([{ name: 'x', body: 'x' }]), '')).status).toBe(401)
  })

  test('SEC-38 SEC-55 a blob is served under its thread only, inert, and to its reader only', async () => {
    const { store } = testStore
    const [owner] = await store.members.list()
    const leaseOwner = newId('own')
    await store.leases.register({ ownerId: leaseOwner, installId: 'doors', worker: 'doors' })
    const mine = (await makeThread(store, leaseOwner, owner?.userId)).threadId
    const beside = (await makeThread(store, leaseOwner, owner?.userId)).threadId
    const theirs = (await makeThread(store, leaseOwner)).threadId
    const page = '<script>alert(1)</script>'
    const hash = await store.blobs.put(Buffer.from(page))
    await store.blobs.ref(mine, hash)
    await store.blobs.ref(theirs, hash)

    const served = await fetch(`${origin}/t/${mine}/b/${hash}`, { headers: { cookie: ownerCookie } })
    expect(served.status).toBe(200)
    expect(await served.text()).toBe(page)
    expect(served.headers.get('content-type')).toBe('application/octet-stream')
    expect(served.headers.get('content-disposition')).toContain('attachment')
    expect(served.headers.get('content-security-policy')).toContain("default-src 'none'; sandbox")
    expect(served.headers.get('x-content-type-options')).toBe('nosniff')
    expect(served.headers.get('cache-control')).toContain('private')

    const status = async (threadId: string, cookie: string) =>
      (await call(`/t/${threadId}/b/${hash}`, cookie ? { cookie } : {})).status
    expect(await status(mine, '')).toBe(401)
    expect(await status(beside, ownerCookie)).toBe(404)
    expect(await status(theirs, ownerCookie)).toBe(404)
    expect(await status(newId('thr'), ownerCookie)).toBe(404)
  })
})

test('SEC-38 an export leaves by its thread alone, and to its reader only', async () => {
  const { store } = testStore
  const [owner] = await store.members.list()
  const thread = await loggedThread(store, owner?.userId)
  await thread.write(called('read_file', { path: 'a.ts' }, 'text'))
  const leaseOwner = newId('own')
  await store.leases.register({ ownerId: leaseOwner, installId: 'doors', worker: leaseOwner })
  const theirs = (await makeThread(store, leaseOwner)).threadId
  const served = (threadId: string, cookie: string) =>
    fetch(`${origin}/t/${threadId}/export?format=baton`, { headers: { cookie } })
  const status = async (threadId: string, cookie: string) => (await served(threadId, cookie)).status
  expect(await status(thread.threadId, ownerCookie)).toBe(200)
  expect(await status(thread.threadId, '')).toBe(401)
  expect(await status(theirs, ownerCookie)).toBe(404)
  expect(await status(newId('thr'), ownerCookie)).toBe(404)
  const file = await (await served(thread.threadId, ownerCookie)).text()
  const lines = file.trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
    ...['header', 'event', 'event', 'end'],
  ])
  await thread.remove()
})

test('health is for anybody and says nothing else', async () => {
  expect((await call('/api/health')).body).toEqual({ ready: true, database: true })
})

describe('reviews', () => {
  test('a comment is told to other tabs, counted, kept in every version and exported', async () => {
    const { store } = testStore
    const me = (await store.members.list()).find(({ role }) => role === 'owner')?.userId ?? ''
    const thread = await loggedThread(store, me)
    const item = called('read_file', { path: 'a.ts' }, 'text')
    await thread.write(item)
    const { threadId } = thread
    const [left, right] = [tab(ownerCookie), tab(ownerCookie)]
    const heard: unknown[] = []
    let started = false
    const live = right.api.review.listChanges.subscribe(undefined, {
      onStarted: () => {
        started = true
      },
      onData: (change) => heard.push(change),
    })
    await until(() => started)

    // Put together here, so that nothing that looks for keys finds one in this file.
    const key = ['ghp', 'x7Qm2Lr9Tz4Vb1Nc6Wd3Yk8Hp5Jf0Gs2Ra4E'].join('_')
    const commentId = newId('cmt')
    const written = await left.api.review.comment.mutate({
      threadId,
      commentId,
      text: 'wrong `file` <b>x</b>',
      on: { itemId: item.id },
    })
    expect(written).toMatchObject({ id: commentId, itemId: item.id, version: 1, authorId: me })
    await until(() => heard.length > 0)
    expect(heard).toEqual([{ type: 'thread', threadId, what: 'comments' }])
    expect(await right.api.review.summary.query({ threadId })).toMatchObject({
      marks: { [item.id]: { total: 1, open: 1 } },
    })
    await right.api.review.edit.mutate({ threadId, commentId, text: `right file, not ${key}`, version: 1 })
    const late = await left.api.review.edit
      .mutate({ threadId, commentId, text: 'mine', version: 1 })
      .catch((error: unknown) => error)
    expect(late).toMatchObject({ data: { fact: { code: 'conflict', details: { version: 2 } } } })
    await left.api.review.judge.mutate({
      threadId,
      action: 'given',
      verdict: 'needs_work',
      reason: 'the file',
      baseVersion: 0,
    })
    const unexplained = await left.api.review.judge
      .mutate({ threadId, action: 'given', verdict: 'rejected', reason: ' ', baseVersion: 1 })
      .catch((error: unknown) => error)
    expect(unexplained).toMatchObject({ data: { fact: { code: 'bad_input', details: { field: 'reason' } } } })
    for (const text of ['', ' \n ', 'x'.repeat(5_001)])
      expect(
        await left.api.review.comment
          .mutate({ threadId, commentId: newId('cmt'), text, on: { itemId: item.id } })
          .catch((error: unknown) => error),
      ).toMatchObject({ data: { fact: { code: 'bad_input', details: { field: 'text' } } } })
    const label = await left.api.label.create.mutate({ name: 'flaky', colour: 'orange' })
    await left.api.review.label.mutate({ threadId, add: [label.id] })

    const response = await fetch(`${origin}/api/reviews/export?thread=${threadId}`, {
      headers: { cookie: ownerCookie },
    })
    expect(response.headers.get('content-type')).toBe('application/jsonl; charset=utf-8')
    const lines = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.map(({ type }) => type)).toEqual(['rollout', 'verdict', 'label', 'comment'])
    expect(lines[1]).toMatchObject({ verdict: 'needs_work', reason: 'the file', newest: true, by: me })
    expect(lines[2]).toMatchObject({ label: 'flaky', action: 'added', holds: true })
    expect(lines[3]).toMatchObject({
      thread: threadId,
      item: item.id,
      step: null,
      text: expect.stringMatching(/^right file, not \[redacted:[\w-]+\]$/),
      deleted: false,
      changes: [{ text: 'wrong `file` <b>x</b>' }, { text: expect.stringContaining('[redacted:') }],
    })
    expect(JSON.stringify(lines)).not.toContain(key)
    const whole = await fetch(`${origin}/api/reviews/export?thread=${threadId}&redact=none`, {
      headers: { cookie: ownerCookie },
    })
    expect(await whole.text()).toContain(key)
    const { rows } = await store.auditLog.list({ action: 'review.export', targetId: threadId, limit: 10 })
    expect(rows.map(({ actorId, details }) => [actorId, details])).toEqual([
      [me, { redaction: 'none' }],
      [me, { redaction: 'secrets' }],
    ])
    live.unsubscribe()
    left.close()
    right.close()
  })

  test('of a thread of somebody else are not found, and not exported', async () => {
    const { store } = testStore
    const thread = await loggedThread(store)
    const item = called('read_file', { path: 'a.ts' }, 'text')
    await thread.write(item)
    const { threadId } = thread
    const commentId = newId('cmt')
    const on = { itemId: item.id }
    await store.reviews.comment({ commentId, threadId, authorId: thread.ownerId, text: 'private', on })
    const { api, close } = tab(ownerCookie)
    const tries = [
      () => api.review.comments.query({ threadId }),
      () => api.review.comment.mutate({ threadId, commentId: newId('cmt'), text: 'x', on }),
      () => api.review.edit.mutate({ threadId, commentId, text: 'x', version: 1 }),
      () => api.review.commentChanges.query({ threadId, commentId }),
      () => api.review.summary.query({ threadId: newId('thr') }),
    ]
    for (const attempt of tries)
      await expect(attempt()).rejects.toMatchObject({ data: { fact: { code: 'not_found' } } })
    close()
    const all = await fetch(`${origin}/api/reviews/export`, { headers: { cookie: ownerCookie } })
    expect(await all.text()).not.toContain(threadId)
    const statusOf = async (query: string, cookie = ownerCookie) =>
      (await call(`/api/reviews/export${query}`, { cookie })).status
    expect(await statusOf('', '')).toBe(401)
    expect(await statusOf(`?thread=${threadId}`)).toBe(404)
    expect(await statusOf('?thread=x')).toBe(404)
    expect(await statusOf('?label=x')).toBe(400)
  })
})
