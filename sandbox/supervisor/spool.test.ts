import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { Spool } from './spool.ts'

const folder = mkdtempSync(join(tmpdir(), 'spool-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const all = (spool: Spool, from = 0): { bytes: Buffer; gaps: [number, number][] } => {
  const parts: Buffer[] = []
  const gaps: [number, number][] = []
  for (let at = from; ; ) {
    const part = spool.read(at)
    if (!part) return { bytes: Buffer.concat(parts), gaps }
    expect(part.offset).toBe(at)
    if (part.type === 'gap') gaps.push([at, part.missing])
    else parts.push(Buffer.from(part.bytes))
    at += part.type === 'gap' ? part.missing : part.bytes.length
  }
}

describe('a spool', () => {
  it('gives back what was appended, from any offset, and keeps both ends', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 90_000 }), { maxLength: 12 }),
        fc.integer({ min: 65_536, max: 200_000 }),
        fc.nat(),
        (sizes, side, seed) => {
          const spool = new Spool(join(folder, 'one'), side)
          let next = seed % 251
          const expected: Buffer[] = []
          for (const size of sizes) {
            const bytes = Buffer.allocUnsafe(size)
            for (let i = 0; i < size; i++) bytes[i] = next = (next * 7 + 3) % 251
            expected.push(bytes)
            spool.append(bytes)
          }
          const whole = Buffer.concat(expected)
          const dropped = spool.gapBytes
          // Small output stays in memory whole, however small the sides are.
          expect(dropped).toBe(whole.length <= 65_536 ? 0 : Math.max(0, whole.length - 2 * side))
          expect(spool.total).toBe(whole.length)
          const kept = all(spool)
          const want = dropped === 0 ? whole : Buffer.concat([whole.subarray(0, side), whole.subarray(-side)])
          expect(kept.bytes.equals(want)).toBe(true)
          expect(kept.gaps).toEqual(dropped === 0 ? [] : [[side, dropped]])
          const from = whole.length === 0 ? 0 : seed % whole.length
          const rest = all(spool, from)
          if (dropped === 0) expect(rest.bytes.equals(whole.subarray(from))).toBe(true)
          spool.close()
          expect(readdirSync(folder)).toEqual([])
        },
      ),
      { numRuns: 60 },
    )
  })

  it('without a place for its files still counts, and says that all is missing', () => {
    const spool = new Spool('/nowhere/at/all')
    for (let i = 0; i < 3; i++) spool.append(Buffer.alloc(50_000, 1))
    expect(spool.total).toBe(150_000)
    expect(all(spool)).toEqual({ bytes: Buffer.alloc(0), gaps: [[0, 150_000]] })
    spool.close()
  })
})
