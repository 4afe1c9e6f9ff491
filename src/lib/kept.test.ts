import { describe, expect, it } from 'vitest'
import { createKept } from './kept.ts'

describe('kept work', () => {
  const counted = (most: number, sizeOf: (value: number) => number | null = () => 1) => {
    const made: string[] = []
    const kept = createKept<number>(most, sizeOf)
    const ask = (key: string, value = 1) =>
      kept(key, async () => {
        made.push(key)
        return value
      })
    return { made, ask, kept }
  }

  it('is done once, also for those who ask while it is being done', async () => {
    const { made, ask } = counted(10)
    expect(await Promise.all([ask('a', 7), ask('a', 8)])).toEqual([7, 7])
    expect(await ask('a', 9)).toBe(7)
    expect(made).toEqual(['a'])
  })

  it('goes when there is too much, what was not asked for longest first', async () => {
    const { made, ask } = counted(2)
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await ask(key)
    expect(made).toEqual(['a', 'b', 'c', 'b'])
  })

  it('counts sizes, and keeps the newest however large it is', async () => {
    const { made, ask } = counted(5, (value) => value)
    await ask('a', 3)
    await ask('b', 100)
    await ask('b', 100)
    await ask('a', 3)
    expect(made).toEqual(['a', 'b', 'a'])
  })

  it('is not kept when it failed or has no size', async () => {
    const { made, ask, kept } = counted(5, () => null)
    await ask('a')
    await ask('a')
    expect(made).toEqual(['a', 'a'])
    await expect(kept('b', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    await ask('b')
    expect(made).toEqual(['a', 'a', 'b'])
  })
})
