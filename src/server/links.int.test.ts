/** Public links over HTTP: what they show, what they never show, and how they end. */
import { get } from 'node:http'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asked, called, type LoggedThread, loggedThread, said } from '../../test/setup/logged-thread.ts'
import { codeOf, openTestTeam, type Person, type TestTeam, until } from '../../test/setup/team.ts'
import { noUsage } from '../protocol/event.ts'
import { newId } from '../protocol/ids.ts'
import type { LinkSettings } from '../protocol/link.ts'
import { canaries } from './rollouts/redact/canaries.ts'

let team: TestTeam
let owner: Person
let other: Person
let thread: LoggedThread

const settings = (more: Partial<LinkSettings> = {}) => ({ title: 'A look at it', live: false, ...more })

/** One turn of one step: a question, a call, an answer. */
const turn = async (
  on: LoggedThread,
  n: number,
  words: Partial<Record<'ask' | 'path' | 'say', string>> = {},
) => {
  const [turnId, stepId] = [newId('trn'), newId('stp')]
  const at = { windowId: on.windowId, turnId, actorId: 'agent' as const }
  const model = { providerId: newId('prv'), model: 'secret-model-9' }
  await on.write(
    { ...at, type: 'turn.started', body: { model, modelLabel: 'secret-model-9' } } as never,
    { ...asked(words.ask ?? `question ${n}`), actorId: owner.userId } as never,
    {
      ...at,
      type: 'step.started',
      stepId,
      body: { number: n, blockCount: 1, newBlocks: [], bodySha256: '0'.repeat(64), estimatedTokens: 1 },
    } as never,
    called('exec_command', { cmd: `cat ${words.path ?? `src/file-${n}.ts`}` }, `output ${n}`),
    {
      ...at,
      type: 'step.completed',
      stepId,
      body: {
        ...{ usage: { ...noUsage, input: 12_345, output: 678 }, costMicros: 987_654, stopReason: 'stop' },
        ...{ totalMs: 5, firstTokenMs: 1, retries: 0, toolCalls: 1, contextTokens: 1, contextLimit: 2 },
      },
    } as never,
    said(words.say ?? `answer ${n}`),
    {
      ...at,
      type: 'turn.completed',
      body: { usage: noUsage, costMicros: 987_654, durationMs: 10, steps: 1 },
    } as never,
  )
}

const make = async (more: Partial<LinkSettings> = {}, threadId = thread.threadId, by = owner) => {
  const wanted = settings(more)
  const { head, digest } = await by.api.link.preview.mutate({ threadId, settings: wanted })
  return by.api.link.create.mutate({ threadId, settings: wanted, head, digest })
}
/** Past the server, as another process would. */
const sql = async (text: string, values: unknown[]): Promise<void> => {
  const client = new pg.Client({ connectionString: team.test.url })
  await client.connect()
  await client.query(text, values)
  await client.end()
}
const page = (path: string) => team.call(path, { from: null })
const textOf = async (path: string): Promise<string> => String((await page(path)).body.text)

/** A stream that stays open: what it said, and whether it has ended. */
const listen = (path: string, headers: Record<string, string> = {}) => {
  const heard = { text: '', ended: false, status: 0 }
  const request = get(`${team.origin}${path}`, { headers }, (response) => {
    heard.status = response.statusCode ?? 0
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      heard.text += chunk
    })
    response.on('close', () => {
      heard.ended = true
    })
  })
  request.on('error', () => {
    heard.ended = true
  })
  return { heard, close: () => request.destroy() }
}
const moreOf = (html: string): string => {
  const [, of, after] = /data-of="([^"]+)" data-after="(\d+)"/.exec(html) ?? []
  return `?of=${of}&after=${after}`
}

beforeAll(async () => {
  team = await openTestTeam()
  owner = await team.join('member', 'Olga')
  other = await team.join('member', 'Other')
  thread = await loggedThread(team.store, owner.userId)
  for (const n of [1, 2, 3, 4]) await turn(thread, n)
}, 120_000)
afterAll(() => team?.close())

describe('SEC-58 a link is made on purpose', () => {
  test('there is none until its owner made it, and nobody makes one unseen', async () => {
    const { threadId } = thread
    expect(await owner.api.link.ofThread.query({ threadId })).toEqual([])
    expect(
      await codeOf(
        owner.api.link.create.mutate({ threadId, settings: settings(), head: 1, digest: '0'.repeat(64) }),
      ),
    ).toBe('conflict')
    const seen = await owner.api.link.preview.mutate({ threadId, settings: settings() })
    expect(seen.counts).toEqual({ turns: 4, steps: 4, messages: 8, calls: 4, pictures: 0 })
    // What was looked at with less in it is not what is made with more.
    const { head, digest } = seen
    const more = settings({ shows: ['tools'] })
    expect(await codeOf(owner.api.link.create.mutate({ threadId, settings: more, head, digest }))).toBe(
      'conflict',
    )
    expect(await codeOf(other.api.link.preview.mutate({ threadId, settings: settings() }))).toBe('not_found')
  })

  test('its token has 256 bits and is stored as a hash alone; what is served is what was seen', async () => {
    const { link, path } = await make()
    const token = path.replace('/s/', '')
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    const listed = JSON.stringify([
      await owner.api.link.ofThread.query({ threadId: thread.threadId }),
      await owner.api.link.mine.query({}),
      await team.owner.api.link.all.query({}),
      (await team.owner.api.audit.list.query({})).rows,
    ])
    expect(listed).toContain(link.id)
    expect(listed).not.toContain(token)
    const { html } = await owner.api.link.preview.mutate({ threadId: thread.threadId, settings: settings() })
    const main = (text: string): string => text.replace(/a copy made on [^<]+/, '')
    expect(main(await textOf(path))).toBe(main(html))
  })

  test('the range is kept to: neither the step before nor what led to the step after', async () => {
    const text = await textOf((await make({ fromStep: 2, toStep: 3 })).path)
    for (const n of [2, 3]) {
      expect(text).toContain(`question ${n}`)
      expect(text).toContain(`answer ${n}`)
    }
    for (const n of [1, 4])
      for (const word of ['question', 'answer']) expect(text).not.toContain(`${word} ${n}`)
    expect(text).toContain('step 2')
    expect(text).toContain('Turn 3')
    expect(await codeOf(make({ fromStep: 9 }))).toBe('bad_input')
    expect(await codeOf(make({ fromStep: 1, toStep: 5 }))).toBe('bad_input')
    expect(await codeOf(make({ fromStep: 3, toStep: 2 }))).toBe('bad_input')
  })

  test('a copy does not grow; a live link does, also while it is open', async () => {
    const growing = await loggedThread(team.store, owner.userId)
    await turn(growing, 1, { say: 'the beginning' })
    const copy = await make({}, growing.threadId)
    const live = await make({ live: true }, growing.threadId)
    const first = await textOf(live.path)
    expect(first).toContain('the beginning')
    const { heard, close } = listen(`${live.path}/live${moreOf(first)}`)
    await until(() => heard.text.includes('retry:'))
    await turn(growing, 2, { say: 'what came later' })
    await until(() => heard.text.includes('what came later'))
    close()
    expect(await textOf(live.path)).toContain('what came later')
    expect(await textOf(copy.path)).not.toContain('what came later')
    // Who comes again is given what they missed, once.
    const id = /id: (\S+\.)\d+/.exec(heard.text)?.[1] ?? ''
    const again = listen(`${live.path}/live`, { 'last-event-id': `${id}1` })
    await until(() => again.heard.text.includes('what came later'))
    expect(again.heard.text.split('what came later')).toHaveLength(2)
    again.close()
  })

  test('an expired link is gone', async () => {
    const { link, path } = await make({ days: 1 })
    expect((await page(path)).status).toBe(200)
    await sql(`update "PublicLink" set "expiresAt" = now() - interval '1 second' where id = $1`, [link.id])
    expect((await page(path)).status).toBe(404)
    const [listed] = (await owner.api.link.mine.query({})).links.filter(({ id }) => id === link.id)
    expect(listed?.state).toBe('expired')
  })
})

describe('SEC-59 the end of a link', () => {
  test('revoked: 404 at once for page, HEAD and stream; what is open ends within a second', async () => {
    const { link, path } = await make({ live: true })
    const first = await textOf(path)
    const { heard } = listen(`${path}/live${moreOf(first)}`)
    await until(() => heard.text.includes('retry:'))
    await owner.api.link.revoke.mutate({ threadId: thread.threadId, linkId: link.id })
    for (const at of [path, `${path}/live`])
      for (const method of ['GET', 'HEAD'])
        expect([at, method, (await team.call(at, { method, from: null })).status]).toEqual([at, method, 404])
    await until(() => heard.ended)
    expect(heard.text).toContain('event: over')
    expect(await textOf(path)).not.toContain('question')
    expect((await page(path)).headers.get('cache-control')).toBe('no-store')
  })

  test('another process revokes it: the stream ends all the same', async () => {
    const { link, path } = await make({ live: true })
    const { heard } = listen(`${path}/live${moreOf(await textOf(path))}`)
    await until(() => heard.text.includes('retry:'))
    await sql(`update "PublicLink" set "revokedAt" = now() where id = $1`, [link.id])
    await until(() => heard.ended)
    expect(heard.text).toContain('event: over')
  })

  test('deleting the thread, disabling or removing its maker ends it', async () => {
    const maker = await team.join('member', 'Maker')
    const theirs = await loggedThread(team.store, maker.userId)
    await turn(theirs, 1)
    const one = await make({ live: true }, theirs.threadId, maker)
    const { heard } = listen(`${one.path}/live${moreOf(await textOf(one.path))}`)
    await until(() => heard.text.includes('retry:'))
    await team.owner.api.member.setDisabled.mutate({ userId: maker.userId, disabled: true })
    expect((await page(one.path)).status).toBe(404)
    await until(() => heard.ended)
    await team.owner.api.member.setDisabled.mutate({ userId: maker.userId, disabled: false })
    expect((await page(one.path)).status).toBe(200)
    await theirs.remove()
    expect((await page(one.path)).status).toBe(404)
  })

  test('who keeps the team sees every link, not its title, who opened it, and ends it', async () => {
    const { link, path } = await make({ title: 'A private name' })
    await page(path)
    await team.call(path, { cookie: other.cookie })
    const all = await team.owner.api.link.all.query({})
    const found = all.links.find(({ id }) => id === link.id)
    expect(found).toMatchObject({ createdBy: owner.userId, opened: 2, title: '', state: 'open' })
    const openings = await team.owner.api.link.openingsOfAny.query({ linkId: link.id })
    expect(openings.map(({ userId }) => userId)).toEqual([other.userId, null])
    expect(await codeOf(other.api.link.all.query({}))).toBe('forbidden')
    expect(await codeOf(other.api.link.revokeMine.mutate({ linkId: link.id }))).toBe('not_found')
    await team.owner.api.link.end.mutate({ linkId: link.id })
    expect((await page(path)).status).toBe(404)
    const rows = (await team.owner.api.audit.list.query({ action: 'link' })).rows
    expect(rows[0]).toMatchObject({ action: 'link.revoke', actorId: team.owner.userId })
  })
})

describe('SEC-60 a shared page shows nothing but what was chosen', () => {
  test('names, paths, outputs, models, tokens, costs and ids stay out unless chosen', async () => {
    const { path } = await make()
    const { headers, body } = await page(path)
    const text = String(body.text)
    const hidden = {
      name: 'Olga',
      path: 'src/file-1.ts',
      output: 'output 1',
      model: 'secret-model-9',
      tokens: '12,345',
      cost: '0.99',
      thread: thread.threadId,
      window: thread.windowId,
      person: owner.userId,
    }
    for (const [what, value] of Object.entries(hidden))
      expect([what, text.includes(value)]).toEqual([what, false])
    expect(text).not.toMatch(/\b(?:thr|usr|win|stp|itm|prj)_[0-9a-f]{8}/)
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-robots-tag')).toContain('noindex')
    expect(text).toContain('name="robots" content="noindex')
    expect(headers.get('set-cookie')).toBeNull()
    const chosen = await textOf((await make({ shows: ['names', 'tools', 'figures'] })).path)
    for (const word of ['Olga', 'src/file-1.ts', 'output 1', 'secret-model-9', '12,345'])
      expect(chosen).toContain(word)
    for (const id of [thread.threadId, owner.userId]) expect(chosen).not.toContain(id)
  })

  test('a link opens no other door', async () => {
    const { path } = await make({ live: true, shows: ['tools', 'pictures'] })
    const token = path.replace('/s/', '')
    for (const address of [
      `/t/${thread.threadId}/export?format=html`,
      `/t/${thread.threadId}/b/${'0'.repeat(64)}`,
    ])
      expect(
        (await team.call(address, { from: null, headers: { authorization: `Bearer ${token}` } })).status,
      ).toBe(401)
    expect((await page(`${path}/export`)).body.text).toBe('page')
  })
})

describe('SEC-61 secrets', () => {
  test('every canary is cut from copies and from what streams, and the preview tells of it', async () => {
    const leaky = await loggedThread(team.store, owner.userId)
    const all = canaries(7)
    const lines = all.map(({ text }) => text)
    await turn(leaky, 1, { say: lines.slice(0, 30).join('\n'), ask: lines[0] ?? '' })
    const live = await make({ live: true, shows: ['tools'] }, leaky.threadId)
    const first = await textOf(live.path)
    const { heard, close } = listen(`${live.path}/live${moreOf(first)}`)
    await until(() => heard.text.includes('retry:'))
    await leaky.write(
      called('exec_command', { cmd: 'env' }, lines.slice(30).join('\n')),
      said('that was all'),
    )
    await until(() => heard.text.includes('that was all'))
    close()
    const copy = await make({ shows: ['tools'] }, leaky.threadId)
    const preview = await owner.api.link.preview.mutate({
      threadId: leaky.threadId,
      settings: settings({ shows: ['tools'] }),
    })
    expect(preview.cut.places).toBeGreaterThan(40)
    const served = { first, streamed: heard.text, copy: await textOf(copy.path), preview: preview.html }
    const found = Object.entries(served).flatMap(([where, text]) =>
      all.filter(({ secret }) => text.includes(secret)).map(({ kind }) => `${where}: ${kind}`),
    )
    expect(found).toEqual([])
    for (const text of [served.first, served.copy]) expect(text).toContain('[redacted:')
  })
})

describe('SEC-50 SEC-53 what a browser is told about the page', () => {
  test('no script but the page’s own, nothing from elsewhere, in no frame', async () => {
    const hostile = await loggedThread(team.store, owner.userId)
    await turn(hostile, 1, {
      ask: '<img src=x onerror=alert(1)> ![x](https://evil.example/a.png)',
      say: '<script>alert(1)</script> [click](javascript:alert(1)) ![x](https://evil.example/b.png)',
    })
    for (const live of [false, true]) {
      const { headers, body } = await page((await make({ live }, hostile.threadId)).path)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      expect(policy.includes('script-src')).toBe(live)
      const text = String(body.text)
      expect(text.match(/<script/g)?.length ?? 0).toBe(live ? 1 : 0)
      expect(text).not.toMatch(/<img|javascript:alert\(1\)"/)
    }
  })
})
