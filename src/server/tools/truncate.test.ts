import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesPerToken, truncate } from './truncate.ts'

const size = (text: string): number => Buffer.byteLength(text)

describe('a text for a model', () => {
  it('stays as it is within the budget', () => {
    expect(truncate('abc\n', 1)).toEqual({ text: 'abc\n', totalBytes: 4, removedBytes: 0 })
    expect(truncate('', 1).text).toBe('')
  })

  it('keeps head and tail at line ends and names what is gone', () => {
    const lines = Array.from({ length: 1_000 }, (_, index) => `line ${index}\n`).join('')
    const { text, removedBytes, totalBytes } = truncate(lines, 100)
    expect(text.startsWith('line 0\nline 1\n')).toBe(true)
    expect(text.endsWith('line 998\nline 999\n')).toBe(true)
    expect(totalBytes).toBe(size(lines))
    const shown = text.split('\n').filter((line) => line.startsWith('line ')).length
    expect(text).toContain(`[… ${removedBytes} bytes removed here`)
    expect(text).toContain(`${1_000 - shown} line ends …]`)
  })

  it('counts what was lost while it was collected', () => {
    const { text, removedBytes } = truncate('head\n', 100, { tail: 'tail\n', bytes: 5_000_000 })
    expect(removedBytes).toBe(5_000_000)
    expect(text).toMatch(/^head\n\[… 5000000 bytes removed here: about 1250000 tokens …\]\ntail\n$/)
  })

  it('cuts one long line', () => {
    const { text } = truncate('x'.repeat(4_000_000), 10)
    expect(size(text)).toBeLessThan(200)
  })

  it('never splits a character, never grows beyond its budget and adds up', () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'é', '好', '🙂', '\n'), { maxLength: 400 }),
        fc.nat(60),
        (parts, tokens) => {
          const whole = parts.join('')
          const { text, removedBytes, totalBytes } = truncate(whole, tokens)
          expect(totalBytes).toBe(size(whole))
          expect(text.includes('\ufffd')).toBe(false)
          if (removedBytes === 0) {
            expect(text).toBe(whole)
            return
          }
          const [head = '', tail = ''] = text.split(/\n?\[… .* …\]\n/)
          expect(whole.startsWith(head)).toBe(true)
          expect(whole.endsWith(tail)).toBe(true)
          expect(size(head) + size(tail)).toBeLessThanOrEqual(Math.max(tokens, 1) * bytesPerToken)
        },
      ),
      { numRuns: 100 },
    ))
})
