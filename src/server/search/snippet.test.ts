import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { snippetOf } from './snippet.ts'

const marked = (text: string, query: string, mode: 'literal' | 'words' = 'words'): string[] => {
  const { snippet, matches } = snippetOf(text, { mode, text: query })
  return matches.map(({ from, to }) => snippet.slice(from, to))
}

describe('snippetOf', () => {
  it('marks words, phrases and literals, and nothing that was excluded', () => {
    expect(marked('The port is 8431, not a PORTAL.', 'PORT or 8431 -not')).toEqual(['port', '8431'])
    expect(marked('red blue, then blue\n red', '"blue red"')).toEqual(['blue red'])
    expect(marked('a+b (a+b) A+B', 'a+b', 'literal')).toEqual(['a+b', 'a+b'])
    expect(marked('see src/lib/x.ts', 'src/lib/x.ts')).toEqual(['src/lib/x.ts'])
    expect(marked('nothing here', '!!')).toEqual([])
  })

  it('keeps its places right in long texts, on one line', () => {
    const text = `${'İ x\n\t'.repeat(4_000)}needle  in\nhay${' y'.repeat(4_000)}`
    const shown = snippetOf(text, { mode: 'literal', text: 'needle' })
    expect(text.slice(shown.place, shown.place + 6)).toBe('needle')
    expect(shown.snippet).toMatch(/^….*needle in hay.*…$/)
    expect(shown.matches.map(({ from, to }) => shown.snippet.slice(from, to))).toEqual(['needle'])
  })

  it('takes any text and any query', () => {
    const any = fc.string({ maxLength: 60, unit: 'binary' })
    fc.assert(
      fc.property(any, any, fc.constantFrom('literal' as const, 'words' as const), (text, query, mode) => {
        fc.pre(query !== '')
        const { snippet, matches } = snippetOf(text, { mode, text: query })
        let at = 0
        for (const { from, to } of matches) {
          expect(from).toBeGreaterThanOrEqual(at)
          expect(to).toBeGreaterThan(from)
          at = to
        }
        expect(at).toBeLessThanOrEqual(snippet.length)
      }),
      { numRuns: 100 },
    )
  })
})
