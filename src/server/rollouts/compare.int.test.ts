import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asked, called, loggedThread, said } from '../../../test/setup/logged-thread.ts'
import { openTestStore, type TestStore } from '../../../test/setup/store.ts'
import type { NewEvent, ThreadEvent } from '../../protocol/event.ts'
import { newId } from '../../protocol/ids.ts'
import type { Item } from '../../protocol/item.ts'
import { comparerOf } from './compare.ts'
import { rolloutsOf } from './rollouts.ts'

let test: TestStore
beforeAll(async () => {
  test = await openTestStore()
})
afterAll(async () => {
  await test?.close()
})

type Said = Item | 'step'

/** A thread of one turn for each list; `step` begins another request. */
const thread = async (...turns: Said[][]) => {
  const logged = await loggedThread(test.store)
  for (const does of turns) {
    const turnId = newId('trn')
    const base = { windowId: logged.windowId, turnId, actorId: 'agent' as const }
    const events: NewEvent[] = []
    let stepId: string | undefined
    const body = { model: { providerId: newId('prv'), model: 'm' }, modelLabel: 'Model M' }
    events.push({ ...base, type: 'turn.started', body } as NewEvent)
    for (const [n, each] of does.entries())
      if (each === 'step') {
        stepId = newId('stp')
        const step = { index: n, blockCount: 1, newBlocks: 1, bodySha256: 'a'.repeat(64), estimatedTokens: 1 }
        events.push({ ...base, type: 'step.started', stepId, body: step })
      } else
        events.push({
          ...base,
          type: 'item.completed',
          itemId: each.id,
          body: { item: each },
          ...(stepId ? { stepId } : {}),
        })
    const usage = { input: 1, cachedInput: 0, cacheWrite: 0, output: 1, reasoning: 0 }
    const end = { usage, costMicros: 1, durationMs: 1, steps: 1 }
    events.push({ ...base, type: 'turn.completed', body: end })
    await logged.write(...events)
  }
  return logged
}

const given = async (threadId: string) => {
  const row = await test.store.threads.get(threadId)
  await rolloutsOf(test.store).catchUp(threadId, { patienceMs: 60_000 })
  return { thread: row, head: row.head, totals: (await rolloutsOf(test.store).skeleton(row)).totals }
}
const compare = async (a: string, b: string) => comparerOf(test.store).compare(await given(a), await given(b))

describe('two rollouts compared', () => {
  it('part at the first thing that differs, with what stands there and the steps to judge it by', async () => {
    const one = await thread([
      asked('Fix the upload'),
      ...(['step', said('I look.'), called('read', { path: 'a.ts' }, 'aaa')] as Said[]),
      ...(['step', called('run', { cmd: 'npm test' }, 'passed')] as Said[]),
      ...(['step', said('Done.')] as Said[]),
    ])
    const two = await thread([
      asked('Fix the upload'),
      ...(['step', said('I look.'), called('read', { path: 'a.ts' }, 'aaa')] as Said[]),
      ...(['step', called('run', { cmd: 'npm test' }, '1 failed')] as Said[]),
      ...(['step', called('edit', { path: 'b.ts' }, 'edited'), 'step', said('Not done.')] as Said[]),
    ])
    const result = await compare(one.threadId, two.threadId)
    expect(result).toMatchObject({
      lines: 6,
      same: 3,
      counts: { message: 0, text: 1, tool: 0, arguments: 0, result: 1, only: 1 },
      differences: { lines: [3, 4, 5], total: 3 },
      turns: { a: 1, b: 1, both: 1 },
      a: { model: 'Model M', result: 'completed', lastWords: 'Done.', totals: { turns: 1, steps: 3 } },
      b: { lastWords: 'Not done.', totals: { steps: 4 } },
    })
    expect(result.first).toMatchObject({
      line: 3,
      turn: 0,
      fields: ['result'],
      a: { kind: 'tool', name: 'run', result: 'passed', status: 'ok' },
      b: { result: '1 failed' },
    })
    // The result is read by the step after the one that asked for it.
    const steps = async (threadId: string) =>
      (await test.store.log.ofTypes(threadId, ['step.started'])).map(({ stepId }) => stepId)
    expect(result.first?.stepA).toBe((await steps(one.threadId))[2])
    expect(result.first?.stepB).toBe((await steps(two.threadId))[2])
  })

  it('gives lines by range, all or those that differ, and what one says in full', async () => {
    const one = await thread(['step', called('read', { path: 'a' }, 'x'.repeat(1_500)), said('one')])
    const two = await thread(['step', called('read', { path: 'b' }, 'y'.repeat(1_500)), said('one')])
    const comparer = comparerOf(test.store)
    const places = (await Promise.all([given(one.threadId), given(two.threadId)])).map(
      ({ thread: { id }, head }) => ({ threadId: id, head }),
    ) as [{ threadId: string; head: number }, { threadId: string; head: number }]
    const all = await comparer.lines(...places, { from: 0, limit: 10 })
    expect(all.lines.map(({ line, fields }) => [line, fields])).toEqual([
      [0, []],
      [1, ['arguments', 'result']],
      [2, []],
    ])
    expect(all.lines[1]).toMatchObject({ a: { label: 'a' }, b: { label: 'b' } })
    expect(await comparer.lines(...places, { from: 0, limit: 10, only: ['result'] })).toMatchObject({
      total: 1,
      lines: [{ line: 1 }],
    })
    expect(await comparer.lines(...places, { from: 2, limit: 1 })).toMatchObject({ total: 3, from: 2 })
    const detail = await comparer.detail(...places, 1)
    expect(detail.a).toEqual({ said: '{"path":"a"}', gave: 'x'.repeat(1_500), cut: false })
    await expect(comparer.detail(...places, 9)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('does not move while one of them goes on', async () => {
    const one = await thread([asked('x'), said('one')])
    const two = await thread([asked('x'), said('one')])
    const before = await compare(one.threadId, two.threadId)
    await two.write(said('and more'))
    const places = [
      { threadId: one.threadId, head: before.a.head },
      { threadId: two.threadId, head: before.b.head },
    ] as const
    expect((await comparerOf(test.store).lines(...places, { from: 0, limit: 9 })).total).toBe(before.lines)
    expect(await compare(one.threadId, two.threadId)).toMatchObject({
      lines: before.lines + 1,
      first: { fields: ['only'] },
    })
  })

  it('of 20,000 events each answers under a megabyte', async () => {
    const long = async (odd: number) => {
      const logged = await loggedThread(test.store)
      const items: Item[] = Array.from({ length: 20_000 }, (_, n) =>
        n % odd === 0 ? said(`odd ${odd} ${n}`) : called('read', { path: `file ${n}` }, 'text '.repeat(40)),
      )
      for (let from = 0; from < items.length; from += 5_000)
        await logged.write(...items.slice(from, from + 5_000))
      return logged.threadId
    }
    const [a, b] = [await long(7), await long(11)]
    const client = new pg.Client({ connectionString: test.url })
    await client.connect()
    await client.query('analyze')
    await client.end()
    const result = await compare(a, b)
    expect(result.a.totals.turns).toBe(0)
    expect(result.differences.total).toBeGreaterThan(3_000)
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(300_000)
    const lines = await comparerOf(test.store).lines(
      { threadId: a, head: result.a.head },
      { threadId: b, head: result.b.head },
      { from: 15_000, limit: 200 },
    )
    expect(lines.lines).toHaveLength(200)
    expect(Buffer.byteLength(JSON.stringify(lines))).toBeLessThan(1_000_000)
  })

  it('of threads with nothing in them are two empty ones', async () => {
    const [one, two] = [await loggedThread(test.store), await loggedThread(test.store)]
    const result = await compare(one.threadId, two.threadId)
    expect(result).toMatchObject({ lines: 0, first: null, turns: { a: 0, b: 0, both: 0 } })
    const events: ThreadEvent[] = await test.store.log.stretch(one.threadId, ['thread.created'], 0, 1, 9)
    expect(events).toHaveLength(1)
  })
})
