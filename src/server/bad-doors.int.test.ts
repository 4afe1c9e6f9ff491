/**
 * What people may send through the doors of notes, history, reviews and comparisons though it makes no sense, or no longer
 * does: a clear answer each time, and nothing is lost.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seedRollout } from '../../test/bench/parts/seed-rollout.ts'
import { openTestTeam, type Person, type TestTeam } from '../../test/setup/team.ts'
import { newId } from '../protocol/ids.ts'

let team: TestTeam
let ann: Person
let projectId: string

beforeAll(async () => {
  team = await openTestTeam()
  ann = await team.join('member', 'Ann')
  projectId = (await ann.api.project.create.mutate({ name: 'Odd' })).id
}, 180_000)
afterAll(() => team?.close())

const codeOf = async (call: Promise<unknown>): Promise<string> => {
  try {
    await call
    return 'answered'
  } catch (error) {
    const fact = (error as { data?: { fact?: { code?: string } } }).data?.fact
    return fact?.code ?? String(error)
  }
}
const newThread = async (events = 60): Promise<string> =>
  (await seedRollout(team.store, { projectId, ownerId: ann.userId, events })).threadId
const sql = async (text: string, values: unknown[] = []): Promise<void> => {
  const client = new pg.Client({ connectionString: team.test.url })
  await client.connect()
  await client.query(text, values).finally(() => client.end())
}

describe('texts that no table can hold', () => {
  test('are refused or not found, never a failure of the server', async () => {
    const threadId = await newThread()
    const { note, history, rollout, review } = ann.api
    const odd = [
      'a\0b',
      '\ud800',
      'a\udc00b',
      '\0',
      '..',
      "' or 1=1 --",
      '%_\\',
      '(.*)[a-z]+$',
      '& | ! <-> :*',
    ]
    const calls: Record<string, (text: string) => Promise<unknown>> = {
      'note.list prefix': (prefix) => note.list.query({ threadId, prefix }),
      'note.list after': (after) => note.list.query({ threadId, after }),
      'note.list agent': (agentPath) => note.list.query({ threadId, agentPath }),
      'note.read': (path) => note.read.query({ threadId, path }),
      'note.versions': (path) => note.versions.query({ threadId, path }),
      'history.search literal': (text) => history.search.query({ threadId, text }),
      'history.search words': (text) => history.search.query({ threadId, text, mode: 'words', count: true }),
      'history.search best': (text) => history.search.query({ threadId, text, order: 'best', mode: 'words' }),
      'history.search tool': (tool) => history.search.query({ threadId, text: 'the', tool }),
      'history.search status': (status) => history.search.query({ threadId, text: 'the', status }),
      'history.search cursor': (cursor) => history.search.query({ threadId, text: 'the', cursor }),
      'history.searchAll': (text) => history.searchAll.query({ text, mode: 'words' }),
      'history.items tool': (tool) => history.items.query({ threadId, tool }),
      'history.items cursor': (cursor) => history.items.query({ threadId, cursor }),
      'history.windows cursor': (cursor) => history.windows.query({ threadId, cursor }),
      'rollout.rows text': (text) => rollout.rows.query({ threadId, filter: { text } as never }),
      'rollout.rows tool': (tool) => rollout.rows.query({ threadId, filter: { tools: [tool] } as never }),
      'review.comment': (text) =>
        review.comment.mutate({ threadId, commentId: newId('cmt'), text, on: { seq: 1 } as never }),
    }
    const wrong: string[] = []
    for (const [name, call] of Object.entries(calls))
      for (const text of odd) {
        const code = await codeOf(call(text))
        if (!['answered', 'not_found', 'bad_input', 'note_rejected', 'rate_limited'].includes(code))
          wrong.push(`${name} ${JSON.stringify(text)}: ${code}`)
      }
    expect(wrong).toEqual([])
  })
})

describe('notes', () => {
  test('of ten thousand files are listed page by page, each once', async () => {
    const threadId = await newThread()
    expect(await team.test.send(threadId, { type: 'note.write', path: 'file 1', text: 'x' })).toMatchObject({
      status: 'applied',
    })
    await sql(
      `insert into "Note" ("rootThreadId", "agentPath", path, version, hash, bytes, "actorId", writer, "createdAt", at)
       select "rootThreadId", "agentPath", 'file ' || g, 1, hash, bytes, "actorId", writer, "createdAt", at
       from "Note", generate_series(2, 10000) g where "rootThreadId" = $1`,
      [threadId],
    )
    const seen = new Set<string>()
    for (let after: string | undefined; ; ) {
      const { files, total } = await ann.api.note.list.query({
        threadId,
        limit: 500,
        ...(after === undefined ? {} : { after }),
      })
      expect(total).toBe(10_000)
      expect(JSON.stringify(files).length).toBeLessThan(1_000_000)
      for (const { path } of files) seen.add(path)
      after = files.at(-1)?.path
      if (files.length < 500) break
    }
    expect(seen.size).toBe(10_000)
  })

  test('of very many versions are told in an answer below a megabyte, newest first', async () => {
    const threadId = await newThread()
    await team.test.send(threadId, { type: 'note.write', path: 'log.md', text: 'x' })
    await sql(
      `insert into "Note" ("rootThreadId", "agentPath", path, version, hash, bytes, "actorId", writer, "createdAt", at, newest)
       select "rootThreadId", "agentPath", path, g, hash, bytes, "actorId", writer, "createdAt", at, false
       from "Note", generate_series(2, 20000) g where "rootThreadId" = $1`,
      [threadId],
    )
    const versions = await ann.api.note.versions.query({ threadId, path: 'log.md' })
    expect(versions[0]?.version).toBe(20_000)
    expect(JSON.stringify(versions).length).toBeLessThan(1_000_000)
    const before = versions.at(-1)?.version ?? 0
    const older = await ann.api.note.versions.query({ threadId, path: 'log.md', before, limit: 300 })
    expect([older[0]?.version, older.length]).toEqual([before - 1, 300])
    expect(await ann.api.note.versions.query({ threadId, path: 'log.md', before: 1 })).toEqual([])
    expect(await ann.api.note.read.query({ threadId, path: 'log.md', version: 3 })).toMatchObject({
      version: 3,
    })
  })
})

describe('a thread that was deleted meanwhile', () => {
  test('is not found by whoever reviews, compares or exports it, and leaves the other one whole', async () => {
    const [threadId, other] = [await newThread(), await newThread()]
    const { api } = ann
    const stepId = (await team.store.log.after(other, 0, 200)).find((event) => event.stepId)?.stepId ?? ''
    const commentId = newId('cmt')
    await api.review.comment.mutate({ threadId: other, commentId, text: 'stays', on: { stepId } })
    await api.thread.delete.mutate({ threadId })
    const calls = [
      api.review.summary.query({ threadId }),
      api.review.comments.query({ threadId }),
      api.review.history.query({ threadId }),
      api.review.comment.mutate({ threadId, commentId: newId('cmt'), text: 'late', on: { stepId } }),
      api.review.judge.mutate({ threadId, action: 'given', verdict: 'accepted', reason: '', baseVersion: 0 }),
      api.review.label.mutate({ threadId }),
      api.compare.windows.query({ a: threadId, b: other, stepA: stepId, stepB: stepId }),
      api.compare.windows.query({ a: other, b: threadId, stepA: stepId, stepB: stepId }),
      api.rollout.skeleton.query({ threadId }),
      api.note.list.query({ threadId }),
    ]
    expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => 'not_found'))
    const file = await team.call(`/t/${threadId}/export?format=baton`, { cookie: ann.cookie })
    expect([file.status, file.body.error?.code]).toEqual([404, 'not_found'])
    expect((await api.review.comments.query({ threadId: other })).comments).toMatchObject([{ text: 'stays' }])
  })
})

test('the preview of an export is one answer, or the fault that any door would give', async () => {
  const threadId = await newThread()
  const preview = (threadId: string): Promise<{ threadId: string }> =>
    new Promise((resolve, reject) => {
      const asked = ann.api.export.preview.subscribe(
        { threadId, redaction: 'secrets' },
        { onData: resolve, onError: reject, onComplete: () => asked.unsubscribe() },
      )
    })
  expect(await preview(threadId)).toMatchObject({ threadId, places: expect.any(Number) })
  expect(await codeOf(preview(newId('thr')))).toBe('not_found')
})
