import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Fault } from '../../protocol/error.ts'
import type { ThreadEvent } from '../../protocol/event.ts'
import type { ThreadAppend, ThreadState } from '../store/types.ts'
import { createAppendQueue } from './append-queue.ts'

const append = (threadId: string, seq: number): ThreadAppend => ({
  threadId,
  fence: 1,
  events: [{ threadId, seq } as ThreadEvent],
  state: { head: seq } as ThreadState,
})
const away = () => new Fault('internal', 'away', 'wait', { away: true })

/** A log in memory that fails as told, one word for each call. */
const memory = (words: ('ok' | 'away' | 'bad-a' | 'lost-a')[] = []) => {
  const stored: ThreadEvent[] = []
  let calls = 0
  let open = 0
  return {
    stored,
    calls: () => calls,
    append: async (_owner: string, appends: ThreadAppend[]) => {
      calls += 1
      open += 1
      expect(open).toBe(1)
      const word = words.shift() ?? 'ok'
      await new Promise((resolve) => setImmediate(resolve))
      open -= 1
      if (word === 'away') throw away()
      if (word === 'bad-a' && appends.some((each) => each.threadId === 'a')) {
        words.unshift('bad-a')
        throw new Fault('disk_full', 'full', 'free some')
      }
      const lost = word === 'lost-a' ? ['a'] : []
      for (const each of appends) if (!lost.includes(each.threadId)) stored.push(...each.events)
      return { lost: lost.filter((id) => appends.some((each) => each.threadId === id)) }
    },
  }
}

describe('the append queue', () => {
  it('keeps each thread’s order, shares commits, and tells after the commit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 40 }),
        fc.array(fc.constantFrom('ok' as const, 'ok' as const, 'away' as const), { maxLength: 3 }),
        async (threads, words) => {
          const log = memory(words)
          const queue = createAppendQueue(log, () => 'own')
          const heads = new Map<string, number>()
          const told: string[] = []
          const all = threads.map((threadId) => {
            const seq = (heads.get(threadId) ?? 0) + 1
            heads.set(threadId, seq)
            return queue.push(append(threadId, seq), () => {
              expect(log.stored.some((event) => event.threadId === threadId && event.seq === seq)).toBe(true)
              told.push(`${threadId} ${seq}`)
            }).committed
          })
          await Promise.all(all)
          for (const [threadId, head] of heads) {
            const seqs = log.stored.filter((event) => event.threadId === threadId).map((event) => event.seq)
            expect(seqs).toEqual(Array.from({ length: head }, (_, index) => index + 1))
          }
          expect(told).toHaveLength(threads.length)
          expect(log.calls()).toBeLessThanOrEqual(2 + 3)
        },
      ),
      { numRuns: 15 },
    )
  })

  it('a lost lease and a bad row concern their own thread alone', async () => {
    for (const [word, code] of [
      ['lost-a', 'lease_lost'],
      ['bad-a', 'disk_full'],
    ] as const) {
      const log = memory([word])
      const queue = createAppendQueue(log, () => 'own')
      const [a, b] = [
        queue.push(append('a', 1), () => undefined),
        queue.push(append('b', 1), () => undefined),
      ]
      await expect(a.committed).rejects.toMatchObject({ code })
      await b.committed
      expect(log.stored.map((event) => event.threadId)).toEqual(['b'])
      await queue.drain()
    }
  })

  it('gives up on a database that is away only when it is closed', async () => {
    const log = memory(['away', 'away', 'away', 'away', 'away', 'away'])
    const queue = createAppendQueue(log, () => 'own')
    const { committed } = queue.push(append('a', 1), () => undefined)
    queue.close()
    await expect(committed).rejects.toMatchObject({ details: { away: true } })
  })

  it('holds writers up when too much waits', async () => {
    const log = memory()
    const queue = createAppendQueue(log, () => 'own')
    let held = 0
    const places = Array.from({ length: 4_500 }, (_, index) => {
      const { place } = queue.push(append('a', index + 1), () => undefined)
      let free = false
      void place.then(() => {
        free = true
      })
      return { place, isFree: () => free }
    })
    await Promise.resolve()
    held = places.filter(({ isFree }) => !isFree()).length
    expect(held).toBeGreaterThan(0)
    await Promise.all(places.map(({ place }) => place))
    await queue.drain()
    expect(log.stored).toHaveLength(4_500)
  })
})
