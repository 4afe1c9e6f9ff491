import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createCallOrder } from './order.ts'

it('calls run in their order; side by side only with calls that may', async () => {
  const list = fc.array(fc.record({ safe: fc.boolean(), turns: fc.integer({ min: 0, max: 5 }) }), {
    maxLength: 12,
  })
  await fc.assert(
    fc.asyncProperty(list, async (calls) => {
      const order = createCallOrder()
      const running = new Set<number>()
      const begun: number[] = []
      let beside = 0
      const work = calls.map(async ({ safe, turns }, at) => {
        const ended = Promise.withResolvers<void>()
        await order.enter(safe, ended.promise)
        begun.push(at)
        running.add(at)
        const alone = [...running].some((each) => calls[each]?.safe === false)
        if (alone) expect(running.size).toBe(1)
        beside = Math.max(beside, running.size)
        for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
        running.delete(at)
        ended.resolve()
      })
      await Promise.all(work)
      // An exclusive call begins after all before it and before all after it.
      calls.forEach(({ safe }, at) => {
        if (safe) return
        const place = begun.indexOf(at)
        expect(begun.slice(0, place).every((each) => each < at)).toBe(true)
        expect(begun.slice(place + 1).every((each) => each > at)).toBe(true)
      })
      if (calls.length > 1 && calls.every(({ safe, turns }) => safe && turns > 1))
        expect(beside).toBe(calls.length)
    }),
    { numRuns: 100 },
  )
})
