import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loggedThread } from '../../../test/setup/logged-thread.ts'
import { openTestStore, type TestStore } from '../../../test/setup/store.ts'
import { newId } from '../../protocol/ids.ts'
import type { NotesOf } from './types.ts'

let test: TestStore
beforeAll(async () => {
  test = await openTestStore()
})
afterAll(async () => {
  await test?.close()
})

const agent = (text: string, path = 'plan.md', seen = 0) => ({
  path,
  text,
  seen,
  mode: 'write' as const,
  actorId: 'agent',
  writer: '/root',
})

const freshNotes = async (): Promise<NotesOf> => ({
  rootThreadId: (await loggedThread(test.store)).threadId,
  agentPath: '/root',
})

describe('notes', () => {
  it('keeps every version, the newest on top', async () => {
    const of = await freshNotes()
    await test.store.notes.write(of, agent('one'))
    const second = await test.store.notes.write(of, { ...agent(', two', 'plan.md'), mode: 'append' })
    expect(second).toMatchObject({ file: { version: 2, bytes: 8, path: 'plan.md' }, over: null })
    expect((await test.store.notes.read(of, 'plan.md'))?.text).toBe('one, two')
    expect((await test.store.notes.read(of, 'plan.md', 1))?.text).toBe('one')
    expect(await test.store.notes.read(of, 'plan.md', 3)).toBeNull()
    expect(await test.store.notes.read(of, 'other.md')).toBeNull()
    expect(
      (await test.store.notes.versions(of, 'plan.md', { limit: 10 })).map(({ version }) => version),
    ).toEqual([2, 1])
  })

  it('the same text again is no version', async () => {
    const of = await freshNotes()
    await test.store.notes.write(of, agent('one'))
    expect(await test.store.notes.write(of, agent('one'))).toMatchObject({
      file: { version: 1 },
      unchanged: true,
    })
  })

  it('keeps both of two writers and tells the second', async () => {
    const of = await freshNotes()
    const person = newId('usr')
    await test.store.notes.write(of, agent('the agent’s'))
    const edit = { ...agent('the person’s', 'plan.md', 1), actorId: person, writer: person }
    expect((await test.store.notes.write(of, edit)).over).toBeNull()
    const late = await test.store.notes.write(of, agent('the agent’s second', 'plan.md', 1))
    expect(late).toMatchObject({ file: { version: 3 }, over: { version: 2, actorId: person } })
    expect((await test.store.notes.read(of, 'plan.md', 2))?.text).toBe('the person’s')
    // The agent's own later versions are no news to it.
    expect((await test.store.notes.write(of, agent('third', 'plan.md', 1))).over).toBeNull()
  })

  it('numbers the versions of writers at the same time without a hole', async () => {
    const of = await freshNotes()
    const texts = Array.from({ length: 12 }, (_, index) => `line ${index}\n`)
    await Promise.all(texts.map((text) => test.store.notes.write(of, { ...agent(text), mode: 'append' })))
    const versions = await test.store.notes.versions(of, 'plan.md', { limit: 100 })
    expect(versions.map(({ version }) => version)).toEqual(texts.map((_, index) => texts.length - index))
    const whole = (await test.store.notes.read(of, 'plan.md'))?.text ?? ''
    expect(whole.split('\n').sort()).toEqual([...texts.map((text) => text.trim()), ''].sort())
  })

  it('refuses what is too large and keeps what was there', async () => {
    const of = await freshNotes()
    await test.store.notes.write(of, agent('é'.repeat(500_000)))
    await expect(test.store.notes.write(of, agent('x'.repeat(1_000_001)))).rejects.toMatchObject({
      code: 'note_rejected',
    })
    await expect(test.store.notes.write(of, { ...agent('x'), mode: 'append' })).rejects.toMatchObject({
      code: 'note_rejected',
    })
    await expect(test.store.notes.write(of, agent('a\0b'))).rejects.toMatchObject({ code: 'note_rejected' })
    expect((await test.store.notes.read(of, 'plan.md'))?.bytes).toBe(1_000_000)
  })

  it('holds ten thousand files and no more', async () => {
    const of = await freshNotes()
    await test.store.notes.write(of, agent('x', 'file 1'))
    const client = new pg.Client({ connectionString: test.url })
    await client.connect()
    await client.query(
      `insert into "Note" ("rootThreadId", "agentPath", path, version, hash, bytes, "actorId", writer, "createdAt", at)
       select "rootThreadId", "agentPath", 'file ' || g, 1, hash, bytes, "actorId", writer, "createdAt", at
       from "Note", generate_series(2, 10000) g where "rootThreadId" = $1`,
      [of.rootThreadId],
    )
    await client.end()
    await expect(test.store.notes.write(of, agent('x', 'one more'))).rejects.toMatchObject({
      code: 'note_rejected',
    })
    expect((await test.store.notes.write(of, agent('y', 'file 77'))).file.version).toBe(2)
    const order = { orderBy: 'updated_at', descending: true, limit: 1 } as const
    expect(await test.store.notes.list(of, '', order)).toMatchObject({
      files: [{ path: 'file 77' }],
      total: 10_000,
    })
  })

  it('lists by prefix, in pages, in each order', async () => {
    const of = await freshNotes()
    for (const path of ['b/2.md', 'a.md', 'b/1.md', 'B%_\\.md'])
      await test.store.notes.write(of, agent(path, path))
    const list = async (prefix: string, descending = false, after?: string) => {
      const order = {
        orderBy: 'name',
        descending,
        limit: 2,
        ...(after === undefined ? {} : { after }),
      } as const
      return (await test.store.notes.list(of, prefix, order)).files.map(({ path }) => path)
    }
    expect(await list('')).toEqual(['B%_\\.md', 'a.md'])
    expect(await list('', false, 'a.md')).toEqual(['b/1.md', 'b/2.md'])
    expect(await list('', true)).toEqual(['b/2.md', 'b/1.md'])
    expect(await list('', true, 'b/1.md')).toEqual(['a.md', 'B%_\\.md'])
    expect(await list('b/')).toEqual(['b/1.md', 'b/2.md'])
    expect(await list('%')).toEqual([])
    expect(
      (await test.store.notes.list(of, 'b', { orderBy: 'name', descending: false, limit: 1 })).total,
    ).toBe(2)
    const recent = await test.store.notes.list(of, '', { orderBy: 'updated_at', descending: true, limit: 1 })
    expect(recent.files[0]?.path).toBe('B%_\\.md')
  })

  it('finds literals in newest versions only, whatever their characters', async () => {
    const of = await freshNotes()
    const odd = `50% of 'it' \\ (.*) "漢字"`
    await test.store.notes.write(of, agent('old words'))
    await test.store.notes.write(of, agent(`first\n${odd}\nlast`))
    const find = async (literal: string) =>
      (await test.store.notes.find(of, { literal, prefix: '', limit: 5, recentFirst: true })).map(
        ({ path }) => path,
      )
    expect(await find(odd)).toEqual(['plan.md'])
    expect(await find('%')).toEqual(['plan.md'])
    expect(await find('字')).toEqual(['plan.md'])
    expect(await find('old words')).toEqual([])
    expect(await find('.*x')).toEqual([])
  })

  it('goes with its thread', async () => {
    const thread = await loggedThread(test.store)
    const of = { rootThreadId: thread.threadId, agentPath: '/root' }
    await test.store.notes.write(of, agent('words'))
    const other = await freshNotes()
    expect(await test.store.notes.read(other, 'plan.md')).toBeNull()
    await thread.remove()
    expect(await test.store.notes.read(of, 'plan.md')).toBeNull()
  })
})
