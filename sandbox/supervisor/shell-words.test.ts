import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Failure } from './failure.ts'
import { quoted, scriptOf } from './shell-words.ts'

const bash = (script: Buffer | string): string =>
  execFileSync('bash', ['--norc', '-c', script.toString()], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  })

describe('a shell word', () => {
  it('is the text again, whatever it holds', () => {
    const word = fc
      .string({ unit: 'grapheme', maxLength: 40 })
      .map((text) => `'"\\\n$\`${text.replaceAll('\0', '')}\n`)
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        expect(bash(`printf '%s\\001' ${words.map(quoted).join(' ')}`)).toBe(
          words.map((text) => `${text}\u0001`).join(''),
        )
      }),
      { numRuns: 40 },
    )
  })
})

describe('a script', () => {
  it('begins on its own first line, in its folder, with its environment', () => {
    const script = scriptOf(
      { mode: 'read-only', script: '# a comment\necho $LINENO "$A" $PWD; cat', env: { A: 'x\ny' } },
      '/usr',
    )
    expect(bash(script)).toBe('2 x\ny /usr\n')
  })

  it('is refused when it is ambiguous or cannot be passed on', () => {
    const mode = 'read-only'
    for (const request of [
      { mode },
      { mode, script: 'a', argv: ['b'] },
      { mode, argv: [] },
      { mode, script: 'a\0b' },
      { mode, argv: ['a', 'b\0'] },
      { mode, script: 'a', env: { 'x y': '1' } },
      { mode, script: 'a', env: { X: '\0' } },
    ] as const)
      expect(() => scriptOf({ ...request } as never, '/')).toThrow(Failure)
  })
})
