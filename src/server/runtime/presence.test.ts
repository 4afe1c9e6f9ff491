import { describe, expect, test } from 'vitest'
import { createPresence } from './presence.ts'

const ada = { userId: 'usr_a', name: 'Ada' }
const bob = { userId: 'usr_b', name: 'Bob' }

describe('presence', () => {
  test('somebody is there as long as one of their tabs is', () => {
    const presence = createPresence(() => 1_000)
    let told = 0
    const stop = presence.onChange('thr_1', () => {
      told += 1
    })
    const leave = [presence.enter('thr_1', ada), presence.enter('thr_1', ada), presence.enter('thr_1', bob)]
    expect(presence.list('thr_1').map(({ name }) => name)).toEqual(['Ada', 'Bob'])
    expect(presence.list('thr_2')).toEqual([])
    leave[0]?.()
    leave[0]?.()
    expect(presence.list('thr_1')).toHaveLength(2)
    leave[1]?.()
    expect(presence.list('thr_1').map(({ name }) => name)).toEqual(['Bob'])
    expect(told).toBe(3)
    stop()
    leave[2]?.()
    expect(told).toBe(3)
    expect(presence.list('thr_1')).toEqual([])
  })

  test('writing is told once, lapses by itself, and counts for whoever is there alone', async () => {
    const presence = createPresence(Date.now, 30)
    const changes: boolean[] = []
    const lapsed = new Promise<void>((resolve) => {
      presence.onChange('thr_1', () => {
        changes.push(presence.list('thr_1')[0]?.typing ?? false)
        if (changes.length === 3) resolve()
      })
    })
    presence.typing('thr_1', ada.userId, true)
    expect(presence.list('thr_1')).toEqual([])
    presence.enter('thr_1', ada)
    presence.typing('thr_1', ada.userId, true)
    presence.typing('thr_1', ada.userId, true)
    await lapsed
    expect(changes).toEqual([false, true, false])
  })
})
