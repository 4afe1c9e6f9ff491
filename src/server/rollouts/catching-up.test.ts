import { describe, expect, it } from 'vitest'
import type { RolloutMark } from '../store/rollout-types.ts'
import { createCatchUp } from './catching-up.ts'

/** A log that is derived when the test says so; one row for two events. */
const logOf = (head: number) => {
  const state = { seq: 0, head }
  const waiting: { size: number; go: PromiseWithResolvers<void> }[] = []
  const mark = (): RolloutMark => ({ ...state, rows: state.seq / 2, steps: 0, events: {} })
  const catchUp = createCatchUp({
    mark: async () => mark(),
    derive: async (_, size) => {
      const seen = state.head
      const go = Promise.withResolvers<void>()
      waiting.push({ size, go })
      await go.promise
      state.seq = Math.min(seen, state.seq + size)
      return { ...mark(), head: seen }
    },
  })
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
  }
  return {
    state,
    waiting,
    catchUp,
    settled,
    next: async (error?: Error): Promise<void> => {
      await settled()
      const { go } = waiting.shift() ?? {}
      if (error) go?.reject(error)
      else go?.resolve()
      await settled()
    },
  }
}
const long = { patienceMs: 600_000 }

describe('catching up with a log', () => {
  it('is done once for all who wait', async () => {
    const log = logOf(30_000)
    const all = Promise.all([log.catchUp('t', long), log.catchUp('t', long)])
    for (let batch = 0; batch < 3; batch += 1) await log.next()
    expect((await all).map(({ seq }) => seq)).toEqual([30_000, 30_000])
    expect(log.waiting).toEqual([])
  })

  it('answers with what is enough while the log is far ahead, and goes on without anybody', async () => {
    const log = logOf(50_000)
    const first = log.catchUp('t', { ...long, isEnough: ({ rows }) => rows >= 100 })
    await log.next()
    expect((await first).seq).toBe(2_000)
    for (let batch = 0; batch < 3; batch += 1) await log.next()
    expect(log.state.seq).toBe(50_000)
  })

  it('goes the whole way when it is short, whatever is enough', async () => {
    const log = logOf(1_500)
    const asked = log.catchUp('t', { ...long, isEnough: () => true })
    await log.next()
    expect((await asked).seq).toBe(1_500)
  })

  it('reaches what was written before it was asked for, though a reading under way does not', async () => {
    const log = logOf(1_000)
    const first = log.catchUp('t', long)
    await log.settled()
    log.state.head = 1_010
    const second = log.catchUp('t', long)
    await log.next()
    expect((await first).seq).toBe(1_000)
    await log.next()
    expect((await second).seq).toBe(1_010)
  })

  it('ends when there is no more patience, and fails with the store', async () => {
    const log = logOf(50_000)
    expect((await log.catchUp('t', { patienceMs: 0 })).seq).toBe(0)
    const asked = log.catchUp('t', long)
    const failed = expect(asked).rejects.toThrow('gone')
    await log.next(new Error('gone'))
    await failed
    const again = log.catchUp('t', { ...long, isEnough: ({ seq }) => seq > 0 })
    await log.next()
    expect((await again).seq).toBe(2_000)
  })
})
