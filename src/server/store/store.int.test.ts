import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeThread, openTestStore, type TestStore } from '../../../test/setup/store.ts'
import { newId } from '../../protocol/ids.ts'
import { createStore } from './store.ts'

let test: TestStore

beforeAll(async () => {
  test = await openTestStore()
})
afterAll(async () => {
  await test?.close()
})

const addUser = async (): Promise<string> => {
  const id = newId('usr')
  const client = new pg.Client({ connectionString: test.url })
  await client.connect()
  await client.query(`insert into "User" (id, name, email) values ($1, 'Ada', $2)`, [id, `${id}@example.org`])
  await client.end()
  return id
}

const owner = async (): Promise<string> => {
  const ownerId = newId('own')
  await test.store.leases.register({ ownerId, installId: 'test', worker: ownerId })
  return ownerId
}

describe('members', () => {
  it('a set-up link makes one owner, once', async () => {
    const { members, invites } = test.store
    const { token } = await members.makeInvite('setup', 'owner', 60_000)
    expect(await invites.look(token)).toMatchObject({ kind: 'setup', role: 'owner', state: 'open' })
    const [first, second] = [await addUser(), await addUser()]
    expect(await invites.redeem(token, first)).toMatchObject({ userId: first, role: 'owner' })
    await expect(invites.redeem(token, second)).rejects.toMatchObject({ code: 'conflict' })
    expect(await invites.look(token)).toMatchObject({ state: 'used' })
    expect(await invites.look('other')).toBeNull()
    expect(await members.get(first)).toMatchObject({ name: 'Ada', disabled: false })
    expect(await members.get(second)).toBeNull()
    await expect(members.add(newId('usr'), 'member')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('providers', () => {
  const input = { name: 'Mine', kind: 'openai-chat' as const, baseUrl: 'https://example.org/v1', models: [] }

  it('keeps the key encrypted and shows only that there is one', async () => {
    const { providers } = test.store
    const made = await providers.create({ ...input, key: 'sk-test-123456' }, 'system')
    expect(made).toMatchObject({ hasKey: true, source: 'settings' })
    expect(JSON.stringify(await providers.list())).not.toContain('sk-test')
    expect(await providers.key(made.id)).toBe('sk-test-123456')
    expect(await providers.update(made.id, { name: 'Other' }, 'system')).toMatchObject({
      name: 'Other',
      hasKey: true,
    })
    expect(await providers.update(made.id, { key: null }, 'system')).toMatchObject({ hasKey: false })
    await providers.remove(made.id, 'system')
    await expect(providers.get(made.id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('cannot open a key with another server key', async () => {
    const made = await test.store.providers.create({ ...input, key: 'sk-a' }, 'system')
    const other = createStore({ databaseUrl: test.url, secretKey: randomBytes(32) })
    await expect(other.providers.key(made.id)).rejects.toMatchObject({ code: 'internal' })
    await other.close()
  })

  it('has one provider per source that the server makes', async () => {
    const first = await test.store.providers.upsertManaged('environment', { ...input, key: 'sk-1' })
    const second = await test.store.providers.upsertManaged('environment', {
      ...input,
      name: 'New',
      key: 'sk-2',
    })
    expect(second).toMatchObject({ id: first.id, name: 'New' })
    expect(await test.store.providers.key(first.id)).toBe('sk-2')
    await expect(test.store.providers.remove(first.id, 'system')).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe('threads', () => {
  it('lists, renames, pins, archives, searches literally, and tells of it', async () => {
    const { threads } = test.store
    const thread = await makeThread(test.store, await owner())
    const told: string[] = []
    const stop = threads.onChange((threadId) => told.push(threadId))
    await threads.rename(thread.threadId, '100% of a_b', thread.ownerId)
    await threads.pin(thread.threadId, true, thread.ownerId)
    stop()
    expect(told).toEqual([thread.threadId, thread.threadId])
    const found = await threads.list({ search: '0% OF A_', projectId: thread.projectId })
    expect(found.map((row) => row.id)).toEqual([thread.threadId])
    expect(found[0]).toMatchObject({ pinned: true, projectName: 'Sample', head: 1, status: 'idle' })
    expect(await threads.list({ search: 'a-b', projectId: thread.projectId })).toEqual([])
    await threads.archive(thread.threadId, true, thread.ownerId)
    expect(await threads.list({ projectId: thread.projectId })).toEqual([])
    expect(await threads.list({ projectId: thread.projectId, archived: true })).toHaveLength(1)
  })

  it('is removed with everything that only it had', async () => {
    const { threads, blobs, drafts, projects } = test.store
    const lease = await owner()
    const [one, two] = [await makeThread(test.store, lease), await makeThread(test.store, lease)]
    const [own, both] = [await blobs.put(Buffer.from('own')), await blobs.put(Buffer.from('both'))]
    await blobs.ref(one.threadId, own)
    await blobs.ref(one.threadId, both)
    await blobs.ref(two.threadId, both)
    await drafts.save(one.threadId, [{ itemId: newId('itm'), part: 'text', offset: 0, text: 'a\u0000b' }])
    expect((await drafts.list(one.threadId))[0]?.text).toBe('a\uFFFDb')
    await expect(projects.remove(one.projectId, 'system')).rejects.toMatchObject({ code: 'conflict' })
    await threads.remove(one.threadId, one.ownerId)
    await expect(threads.get(one.threadId)).rejects.toMatchObject({ code: 'not_found' })
    expect(await blobs.size(own)).toBeNull()
    expect(Buffer.from(await blobs.get(both)).toString()).toBe('both')
    await projects.remove(one.projectId, 'system')
  })
})

describe('text that the database cannot hold', () => {
  it('is bad input wherever it comes in, not a defect', async () => {
    const { projects, providers, threads } = test.store
    const badInput = { code: 'bad_input' }
    await expect(projects.create({ name: 'a\u0000b' }, newId('usr'))).rejects.toMatchObject(badInput)
    await expect(projects.create({ name: 'a', instructions: '\u0000' }, newId('usr'))).rejects.toMatchObject(
      badInput,
    )
    await expect(
      providers.create({ name: 'a\u0000', kind: 'openai-chat', baseUrl: null, models: [] }, newId('usr')),
    ).rejects.toMatchObject(badInput)
    await expect(threads.list({ ownerId: newId('usr'), search: 'a\u0000' })).rejects.toMatchObject(badInput)
  })
})

describe('projects', () => {
  it('keep one upload, and a thread keeps the one that it began with', async () => {
    const { projects, blobs, threads } = test.store
    const thread = await makeThread(test.store, await owner())
    const [old, next] = [await blobs.put(Buffer.from('old')), await blobs.put(Buffer.from('next'))]
    const upload = (hash: string) =>
      projects.setUpload(thread.projectId, { hash, files: 1, bytes: 3 }, 'system')
    expect(await upload(old)).toMatchObject({ source: { type: 'upload', files: 1 }, threadCount: 1 })
    await upload(next)
    expect(await blobs.size(old)).toBeNull()
    const seeded = { ...thread, threadId: newId('thr'), seed: { type: 'upload' as const, hash: next } }
    await threads.create({ ...seeded, first: { ...thread.first, threadId: seeded.threadId } })
    const third = await blobs.put(Buffer.from('third'))
    await upload(third)
    expect(await blobs.size(next)).toBe(4)
    for (const { threadId } of [thread, seeded]) await threads.remove(threadId, 'system')
    expect(await blobs.size(next)).toBeNull()
    await projects.remove(thread.projectId, 'system')
    expect(await blobs.size(third)).toBeNull()
  })
})

describe('blobs', () => {
  it('keeps the same bytes once, in chunks, and reads ranges', async () => {
    const { blobs } = test.store
    const bytes = randomBytes(2_500_000)
    const hash = await blobs.put(bytes)
    expect(await blobs.put(bytes)).toBe(hash)
    expect(Buffer.compare(Buffer.from(await blobs.get(hash)), bytes)).toBe(0)
    const range = []
    for await (const piece of blobs.read(hash, { from: 1_000_000, limit: 200_000 })) range.push(piece)
    expect(Buffer.compare(Buffer.concat(range), bytes.subarray(1_000_000, 1_200_000))).toBe(0)
    const empty = await blobs.put(new Uint8Array())
    expect(await blobs.get(empty)).toHaveLength(0)
    await expect(blobs.get('0'.repeat(64))).rejects.toMatchObject({ code: 'not_found' })
  })

  it('takes a stream up to a limit', async () => {
    const { blobs } = test.store
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let index = 0; index < 30; index++) yield Buffer.alloc(100_000, index)
    }
    const all = Buffer.concat(Array.from({ length: 30 }, (_, index) => Buffer.alloc(100_000, index)))
    const { hash, bytes } = await blobs.putStream(source(), 10_000_000)
    expect(bytes).toBe(3_000_000)
    expect(Buffer.compare(Buffer.from(await blobs.get(hash)), all)).toBe(0)
    expect(await blobs.putStream(source(), 10_000_000)).toEqual({ hash, bytes })
    await expect(blobs.putStream(source(), 1_000_000)).rejects.toMatchObject({ code: 'too_large' })
  })
})

describe('connections', () => {
  it('that break in the middle of an upload fail it, and nothing else', async () => {
    const { blobs } = test.store
    const half = Promise.withResolvers<void>()
    const cut = Promise.withResolvers<void>()
    async function* source(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(1_500_000)
      half.resolve()
      await cut.promise
      yield Buffer.alloc(1_500_000)
    }
    const put = blobs.putStream(source(), 10_000_000)
    put.catch(() => undefined)
    await half.promise
    const client = new pg.Client({ connectionString: test.url })
    await client.connect()
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
    await client.end()
    cut.resolve()
    await expect(put).rejects.toMatchObject({ code: 'internal' })
    await expect.poll(() => test.store.health(), { timeout: 60_000 }).toBe(true)
    expect(await blobs.put(Buffer.from('after'))).toHaveLength(64)
  })
})

describe('sandboxes', () => {
  it('gives a pooled one away once', async () => {
    const { sandboxes } = test.store
    const row = {
      sandboxId: newId('sbx'),
      installId: 'test',
      threadId: null,
      containerId: null,
      volume: 'v',
      image: 'i',
      status: 'ready',
      uid: 20_001,
      createdAt: 1_800_000_000_000,
      usedAt: 1_800_000_000_001,
      data: { spec: 'a' },
    }
    await sandboxes.save(row)
    const threadId = newId('thr')
    const given = await Promise.all([
      sandboxes.assign(row.sandboxId, threadId),
      sandboxes.assign(row.sandboxId, newId('thr')),
    ])
    expect(given.filter(Boolean)).toHaveLength(1)
    expect(await sandboxes.list('test')).toHaveLength(1)
    expect(await sandboxes.list('other')).toEqual([])
    await sandboxes.remove(row.sandboxId)
    expect(await sandboxes.ofThread(threadId)).toBeNull()
  })
})
