import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seedRollout } from '../../test/bench/parts/seed-rollout.ts'
import { openTestDoors, type TestDoors } from '../../test/setup/doors.ts'
import { sha256 } from '../lib/sha256.ts'
import { newId } from '../protocol/ids.ts'

let doors: TestDoors
beforeAll(async () => {
  doors = await openTestDoors()
})
afterAll(() => doors?.close())

describe('rollouts', () => {
  test('SEC-38 SEC-55 the bytes of a step are served to its reader only, inert, whole or in part', async () => {
    const { store, get, ownerId: me } = doors
    const project = await store.projects.create({ name: 'Steps' }, me)
    const options = { projectId: project.id, events: 40 }
    const mine = await seedRollout(store, { ...options, ownerId: me })
    const theirs = await seedRollout(store, { ...options, ownerId: newId('usr') })
    const stepOf = async (threadId: string) => (await store.windows.steps(threadId))[0]
    const step = await stepOf(mine.threadId)
    const path = `/t/${mine.threadId}/steps/${step?.stepId}/request`

    const served = await get(path)
    const bytes = Buffer.from(await served.arrayBuffer())
    expect(sha256(bytes)).toBe(step?.bodySha256)
    expect(served.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(served.headers.get('content-disposition')).toContain('attachment')
    expect(served.headers.get('content-security-policy')).toBe(
      "default-src 'none'; sandbox; frame-ancestors 'none'",
    )
    expect(served.headers.get('x-content-type-options')).toBe('nosniff')
    expect(served.headers.get('content-length')).toBe(String(bytes.length))
    const part = async (more: string, headers: Record<string, string> = {}) => {
      const answer = await get(`${path}${more}`, headers)
      return [answer.status, await answer.text(), answer.headers.get('content-range')]
    }
    const words = bytes.toString('utf8')
    expect(await part('?from=2&limit=5')).toEqual([200, words.slice(2, 7), null])
    expect(await part('?from=99999999')).toEqual([200, '', null])
    expect(await part('', { range: 'bytes=3-9' })).toEqual([
      ...[206, words.slice(3, 10)],
      `bytes 3-9/${bytes.length}`,
    ])
    expect(await part('', { range: 'bytes=-4' })).toEqual([
      ...[206, words.slice(-4)],
      `bytes ${bytes.length - 4}-${bytes.length - 1}/${bytes.length}`,
    ])
    expect(await part('', { range: 'bytes=99999999-' })).toEqual([416, '', `bytes */${bytes.length}`])

    const status = async (threadId: string, stepId: string | undefined, isOwner = true) =>
      (await get(`/t/${threadId}/steps/${stepId}/request`, {}, isOwner)).status
    const other = await stepOf(theirs.threadId)
    expect(await status(mine.threadId, step?.stepId, false)).toBe(401)
    expect(await status(theirs.threadId, other?.stepId)).toBe(404)
    expect(await status(mine.threadId, other?.stepId)).toBe(404)
    expect(await status(mine.threadId, newId('stp'))).toBe(404)
    expect(await status(mine.threadId, '..%2f..')).toBe(404)
    // Of this answer nothing was kept.
    expect((await get(`/t/${mine.threadId}/steps/${step?.stepId}/response`)).status).toBe(404)
  })

  test('the doors of a rollout tell what is in it, and nothing of another’s', async () => {
    const { store, api, ownerId: me } = doors
    const project = await store.projects.create({ name: 'Doors' }, me)
    const options = { projectId: project.id, events: 600, seed: 4 }
    const { threadId, steps } = await seedRollout(store, {
      ...options,
      ownerId: me,
      title: 'Ten % of it_all',
    })
    const theirs = await seedRollout(store, { ...options, ownerId: newId('usr') })
    const skeleton = await api.rollout.skeleton.query({ threadId })
    expect(skeleton.totals.steps).toBe(steps)
    const { rows, total } = await api.rollout.rows.query({
      threadId,
      filter: { kinds: ['step'] },
      limit: 200,
    })
    expect(total).toBe(steps)
    const stepId = rows.at(-1)?.stepId ?? ''
    const step = await api.rollout.step.query({ threadId, stepId })
    expect(step.request.rebuiltSha256).toBe(step.request.bodySha256)
    const { blocks } = await api.rollout.blocks.query({ threadId, stepId })
    expect(blocks).not.toHaveLength(0)
    const { text } = await api.rollout.block.query({ threadId, stepId, idx: 5, limitChars: 8 })
    expect(text).toBe('You are ')
    const place = await api.rollout.locate.query({ threadId, place: { stepId } })
    expect(place.idx).toBe(step.row.idx)
    const foreign = (await store.windows.steps(theirs.threadId))[0]?.stepId ?? ''
    for (const ask of [
      () => api.rollout.step.query({ threadId, stepId: foreign }),
      () => api.rollout.blocks.query({ threadId, stepId: foreign }),
      () => api.rollout.block.query({ threadId, stepId: foreign, idx: 0 }),
      () => api.rollout.difference.query({ threadId, a: stepId, b: foreign }),
      () => api.rollout.handOver.query({ threadId, windowId: newId('win') }),
      () => api.rollout.skeleton.query({ threadId: theirs.threadId }),
    ])
      await expect(ask()).rejects.toMatchObject({ data: { fact: { code: 'not_found' } } })

    const found = async (text: string) =>
      (await api.rollout.list.query({ text })).rollouts.map((each) => each.threadId)
    expect(await found('% of it_')).toEqual([threadId])
    expect(await found('ten _')).toEqual([])
    const seen: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await api.rollout.list.query({ limit: 1, ...(cursor ? { cursor } : {}) })
      seen.push(...page.rollouts.map((each) => each.threadId))
      cursor = page.cursor
    }
    expect(seen).toContain(threadId)
    expect(seen).not.toContain(theirs.threadId)
    expect(new Set(seen).size).toBe(seen.length)
  })
})
