import { describe, expect, test } from 'vitest'
import { testActor } from '../../../test/setup/actor.ts'
import type { AuditEntry } from '../store/types.ts'
import { createReadings } from './readings.ts'

describe('SEC-64 reading somebody else’s thread', () => {
  test('is one row for each person, thread and hour, and none for one’s own', async () => {
    const rows: AuditEntry[] = []
    let now = 0
    const readings = createReadings({ audit: async (entry) => void rows.push(entry) }, () => now)
    const [ann, bob] = [testActor(), testActor()]
    const thread = { threadId: 'thr_1', ownerId: ann.userId }
    await Promise.all([1, 2, 3].map(() => readings.note(bob, thread)))
    await readings.note(ann, thread)
    expect(rows).toEqual([
      {
        ...{ actorId: bob.userId, action: 'thread.read', targetType: 'thread', targetId: 'thr_1' },
        details: { ownerId: ann.userId },
      },
    ])
    await readings.note(bob, { ...thread, threadId: 'thr_2' })
    now = 3_600_000
    await readings.note(bob, thread)
    expect(rows).toHaveLength(3)
  })

  test('what could not be written down is not given, and tried again', async () => {
    let isAway = true
    const rows: AuditEntry[] = []
    const readings = createReadings({
      audit: async (entry) => {
        if (isAway) throw new Error('away')
        rows.push(entry)
      },
    })
    const thread = { threadId: 'thr_1', ownerId: 'usr_1' }
    await expect(readings.note(testActor(), thread)).rejects.toThrow('away')
    isAway = false
    await readings.note(testActor(), thread)
    expect(rows).toHaveLength(1)
  })
})
