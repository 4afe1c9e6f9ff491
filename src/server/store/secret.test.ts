import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Fault } from '../../protocol/error.ts'
import { open, seal } from './secret.ts'

const key = randomBytes(32)

describe('secret', () => {
  it('opens what it sealed', () => {
    expect(open(key, 'prv_1', seal(key, 'prv_1', 'sk-ü-123'))).toBe('sk-ü-123')
  })

  it('never seals the same twice alike and never shows the plain text', () => {
    const one = Buffer.from(seal(key, 'prv_1', 'plain-text'))
    expect(one.equals(Buffer.from(seal(key, 'prv_1', 'plain-text')))).toBe(false)
    expect(one.includes('plain-text')).toBe(false)
  })

  it('refuses another row, another key and damaged bytes', () => {
    const sealed = seal(key, 'prv_1', 'x')
    expect(() => open(key, 'prv_2', sealed)).toThrow(Fault)
    expect(() => open(randomBytes(32), 'prv_1', sealed)).toThrow(Fault)
    const damaged = Uint8Array.from(sealed)
    damaged[damaged.length - 1] = (damaged[damaged.length - 1] ?? 0) ^ 1
    expect(() => open(key, 'prv_1', damaged)).toThrow(Fault)
    expect(() => open(key, 'prv_1', new Uint8Array(3))).toThrow(Fault)
  })
})
