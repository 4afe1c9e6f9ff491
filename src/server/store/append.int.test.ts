import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeThread, openTestStore, type TestStore } from '../../../test/setup/store.ts'
import type { ThreadEvent } from '../../protocol/event.ts'
import { newId } from '../../protocol/ids.ts'
import type { NewThread, ThreadAppend } from './types.ts'

let test: TestStore
const installId = 'test'

beforeAll(async () => {
  test = await openTestStore()
})
afterAll(async () => {
  await test?.close()
})

const register = async (worker = newId('own')): Promise<string> => {
  const ownerId = newId('own')
  await test.store.leases.register({ ownerId, installId, worker })
  return ownerId
}

/** Moves a heartbeat, so that no test depends on how fast the machine is. */
const setExpiry = async (ownerId: string, seconds: number): Promise<void> => {
  const client = new pg.Client({ connectionString: test.url })
  await client.connect()
  await client.query(`update "Owner" set "expiresAt" = now() + make_interval(secs => $2) where id = $1`, [
    ownerId,
    seconds,
  ])
  await client.end()
}

const events = (thread: NewThread, from: number, count: number, text = 'x'): ThreadEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    threadId: thread.threadId,
    seq: from + index,
    type: 'turn.queued' as const,
    windowId: thread.state.windowId,
    actorId: 'system' as const,
    at: 1_800_000_000_123 + index,
    body: { opId: newId('op'), preview: text },
  }))

const appendOf = (thread: NewThread, fence: number, added: ThreadEvent[]): ThreadAppend => ({
  threadId: thread.threadId,
  fence,
  events: added,
  state: { ...thread.state, head: added.at(-1)?.seq ?? thread.state.head },
})

/** All events of a thread, in order. */
const logOf = async (threadId: string): Promise<ThreadEvent[]> => test.store.log.after(threadId, 0, 100_000)

describe('append', () => {
  it('stores events as they were and moves the head', async () => {
    const owner = await register()
    const thread = await makeThread(test.store, owner)
    const odd = 'NUL \u0000, half \ud800 pair, "quotes" \\ {braces}, ü 漢'
    const added = events(thread, 2, 3, odd)
    expect(await test.store.log.append(owner, [appendOf(thread, 1, added)])).toEqual({ lost: [] })
    expect((await logOf(thread.threadId)).slice(1)).toEqual(added)
    expect((await test.store.threads.get(thread.threadId)).head).toBe(4)
    expect(await test.store.log.head(thread.threadId)).toBe(4)
  })

  it('doing the same append twice changes nothing', async () => {
    const owner = await register()
    const thread = await makeThread(test.store, owner)
    const append = appendOf(thread, 1, events(thread, 2, 2))
    await test.store.log.append(owner, [append])
    expect(await test.store.log.append(owner, [append])).toEqual({ lost: [] })
    expect(await logOf(thread.threadId)).toHaveLength(3)
  })

  it('refuses a wrong fence and a wrong owner, and writes the others', async () => {
    const owner = await register()
    const other = await register()
    const [mine, stale, foreign] = [
      await makeThread(test.store, owner),
      await makeThread(test.store, owner),
      await makeThread(test.store, other),
    ] as const
    const { lost } = await test.store.log.append(owner, [
      appendOf(mine, 1, events(mine, 2, 1)),
      appendOf(stale, 7, events(stale, 2, 1)),
      appendOf(foreign, 1, events(foreign, 2, 1)),
    ])
    expect(lost.sort()).toEqual([stale.threadId, foreign.threadId].sort())
    expect(await test.store.log.head(mine.threadId)).toBe(2)
    expect(await test.store.log.head(stale.threadId)).toBe(1)
    expect(await test.store.log.head(foreign.threadId)).toBe(1)
  })

  it('writes windows, blocks, steps, their ends, blobs and references in the same statement', async () => {
    const owner = await register()
    const thread = await makeThread(test.store, owner)
    const { windowId } = thread.state
    const stepId = newId('stp')
    const small = Buffer.from('assistant g\n{"a":1}')
    const large = Buffer.alloc(20_000, 'y')
    const frozen = { wire: 'openai-chat', model: 'm', family: 'f', thinking: false, traits: {} }
    const block = {
      windowId,
      kind: 'user',
      itemId: null,
      callId: null,
      hash: 'h',
      tokens: 5,
      reason: 'message',
    }
    const end = {
      stepId,
      status: 'completed' as const,
      usage: { input: 1, cachedInput: 0, cacheWrite: 0, output: 2, reasoning: 0 },
      costMicros: 12,
      firstTokenMs: 3,
      totalMs: 9,
      retries: 0,
      providerRequestId: 'r',
      stopReason: 'end',
      rawResponseHash: null,
    }
    const base = appendOf(thread, 1, events(thread, 2, 1))
    await test.store.log.append(owner, [
      {
        ...base,
        windows: [{ windowId, index: 0, frozen: frozen as never }],
        blocks: [
          { ...block, idx: 0, wire: small },
          { ...block, idx: 1, wire: large },
        ],
        steps: [
          {
            stepId,
            windowId,
            turnId: newId('trn'),
            index: 0,
            blockCount: 2,
            envelopeHash: 'e',
            cacheMarks: [0, 1],
            bodySha256: 'b',
            model: 'm',
            startedAt: 1_800_000_000_000,
          },
        ],
        stepEnds: [end],
        blobs: [{ hash: 'f'.repeat(64), bytes: Buffer.from('blob') }],
      },
    ])
    const blocks = await test.store.windows.blocks(windowId)
    expect(blocks.map((row) => Buffer.from(row.wire))).toEqual([small, large])
    const { stepId: _, ...ended } = end
    expect((await test.store.windows.steps(thread.threadId))[0]).toMatchObject({
      stepId,
      cacheMarks: [0, 1],
      end: ended,
    })
    expect(await test.store.blobs.reachable(thread.threadId, 'f'.repeat(64))).toBe(true)
    expect((await test.store.windows.get(windowId))?.frozen).toEqual(frozen)
  })

  it('under any order of appends and take-overs each log is whole, and no old writer gets in', async () => {
    // Two owners and three threads; the model knows who holds which fence, and what each log must hold.
    const move = fc.oneof(
      fc.record({
        do: fc.constant('append' as const),
        by: fc.nat(1),
        parts: fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 3 }),
        count: fc.integer({ min: 1, max: 4 }),
        stale: fc.boolean(),
      }),
      fc.record({ do: fc.constant('take' as const), by: fc.nat(1), thread: fc.nat(2) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 12 }), async (moves) => {
        const owners = [await register(), await register()]
        const threads = await Promise.all([0, 1, 2].map(() => makeThread(test.store, owners[0] ?? '')))
        const model = threads.map((thread) => ({ thread, holder: 0, fence: 1, head: 1 }))
        for (const step of moves) {
          const owner = owners[step.by] ?? ''
          if (step.do === 'take') {
            const entry = model[step.thread]
            if (!entry || entry.holder === step.by) continue
            await setExpiry(owners[entry.holder] ?? '', -1)
            const lease = await test.store.leases.claim(entry.thread.threadId, owner)
            expect(lease.fence).toBe(entry.fence + 1)
            entry.holder = step.by
            entry.fence = lease.fence
            await test.store.leases.renew(owners[1 - step.by] ?? '')
          } else {
            const chosen = step.parts.flatMap((index) => model[index] ?? [])
            const fenceOf = (entry: (typeof model)[number]) => (step.stale ? entry.fence - 1 : entry.fence)
            const { lost } = await test.store.log.append(
              owner,
              chosen.map((entry) =>
                appendOf(entry.thread, fenceOf(entry), events(entry.thread, entry.head + 1, step.count)),
              ),
            )
            for (const entry of chosen) {
              const fits = entry.holder === step.by && !step.stale
              expect(lost.includes(entry.thread.threadId)).toBe(!fits)
              if (fits) entry.head += step.count
            }
          }
        }
        for (const { thread, head } of model) {
          const seqs = (await logOf(thread.threadId)).map((event) => event.seq)
          expect(seqs).toEqual(Array.from({ length: head }, (_, index) => index + 1))
        }
      }),
      { numRuns: 25 },
    )
  })
})

describe('leases', () => {
  it('a new process of the same name takes its predecessor’s threads at once', async () => {
    const worker = newId('own')
    const before = await register(worker)
    const thread = await makeThread(test.store, before)
    const after = await register(worker)
    const taken = await test.store.leases.takePredecessors({ ownerId: after, installId, worker })
    expect(taken).toEqual([{ threadId: thread.threadId, fence: 2 }])
    expect(await test.store.leases.renew(before)).toBe(false)
    const late = await test.store.log.append(before, [appendOf(thread, 1, events(thread, 2, 1))])
    expect(late.lost).toEqual([thread.threadId])
  })

  it('sweeps owners that have expired, and nobody else', async () => {
    const [dead, alive, me] = [await register(), await register(), await register()]
    const [lost, kept] = [await makeThread(test.store, dead), await makeThread(test.store, alive)]
    await test.store.leases.release(dead)
    await setExpiry(alive, 3_600)
    const swept = await test.store.leases.sweep(me)
    expect(swept.map((lease) => lease.threadId)).toContain(lost.threadId)
    expect(swept.map((lease) => lease.threadId)).not.toContain(kept.threadId)
    await expect(test.store.leases.claim(kept.threadId, me)).rejects.toMatchObject({ code: 'lease_lost' })
  })
})

describe('ops', () => {
  it('stores an op once; other content under its id is a conflict', async () => {
    const owner = await register()
    const thread = await makeThread(test.store, owner)
    const op = {
      threadId: thread.threadId,
      clientId: newId('op'),
      op: { type: 'sandbox.start' as const },
      actorId: thread.ownerId,
      status: 'accepted' as const,
      acceptedAt: Date.now(),
      position: null,
    }
    const results = await Promise.all([1, 2, 3].map(() => test.store.ops.accept(op)))
    expect(results.filter((result) => result.isNew)).toHaveLength(1)
    await expect(test.store.ops.accept({ ...op, op: { type: 'sandbox.stop' } })).rejects.toMatchObject({
      code: 'conflict',
    })
    await expect(test.store.ops.accept({ ...op, threadId: newId('thr') })).rejects.toMatchObject({
      code: 'not_found',
    })
    await test.store.log.append(owner, [
      {
        ...appendOf(thread, 1, events(thread, 2, 1)),
        ops: [
          { opId: op.clientId, status: 'queued', position: 1 },
          { opId: op.clientId, status: 'applied' },
        ],
      },
    ])
    expect((await test.store.ops.accept(op)).receipt).toMatchObject({ status: 'queued' })
    expect(await test.store.ops.pending(thread.threadId)).toEqual([])
  })
})
