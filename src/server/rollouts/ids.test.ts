import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ItemId, newId, ThreadId, UserId } from '../../protocol/ids.ts'
import { newIdSalt, saltId, saltIds } from './ids.ts'

describe('ids of a rollout that comes from elsewhere', () => {
  it('are new ones of the same kind and time, and the way back gives the old ones', () => {
    for (let n = 0; n < 200; n++) {
      const salt = newIdSalt()
      const id = newId('itm')
      const other = saltId(id, salt)
      expect(ItemId.safeParse(other).success).toBe(true)
      expect(other).not.toBe(id)
      expect(other.slice(0, 17)).toBe(id.slice(0, 17))
      expect(saltId(other, salt)).toBe(id)
    }
  })

  it('stay apart: two ids never become one', () => {
    const salt = newIdSalt()
    const ids = Array.from({ length: 1_000 }, () => newId('stp'))
    expect(new Set(ids.map((id) => saltId(id, salt))).size).toBe(1_000)
  })

  it('are changed wherever they are a whole text of a value, and nothing else is', () => {
    const salt = newIdSalt()
    const item = newId('itm')
    const value = {
      actorId: newId('usr'),
      list: [newId('thr'), 'agent', 7, null],
      [item]: true,
      words: `see ${item}`,
      hash: 'ab'.repeat(32),
    }
    const other = saltIds(value, salt)
    expect(UserId.safeParse(other.actorId).success).toBe(true)
    expect(other.actorId).not.toBe(value.actorId)
    expect(ThreadId.safeParse(other.list[0]).success).toBe(true)
    expect(other.words).toBe(value.words)
    expect(other.hash).toBe(value.hash)
    expect(Object.keys(other)).toEqual(['actorId', 'list', saltId(item, salt), 'words', 'hash'])
    expect(saltIds(other, salt)).toEqual(value)
  })

  it('any JSON comes back as it was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const salt = newIdSalt()
        expect(JSON.stringify(saltIds(saltIds(value, salt), salt))).toBe(JSON.stringify(value))
      }),
      { numRuns: 100 },
    )
  })
})
