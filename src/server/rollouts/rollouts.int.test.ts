import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedRollout } from '../../../test/bench/parts/seed-rollout.ts'
import { asked, called, loggedThread, said } from '../../../test/setup/logged-thread.ts'
import { openTestStore, type TestStore } from '../../../test/setup/store.ts'
import { type EventType, eventBodies, type NewEvent } from '../../protocol/event.ts'
import { newId } from '../../protocol/ids.ts'
import { maxSkeletonBytes, type RolloutFilter, type RolloutRow } from '../../protocol/rollout.ts'
import { rowTypes } from '../store/rollout-sql.ts'
import { rolloutsOf } from './rollouts.ts'

let test: TestStore
let client: pg.Client
beforeAll(async () => {
  test = await openTestStore()
  client = new pg.Client({ connectionString: test.url })
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await test?.close()
})

const usage = { input: 100, cachedInput: 60, cacheWrite: 0, output: 20, reasoning: 5 }
const error = { code: 'provider_unreachable', message: 'No answer.', next: 'Try again.' } as const
const stepEnd = { usage, costMicros: 7, totalMs: 900, retries: 1 }
const all = async (threadId: string, filter: RolloutFilter = {}): Promise<RolloutRow[]> =>
  (await rolloutsOf(test.store).rows(threadId, filter, 0, 200)).rows

/** Everything that the rows' table has of a thread. */
const stored = async (threadId: string): Promise<unknown[]> =>
  (await client.query('select * from "RolloutRow" where "threadId" = $1 order by idx', [threadId])).rows

const forget = async (threadId: string): Promise<void> => {
  await client.query('delete from "RolloutRow" where "threadId" = $1', [threadId])
  await client.query('delete from "RolloutMark" where "threadId" = $1', [threadId])
}

describe('rows of a rollout', () => {
  it('tell a turn with its window, step, words, calls, waits and marks, and change as their ends come', async () => {
    const thread = await loggedThread(test.store)
    const { threadId, windowId } = thread
    const [turnId, stepId, approvalId] = [newId('trn'), newId('stp'), newId('apr')]
    const on = { windowId, turnId, actorId: 'system' } as const
    const model = { providerId: newId('prv'), model: 'm' }
    const call = called('exec_command', { cmd: 'npm  test\n' }, 'ok')
    const started = { ...call, state: { status: 'running' as const, startedAt: 1_800_000_000_500 } }
    await thread.write(
      { ...on, type: 'turn.started', body: { model, modelLabel: 'Model' } },
      {
        ...on,
        type: 'window.opened',
        body: { index: 0, reason: 'first_turn', blocks: 3, tokens: 90 },
      },
      asked('Look at \u0000 it,\nplease.'),
      {
        ...on,
        stepId,
        type: 'step.started',
        body: { index: 0, blockCount: 3, newBlocks: 3, bodySha256: '0'.repeat(64), estimatedTokens: 90 },
      },
      { ...on, stepId, itemId: call.id, type: 'item.started', body: { item: started } },
      { ...on, type: 'approval.requested', body: { approvalId, action: 'npm test', reason: 'why' } },
    )
    const running = await all(threadId)
    expect(running.map(({ kind, name, status }) => [kind, name, status])).toEqual([
      ['turn', '', 'running'],
      ['window', 'first_turn', 'none'],
      ['message', 'user_message', 'none'],
      ['step', '', 'running'],
      ['tool', 'exec_command', 'running'],
      ['marker', 'approval.requested', 'running'],
    ])
    expect(running.every(({ durationMs }) => durationMs === null)).toBe(true)
    expect(running.map(({ step }) => step)).toEqual([null, null, null, 1, 1, null])
    expect(running[2]?.label).toBe('Look at \u0000 it, please.')

    await thread.write(
      { ...on, type: 'approval.resolved', body: { approvalId, decision: 'allowed' } },
      { ...on, stepId, itemId: call.id, type: 'item.completed', body: { item: call } },
      {
        ...on,
        stepId,
        type: 'step.completed',
        body: {
          ...stepEnd,
          firstTokenMs: 5,
          stopReason: 'end',
          toolCalls: 1,
          contextTokens: 120,
          contextLimit: 1_000,
        },
      },
      { ...on, type: 'turn.failed', body: { usage, costMicros: 7, durationMs: 2_000, steps: 1, error } },
      said('The end.'),
    )
    const rows = await all(threadId)
    expect(rows.slice(0, 6).map(({ idx, seq }) => [idx, seq])).toEqual(
      running.map(({ idx, seq }) => [idx, seq]),
    )
    expect(rows.map(({ status }) => status)).toEqual(['failed', 'none', 'none', 'ok', 'ok', 'ok', 'none'])
    expect(rows.map(({ durationMs }) => durationMs)).toEqual([2_000, null, null, 900, 1, 1_000, null])
    expect(rows[0]).toMatchObject({ usage, costMicros: 7, label: 'No answer.', turnId })
    expect(rows[3]).toMatchObject({ usage, costMicros: 7, step: 1, stepId })
    expect(rows[4]).toMatchObject({ itemId: call.id, stepId, label: 'npm test' })

    expect((await all(threadId, { errors: true })).map(({ kind }) => kind)).toEqual(['turn'])
    expect((await all(threadId, { kinds: ['tool', 'step'] })).map(({ idx }) => idx)).toEqual([3, 4])
    expect((await all(threadId, { kinds: ['tool'], tools: ['read_file'] })).length).toBe(0)
    expect((await all(threadId, { minDurationMs: 1_000 })).map(({ idx }) => idx)).toEqual([0, 5])
    expect((await all(threadId, { minCostMicros: 7 })).map(({ idx }) => idx)).toEqual([0, 3])

    const { locate } = rolloutsOf(test.store)
    expect(await locate(threadId, { itemId: call.id }, {})).toEqual({
      idx: 4,
      place: 4,
      hidden: false,
      total: 7,
    })
    expect(await locate(threadId, { stepId }, { kinds: ['tool', 'step'] })).toMatchObject({
      idx: 3,
      place: 0,
    })
    expect(await locate(threadId, { turnId }, { kinds: ['tool'] })).toMatchObject({ place: 0, hidden: true })
    // The end of the call has no row of its own: it is the call's.
    expect(await locate(threadId, { seq: 9 }, {})).toMatchObject({ idx: 4 })
    expect(await locate(threadId, { seq: 1 }, {})).toMatchObject({ idx: 0 })
    expect(await locate(threadId, { seq: 10_000 }, {})).toMatchObject({ idx: 6 })
    for (const place of [{ itemId: newId('itm') }, { stepId: newId('stp') }, { idx: 7 }])
      await expect(locate(threadId, place, {})).rejects.toMatchObject({ code: 'not_found' })

    const skeleton = await rolloutsOf(test.store).skeleton(await test.store.threads.get(threadId))
    expect(skeleton).toMatchObject({
      rows: 7,
      head: 12,
      logHead: 12,
      windowsTotal: 1,
      notableTotal: 2,
      totals: { turns: 1, steps: 1, usage, costMicros: 7, toolMs: 1, waitMs: 1_000, errors: 1, retries: 1 },
      windows: [{ windowId, index: 0, idx: 0, reason: 'first_turn', tokens: 90, endTokens: null, steps: 1 }],
    })
    expect(skeleton.counts.events['item.completed']).toBe(3)
  })

  it('know every type of event, be it by a row or by having none', () => {
    const rowless: EventType[] = [
      ...(['thread.created', 'turn.queued', 'queue.changed'] as const),
      ...(['sandbox.starting', 'command.started', 'command.exited'] as const),
    ]
    expect([...rowTypes, ...rowless].sort()).toEqual(Object.keys(eventBodies).sort())
  })
})

const few = (prefix: 'itm' | 'stp' | 'trn' | 'apr' | 'win', count: number): string[] =>
  Array.from({ length: count }, () => newId(prefix))

/** Events as no agent would leave them: ends before beginnings, ids twice, clocks that go back, windows nobody opened. */
const oddEvents = (windowId: string): fc.Arbitrary<NewEvent[]> => {
  const [items, steps, turns, approvals] = [few('itm', 5), few('stp', 4), few('trn', 3), few('apr', 2)]
  const windows = [windowId, ...few('win', 1)]
  const at = fc.integer({ min: 1_800_000_000_000, max: 1_800_000_100_000 })
  const big = fc.oneof(
    fc.integer({ min: 0, max: 5_000 }),
    fc.constant(9_000_000_000_000_000),
    fc.constant(-5),
  )
  const text = fc.constantFrom('words', 'a \u0000 in it', 'half \ud800', '', '\\ud800 "quoted"')
  const state = fc.oneof(
    fc.constant({ status: 'proposed' }),
    fc.record({ status: fc.constant('running'), startedAt: at }),
    fc.record({
      status: fc.constantFrom('succeeded', 'failed', 'interrupted', 'refused'),
      startedAt: at,
      endedAt: at,
      output: fc.record({ text }),
    }),
  )
  const item = fc.tuple(
    fc.constantFrom(...items),
    fc.constantFrom('tool_call', 'agent_message', 'notice'),
    state,
    text,
  )
  const told = fc.record({
    usage: fc.record({ input: big, output: big }),
    totalMs: big,
    costMicros: big,
    durationMs: big,
  })
  const one = fc.oneof(
    fc
      .tuple(item, fc.constantFrom('item.started', 'item.completed'), fc.constantFrom(...steps))
      .map(([[id, kind, status, words], type, stepId]) => ({
        type,
        itemId: id,
        stepId,
        body: {
          item: {
            id,
            type: kind,
            state: status,
            tool: 'exec_command',
            callId: 'c',
            kind: 'k',
            level: 'info',
            arguments: { text: words },
            text: kind === 'notice' ? words : { text: words },
          },
        },
      })),
    fc
      .tuple(fc.constantFrom('started', 'completed', 'cut', 'failed'), fc.constantFrom(...steps), told)
      .map(([type, stepId, body]) => ({
        type: `step.${type}`,
        stepId,
        body: { ...body, error, stopReason: 'x' },
      })),
    fc.tuple(fc.constantFrom('started', 'completed', 'interrupted'), told).map(([type, body]) => ({
      type: `turn.${type}`,
      body: { ...body, model: { providerId: 'prv', model: 'm' }, modelLabel: 'm' },
    })),
    fc.constantFrom('opened', 'closed').map((type) => ({
      type: `window.${type}`,
      body: { index: 0, reason: 'asked', tokens: 5, hint: { text: 'NUL \u0000' } },
    })),
    fc
      .tuple(fc.constantFrom('requested', 'resolved'), fc.constantFrom(...approvals))
      .map(([type, approvalId]) => ({
        type: `approval.${type}`,
        body: { approvalId, action: 'a', ...(type === 'resolved' ? { decision: 'refused' } : {}) },
      })),
    text.map((raw) => ({
      type: 'record.kept',
      body: { line: 1, kind: raw.slice(0, 3), why: 'unreadable', raw: { text: raw } },
    })),
  )
  const placed = fc
    .tuple(one, at, fc.constantFrom(...windows), fc.constantFrom(...turns, undefined))
    .map(([event, when, window, turnId]) => ({
      actorId: 'system',
      windowId: window,
      at: when,
      ...(turnId === undefined ? {} : { turnId }),
      ...event,
    }))
  return fc.array(placed, { minLength: 1, maxLength: 40 }) as unknown as fc.Arbitrary<NewEvent[]>
}

const finite = (value: unknown): boolean =>
  typeof value === 'number'
    ? Number.isFinite(value)
    : value === null || typeof value !== 'object' || Object.values(value).every(finite)

describe('an odd log', () => {
  it('gives the same rows in whatever stretches it is read, dense, sane and quick to tell', async () => {
    await fc.assert(
      fc.asyncProperty(
        oddEvents(newId('win')),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
        async (events, stretches) => {
          const thread = await loggedThread(test.store)
          const { threadId } = thread
          await thread.write(...events)
          const { rollouts } = test.store
          for (let n = 0; ; n += 1) {
            const mark = await rollouts.derive(threadId, stretches[n % stretches.length] ?? 1)
            if (mark.seq === mark.head) break
          }
          const piecemeal = await stored(threadId)
          const marked = await rollouts.mark(threadId)
          await forget(threadId)
          await rollouts.derive(threadId, 1_000)
          expect(await stored(threadId)).toEqual(piecemeal)
          expect(await rollouts.mark(threadId)).toEqual(marked)

          const rows = await all(threadId)
          expect(rows.map(({ idx }) => idx)).toEqual(rows.map((_, n) => n))
          expect(rows.every(({ seq }, n) => seq > (rows[n - 1]?.seq ?? 0))).toBe(true)
          expect(rows.every(({ durationMs }) => durationMs === null || durationMs >= 0)).toBe(true)
          expect(finite(rows)).toBe(true)
          const numbers = rows.flatMap(({ kind, step }) => (kind === 'step' ? [step] : []))
          expect(numbers).toEqual(numbers.map((_, n) => n + 1))
          const reader = rolloutsOf(test.store)
          const skeleton = await reader.skeleton(await test.store.threads.get(threadId))
          expect(finite(skeleton)).toBe(true)
          for (const { durationMs, startMs } of [skeleton.turns, ...Object.values(skeleton.lanes)]) {
            expect(durationMs.every((each) => each >= 0)).toBe(true)
            expect(startMs.every((each) => each >= 0)).toBe(true)
          }
          for (const event of events)
            if (event.stepId !== undefined && event.type.startsWith('step.'))
              expect(finite(await reader.step(threadId, event.stepId))).toBe(true)
          await thread.remove()
          expect(await stored(threadId)).toEqual([])
        },
      ),
      { numRuns: 40 },
    )
  })
})

describe('a long rollout', () => {
  it('has a skeleton of bounded size, and every row by place, filtered or not', async () => {
    const ownerId = newId('usr')
    const project = await test.store.projects.create({ name: 'Long' }, ownerId)
    const seeded = await seedRollout(test.store, { projectId: project.id, ownerId, events: 6_000, seed: 7 })
    const { threadId } = seeded
    const reader = rolloutsOf(test.store)
    const mark = await reader.catchUp(threadId, { patienceMs: 120_000 })
    expect(mark).toMatchObject({ seq: seeded.events, head: seeded.events, steps: seeded.steps })
    const skeleton = await reader.skeleton(await test.store.threads.get(threadId))
    expect(Buffer.byteLength(JSON.stringify(skeleton))).toBeLessThan(maxSkeletonBytes)
    expect(skeleton.totals).toMatchObject({ turns: seeded.turns, steps: seeded.steps })
    expect(skeleton.windows).toHaveLength(seeded.windows)
    const { series, lanes } = skeleton
    expect(series.step.at(-1)).toBe(seeded.steps)
    expect(series.inputSum.at(-1)).toBe(skeleton.totals.usage.input)
    expect(lanes.steps.count.reduce((sum, count) => sum + count, 0)).toBe(seeded.steps)
    expect(lanes.tools.count.reduce((sum, count) => sum + count, 0)).toBe(skeleton.counts.kinds.tool)

    const filter: RolloutFilter = { kinds: ['tool', 'step'], errors: true }
    const { total } = await reader.rows(threadId, filter, 0, 1)
    const paged: RolloutRow[] = []
    for (let from = 0; from < total; from += 37)
      paged.push(...(await reader.rows(threadId, filter, from, 37)).rows)
    expect(paged).toHaveLength(total)
    expect(paged.every(({ kind, status }) => ['tool', 'step'].includes(kind) && status !== 'ok')).toBe(true)
    expect(new Set(paged.map(({ idx }) => idx)).size).toBe(total)
    for (const [place, row] of [...paged.entries()].filter(([n]) => n % 20 === 0))
      expect(await reader.locate(threadId, { seq: row.seq }, filter)).toMatchObject({ place, hidden: false })
    // Every row is told by its events.
    const some = await reader.rows(threadId, {}, 500, 200)
    expect(some.rows.every(({ kind, stepId, itemId }) => kind !== 'tool' || (stepId && itemId))).toBe(true)
  })
})
