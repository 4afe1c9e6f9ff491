/**
 * Threads that are shared, through the doors: who sees what, what a change does to what is open, and what is written down.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seedRollout } from '../../test/bench/parts/seed-rollout.ts'
import { loggedThread, said } from '../../test/setup/logged-thread.ts'
import { codeOf, openTestTeam, type Person, type TestTeam, until } from '../../test/setup/team.ts'
import type { SharedRole, ThreadPeopleChange } from '../protocol/access.ts'
import { newId } from '../protocol/ids.ts'
import type { Op } from '../protocol/op.ts'

let team: TestTeam
let ann: Person
let bob: Person
let eve: Person
let projectId: string

beforeAll(async () => {
  team = await openTestTeam()
  ann = await team.join('member', 'Ann')
  bob = await team.join('member', 'Bob')
  eve = await team.join('viewer', 'Eve')
  projectId = (await team.owner.api.project.create.mutate({ name: 'Shared' })).id
}, 120_000)
afterAll(() => team?.close())

const threadOf = async (person: Person, title = 'A thread'): Promise<string> => {
  const model = { providerId: 'prv_0197a0a0-0000-7000-8000-000000000001', model: 'scripted' }
  return (await person.api.thread.create.mutate({ projectId, title, settings: { model } })).id
}
const share = (threadId: string, person: Person, role: SharedRole | null, by: Person = ann) =>
  by.api.sharing.share.mutate({ threadId, userId: person.userId, role })
const say = (threadId: string, text: string): { threadId: string; clientId: string; op: Op } => ({
  threadId,
  clientId: newId('op'),
  op: { type: 'turn.start', content: [{ type: 'text', text }] },
})
const listed = async (person: Person) => (await person.api.thread.list.query({})).threads.map(({ id }) => id)

describe('sharing', () => {
  test('SEC-58 a thread is private until it is shared, for owners of the team too', async () => {
    const threadId = await threadOf(ann)
    for (const person of [bob, eve, team.owner]) {
      expect(await codeOf(person.api.thread.get.query({ threadId }))).toBe('not_found')
      expect(await codeOf(person.api.sharing.get.query({ threadId }))).toBe('not_found')
      expect(await listed(person)).not.toContain(threadId)
    }
  })

  test.each([
    ['viewer', false, false],
    ['commenter', true, false],
    ['driver', true, true],
  ] as [SharedRole, boolean, boolean][])('a %s may what the word says', async (role, comments, drives) => {
    const threadId = await threadOf(ann)
    await share(threadId, bob, role)
    expect((await bob.api.thread.list.query({})).roles[threadId]).toBe(role)
    expect(await listed(bob)).toContain(threadId)
    expect((await bob.api.thread.get.query({ threadId })).role).toBe(role)
    expect((await bob.api.rollout.list.query({})).rollouts.map((row) => row.threadId)).toContain(threadId)
    const judged = bob.api.review.judge.mutate({
      ...{ threadId, action: 'given', verdict: 'accepted', reason: '', baseVersion: 0 },
    })
    expect(await codeOf(judged)).toBe(comments ? 'ok' : 'forbidden')
    const settings = bob.api.thread.submit.mutate({
      ...{ threadId, clientId: newId('op'), op: { type: 'thread.settings', settings: { effort: null } } },
    })
    expect(await codeOf(settings)).toBe(drives ? 'ok' : 'forbidden')
    expect(await codeOf(bob.api.thread.rename.mutate({ threadId, title: 'Mine' }))).toBe('forbidden')
    expect(await codeOf(share(threadId, eve, 'viewer', bob))).toBe('forbidden')
    expect(await codeOf(bob.api.thread.delete.mutate({ threadId }))).toBe('forbidden')
    const wider = bob.api.thread.submit.mutate({
      ...{ threadId, clientId: newId('op') },
      op: { type: 'thread.settings', settings: { permission: 'full-access' } },
    })
    expect(await codeOf(wider)).toBe('forbidden')
  })

  test('a viewer of the team is a commenter at most, and the team is shared with as a whole', async () => {
    const threadId = await threadOf(ann)
    await ann.api.sharing.shareWithTeam.mutate({ threadId, role: 'driver' })
    expect((await eve.api.thread.get.query({ threadId })).role).toBe('commenter')
    expect((await bob.api.thread.get.query({ threadId })).role).toBe('driver')
    expect(await codeOf(eve.api.thread.submit.mutate(say(threadId, 'no')))).toBe('forbidden')
    expect(await listed(eve)).toContain(threadId)
    await ann.api.sharing.shareWithTeam.mutate({ threadId, role: null })
    expect(await codeOf(eve.api.thread.get.query({ threadId }))).toBe('not_found')
    expect(await listed(bob)).not.toContain(threadId)
  })

  test('a sub-agent’s thread follows its root', async () => {
    const root = await loggedThread(team.store, ann.userId)
    const child = await loggedThread(team.store, ann.userId)
    const { default: pg } = await import('pg')
    const client = new pg.Client({ connectionString: team.test.url })
    await client.connect()
    await client.query(
      `update "Thread" set "parentThreadId" = $2, "rootThreadId" = $2, "agentPath" = '/root/a' where id = $1`,
      [child.threadId, root.threadId],
    )
    await client.end()
    expect(await codeOf(bob.api.thread.get.query({ threadId: child.threadId }))).toBe('not_found')
    await share(child.threadId, bob, 'viewer')
    expect((await bob.api.thread.get.query({ threadId: child.threadId })).role).toBe('viewer')
    expect((await bob.api.thread.get.query({ threadId: root.threadId })).role).toBe('viewer')
    await ann.api.sharing.handOver.mutate({ threadId: root.threadId, toUserId: bob.userId })
    expect((await bob.api.thread.get.query({ threadId: child.threadId })).role).toBe('owner')
    expect((await ann.api.thread.get.query({ threadId: child.threadId })).role).toBe('driver')
  })

  test('ownership is handed over; the owner of before stays as said, or leaves', async () => {
    const threadId = await threadOf(ann)
    await share(threadId, bob, 'viewer')
    expect(await codeOf(ann.api.sharing.handOver.mutate({ threadId, toUserId: eve.userId }))).toBe(
      'forbidden',
    )
    expect(await codeOf(ann.api.sharing.handOver.mutate({ threadId, toUserId: newId('usr') }))).toBe(
      'not_found',
    )
    expect(await codeOf(share(threadId, ann, 'viewer'))).toBe('conflict')
    const sharing = await ann.api.sharing.handOver.mutate({
      threadId,
      toUserId: bob.userId,
      keep: 'commenter',
    })
    expect(sharing).toMatchObject({ ownerId: bob.userId, role: 'commenter' })
    expect(sharing?.people.map(({ name, role }) => `${name} ${role}`)).toEqual(['Bob owner', 'Ann commenter'])
    expect(await codeOf(ann.api.thread.rename.mutate({ threadId, title: 'x' }))).toBe('forbidden')
    expect(await bob.api.sharing.handOver.mutate({ threadId, toUserId: ann.userId, keep: null })).toBeNull()
    expect(await codeOf(bob.api.thread.get.query({ threadId }))).toBe('not_found')
  })

  test('whoever it is shared with may leave it', async () => {
    const threadId = await threadOf(ann)
    await share(threadId, bob, 'driver')
    expect(await bob.api.sharing.leave.mutate({ threadId })).toBeNull()
    expect(await listed(bob)).not.toContain(threadId)
    expect(await codeOf(ann.api.sharing.leave.mutate({ threadId }))).toBe('conflict')
  })

  test('SEC-62 search and history show what is shared, and nothing of it any more afterwards, whatever was indexed', async () => {
    const mine = await loggedThread(team.store, bob.userId)
    const theirs = await loggedThread(team.store, ann.userId)
    const secret = await loggedThread(team.store, ann.userId)
    const word = 'zanzibar'
    for (const [thread, text] of [
      [mine, `${word} mine`],
      [theirs, `${word} shared`],
      [secret, `${word} private`],
    ] as const)
      await thread.write(said(text))
    const found = async () => {
      const { entries, count } = await bob.api.history.searchAll.query({ text: word, count: true })
      expect(count?.events).toBe(entries.length)
      return entries.map(({ threadId }) => threadId).sort()
    }
    expect(await found()).toEqual([mine.threadId])
    await share(theirs.threadId, bob, 'viewer')
    const both = [mine.threadId, theirs.threadId].sort()
    expect(await found()).toEqual(both)
    const pages: string[] = []
    let cursor: string | undefined
    do {
      const page = await bob.api.history.searchAll.query({
        text: word,
        limit: 1,
        ...(cursor ? { cursor } : {}),
      })
      pages.push(...page.entries.map(({ threadId }) => threadId))
      cursor = page.cursor ?? undefined
    } while (cursor !== undefined)
    expect(pages.sort()).toEqual(both)
    // Once more with the index behind it.
    const { createIndexer } = await import('./search/indexer.ts')
    for (const { threadId } of [mine, theirs, secret])
      await createIndexer(team.store).catchUp(threadId, () => false)
    expect(await found()).toEqual(both)
    await share(theirs.threadId, bob, null)
    expect(await found()).toEqual([mine.threadId])
    expect(await codeOf(bob.api.history.items.query({ threadId: theirs.threadId }))).toBe('not_found')
  })
})

test('the queue asks for a verdict of those who may give one', async () => {
  const { threadId } = await seedRollout(team.store, { projectId, ownerId: ann.userId, events: 60 })
  const asked = async (person: Person) =>
    (await person.api.review.queue.query({ heap: 'to_review', limit: 100 })).lines.some(
      (line) => line.threadId === threadId,
    )
  expect([await asked(ann), await asked(bob)]).toEqual([true, false])
  await share(threadId, bob, 'viewer')
  expect(await asked(bob)).toBe(false)
  await share(threadId, bob, 'commenter')
  expect(await asked(bob)).toBe(true)
  await ann.api.sharing.shareWithTeam.mutate({ threadId, role: 'viewer' })
  expect(await asked(eve)).toBe(false)
})

describe('what is open', () => {
  test('a thread that is not shared any more ends its streams, and leaves the list', async () => {
    const threadId = await threadOf(ann)
    await share(threadId, bob, 'viewer')
    const tab = bob.tab()
    const ends: string[] = []
    const rows: string[] = []
    const start = async (): Promise<void> =>
      new Promise((resolve) => {
        tab.api.thread.live.subscribe(
          { threadId, after: 0 },
          {
            onData: () => resolve(),
            onError: (error) => void ends.push(error.data?.fact?.code ?? error.message),
          },
        )
      })
    await start()
    tab.api.sharing.live.subscribe(
      { threadId },
      { onError: (error) => void ends.push(error.data?.fact?.code ?? error.message) },
    )
    let isListening = false
    tab.api.thread.listChanges.subscribe(undefined, {
      onStarted: () => {
        isListening = true
      },
      onData: (change) =>
        void rows.push(change.type === 'removed' ? `- ${change.threadId}` : `+ ${change.projection.id}`),
    })
    await until(() => isListening)
    await ann.api.thread.rename.mutate({ threadId, title: 'Still shared' })
    await until(() => rows.includes(`+ ${threadId}`))
    await share(threadId, bob, null)
    await until(() => ends.length === 2)
    expect(ends).toEqual(['not_found', 'not_found'])
    await until(() => rows.includes(`- ${threadId}`))
    expect(rows.filter((row) => row.endsWith(threadId)).at(-1)).toBe(`- ${threadId}`)
    tab.close()
  })

  test('a thread that is shared now shows in the list at once', async () => {
    const threadId = await threadOf(ann)
    const tab = bob.tab()
    const shown = new Set<string>()
    let isListening = false
    tab.api.thread.listChanges.subscribe(undefined, {
      onStarted: () => {
        isListening = true
      },
      onData: (change) => void (change.type === 'upsert' && shown.add(change.projection.id)),
    })
    await until(() => isListening)
    await share(threadId, bob, 'commenter')
    await until(() => shown.has(threadId))
    tab.close()
  })

  test('presence: who is there and who writes; a role that changes is told', async () => {
    const threadId = await threadOf(ann)
    await share(threadId, bob, 'viewer')
    const [first, second] = [ann.tab(), bob.tab()]
    const heard: ThreadPeopleChange[] = []
    const here = () => {
      const last = heard.findLast((change) => change.type === 'presence')
      return last?.type === 'presence'
        ? last.people.map(({ name, typing }) => `${name}${typing ? '…' : ''}`)
        : []
    }
    const roles: string[] = []
    first.api.sharing.live.subscribe({ threadId }, { onData: (change) => void heard.push(change) })
    second.api.sharing.live.subscribe(
      { threadId },
      { onData: (change) => void (change.type === 'sharing' && roles.push(change.sharing.role)) },
    )
    await until(() => here().length === 2)
    expect(here().sort()).toEqual(['Ann', 'Bob'])
    await second.api.sharing.typing.mutate({ threadId, typing: true })
    await until(() => here().includes('Bob…'))
    await second.api.sharing.typing.mutate({ threadId, typing: false })
    await until(() => here().includes('Bob'))
    await share(threadId, bob, 'driver')
    await until(() => roles.at(-1) === 'driver')
    await team.owner.api.member.setRole.mutate({ userId: bob.userId, role: 'viewer' })
    await until(() => roles.at(-1) === 'commenter')
    await team.owner.api.member.setRole.mutate({ userId: bob.userId, role: 'member' })
    second.close()
    await until(() => here().length === 1)
    first.close()
  })

  test('two drivers who stop and steer at once: one stop, every message once, each with its author', async () => {
    const threadId = await threadOf(ann)
    await share(threadId, bob, 'driver')
    team.test.play([[new Promise(() => undefined)]])
    await ann.api.thread.submit.mutate(say(threadId, 'begin'))
    const started = await team.test.until(threadId, ({ type }) => type === 'step.started')
    const turnId = started.find(({ type }) => type === 'turn.started')?.turnId ?? ''
    const steer = (text: string) => ({
      ...say(threadId, text),
      op: { type: 'turn.steer' as const, content: [{ type: 'text' as const, text }], expectedTurnId: turnId },
    })
    const stop = () => ({ threadId, clientId: newId('op'), op: { type: 'turn.interrupt' as const, turnId } })
    const receipts = await Promise.all([
      ann.api.thread.submit.mutate(steer('from Ann')),
      bob.api.thread.submit.mutate(steer('from Bob')),
      ann.api.thread.submit.mutate(stop()),
      bob.api.thread.submit.mutate(stop()),
    ])
    const all = await team.test.until(threadId, ({ type }) => type === 'turn.interrupted')
    expect(all.filter(({ type }) => type === 'turn.interrupted')).toHaveLength(1)
    // Each is decided: applied, or refused with what to do.
    for (const receipt of receipts)
      expect(receipt.status === 'refused' ? receipt.error?.next : receipt.status).toBeTruthy()
    const authors = (await team.test.events(threadId)).flatMap((event) =>
      event.type === 'item.completed' && event.body.item.type === 'user_message'
        ? [[JSON.stringify(event.body.item.content).match(/from \w+|begin/)?.[0], event.actorId]]
        : [],
    )
    for (const [text, author] of authors) expect(author).toBe(text === 'from Bob' ? bob.userId : ann.userId)
    expect(new Set(authors.map(([text]) => text)).size).toBe(authors.length)
    const names = await ann.api.member.names.query({ ids: [ann.userId, bob.userId] })
    expect(names.map(({ name }) => name).sort()).toEqual(['Ann', 'Bob'])
  })
})

describe('the audit log', () => {
  test('SEC-64 what was shared, changed and read is written down once, with who and by which session', async () => {
    const threadId = await threadOf(ann)
    await share(threadId, bob, 'viewer')
    for (let again = 0; again < 3; again += 1) await bob.api.thread.get.query({ threadId })
    await bob.api.rollout.skeleton.query({ threadId })
    await ann.api.thread.get.query({ threadId })
    const { rows } = await team.owner.api.audit.list.query({ targetType: 'thread', targetId: threadId })
    expect(rows.map(({ action, actorName }) => `${actorName} ${action}`)).toEqual([
      'Bob thread.read',
      'Ann thread.share',
      'Ann thread.create',
    ])
    expect(rows[1]).toMatchObject({ details: { userId: bob.userId, from: null, to: 'viewer' } })
    for (const { via } of rows.slice(0, 2)) expect(via).toMatchObject({ type: 'session' })
    // Neither text nor title of a private thread is in it.
    expect(await codeOf(bob.api.audit.list.query({}))).toBe('forbidden')
  })

  test('it is read by pages, by who, what and when', async () => {
    const first = await team.owner.api.audit.list.query({ limit: 2 })
    expect(first.rows).toHaveLength(2)
    const second = await team.owner.api.audit.list.query({ limit: 2, cursor: first.cursor ?? '' })
    expect(Number(second.rows[0]?.id)).toBeLessThan(Number(first.rows[1]?.id))
    const shares = await team.owner.api.audit.list.query({ action: 'thread.share', actorId: ann.userId })
    expect(new Set(shares.rows.map(({ action }) => action))).toEqual(new Set(['thread.share']))
    const all = await team.owner.api.audit.list.query({ action: 'member' })
    expect(all.rows.every(({ action }) => action.startsWith('member.'))).toBe(true)
    expect((await team.owner.api.audit.list.query({ to: 1 })).rows).toEqual([])
  })
})
