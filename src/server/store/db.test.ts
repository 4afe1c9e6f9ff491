import { describe, expect, it } from 'vitest'
import { isAway, patiently, toFault } from './db.ts'

const hidden = (code: string): Error =>
  Object.assign(new Error(`Invalid call:\n\nDatabase error. Code: \`${code}\`. Message: \`words\``), {
    code: 'P2039',
  })

describe('faults of the database behind the client', () => {
  it('are known by the database’s own code', () => {
    expect(isAway(hidden('57P03'))).toBe(true)
    expect(toFault(hidden('53100'), 'row').code).toBe('disk_full')
    expect(toFault(hidden('42P01'), 'row').code).toBe('internal')
    expect(isAway(hidden('42P01'))).toBe(false)
  })

  it('are waited for while it starts up', async () => {
    let tries = 0
    const answer = await patiently(async () => {
      tries += 1
      if (tries < 3) throw hidden('57P03')
      return 'here'
    }, 'row')
    expect([answer, tries]).toEqual(['here', 3])
  })
})
