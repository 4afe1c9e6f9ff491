import fc from 'fast-check'
import { expect, it } from 'vitest'
import { outputBuffer } from './output-buffer.ts'

it('holds the first and the last bytes, however they come', () =>
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 }),
      fc.integer({ min: 1, max: 50 }),
      (pieces, limit) => {
        const buffer = outputBuffer(limit)
        for (const piece of pieces) buffer.add(piece)
        const all = Buffer.concat(pieces)
        const { head, tail, missing } = buffer.parts()
        expect(head.length + tail.length + missing).toBe(all.length)
        expect(Buffer.from(head).equals(all.subarray(0, head.length))).toBe(true)
        expect(Buffer.from(tail).equals(all.subarray(all.length - tail.length))).toBe(true)
        if (all.length <= 2 * limit) expect(missing).toBe(0)
        else expect([head.length, tail.length]).toEqual([limit, limit])
      },
    ),
    { numRuns: 100 },
  ))

it('puts a gap between what came before and after it', () => {
  const buffer = outputBuffer(4)
  buffer.add(new Uint8Array([1, 2, 3, 4, 5, 6]))
  buffer.skip(100)
  buffer.add(new Uint8Array([7]))
  const { head, tail, missing } = buffer.parts()
  expect([...head]).toEqual([1, 2, 3, 4])
  expect([...tail]).toEqual([7])
  expect(missing).toBe(102)
})
