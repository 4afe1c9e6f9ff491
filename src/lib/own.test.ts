import { expect, test } from 'vitest'
import { isPlainKey, own } from './own.ts'

test('a name finds what is the record’s own, and nothing that it inherits', () => {
  const record = { read: 1 }
  expect(own(record, 'read')).toBe(1)
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'write', ''])
    expect(own(record, name)).toBeUndefined()
})

test('only plain words are keys', () => {
  expect(isPlainKey('first_turn')).toBe(true)
  for (const name of ['constructor', 'toString', 'valueOf', '__proto__', 'a.b', '', 'a b', '<b>', '1'])
    expect(isPlainKey(name)).toBe(false)
})
