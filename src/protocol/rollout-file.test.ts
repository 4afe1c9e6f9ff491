import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type IdPrefix, newId, ThreadId } from './ids.ts'
import { maskId, maskIds, newIdMask } from './rollout-file.ts'

const mask = fc.constant(null).map(() => newIdMask())

it('gives ids back when they are masked twice, and keeps their shape', () => {
  const prefix = fc.constantFrom<IdPrefix>('thr', 'win', 'trn', 'stp', 'itm', 'op', 'cmd')
  fc.assert(
    fc.property(prefix, mask, (name, key) => {
      const id = newId(name)
      const masked = maskId(id, key)
      expect(masked).not.toBe(id)
      expect(masked.slice(0, -12)).toBe(id.slice(0, -12))
      expect(maskId(masked, key)).toBe(id)
    }),
    { numRuns: 100 },
  )
  expect(ThreadId.safeParse(maskId(newId('thr'), newIdMask())).success).toBe(true)
})

it('speaks in nobody’s name, and leaves projects and texts that speak of ids alone', () => {
  const key = newIdMask()
  const item = newId('itm')
  const value = { by: newId('usr'), in: newId('prj'), text: `see ${item}`, item, list: [item, 3, null] }
  const masked = maskIds(value, key)
  expect(masked).toEqual({
    ...value,
    by: maskId(value.by, key),
    item: maskId(item, key),
    list: [maskId(item, key), 3, null],
  })
  expect(masked.by).not.toBe(value.by)
  expect(maskIds(masked, key)).toEqual(value)
  expect(maskIds(value, null)).toBe(value)
})
