// Time that grows with the text alone: every expression is tried at every place of texts made to be slow, by a matcher
// that counts its steps.
import { describe, expect, it } from 'vitest'
import { countedMatch } from '../../../../test/setup/counted-regex.ts'
import { assignedExpressions, valueExpression } from './assigned.ts'
import { discordToken, secretFormats } from './formats.ts'
import { personalExpressions } from './personal.ts'
import { privateKeyExpressions } from './private-keys.ts'

const size = 20_000
const filled = (part: string): string => part.repeat(Math.ceil(size / part.length)).slice(0, size)

/** Characters that classes take and marks are made of, in ways that make a match fail late. */
const fillers = [
  'a',
  'A1',
  '0',
  '-',
  '_',
  'a.',
  'eyJ',
  'a-',
  '=',
  '/',
  ':',
  ' ',
  '@a.',
  '"',
  '\\',
  'a:',
  '%',
  '+/',
]

/** Steps of all tries over a text, where a match ends the next try begins. */
const stepsOver = (expression: RegExp, text: string, isTried: (at: number) => boolean): number => {
  const match = countedMatch(expression, text)
  let sum = 0
  for (let at = 0; at < text.length; ) {
    if (!isTried(at)) {
      at += 1
      continue
    }
    const { end, steps } = match(at)
    sum += steps
    at = Math.max(at + 1, end)
  }
  return sum
}

/** What one character may cost. */
const perCharacter = 120

const free: [string, RegExp][] = [
  ['discord-token', discordToken],
  ...Object.entries(assignedExpressions),
  ...Object.entries(personalExpressions),
  ...Object.entries(privateKeyExpressions),
]

describe('texts that are made to be slow', () => {
  it('are no slower to the formats, at every place where one is marked', () => {
    for (const format of secretFormats)
      for (const mark of format.marks)
        for (const filler of ['', ...fillers]) {
          // The mark again and again, and once before what its class takes without an end.
          for (const text of [filled(mark + filler), `${mark}${filled(filler || 'a')}`]) {
            const back = format.back?.most ?? 0
            const isTried = (at: number): boolean => {
              for (let shift = 0; shift <= back; shift += 1)
                if (text.startsWith(mark, at + shift)) return true
              return false
            }
            // A word before it, and the format is not tried at all.
            const starts = (at: number): boolean =>
              isTried(at) &&
              (format.anywhere === true ||
                at === 0 ||
                !(format.alone ? /[A-Za-z0-9_-]/ : /[A-Za-z0-9]/).test(text.charAt(at - 1)))
            const steps = stepsOver(format.at, text, starts)
            expect(steps / size, `${format.kind} ${mark} ${JSON.stringify(filler)}`).toBeLessThan(
              perCharacter,
            )
          }
        }
  })

  it.each(free)('are no slower to %s, tried at every place', (_name, expression) => {
    for (const filler of fillers)
      for (const text of [filled(filler), ...fillers.map((other) => filled(filler + other))])
        expect(stepsOver(expression, text, () => true) / text.length).toBeLessThan(perCharacter)
  })

  it('are no slower where a name is given a value again and again, though none is a secret', () => {
    for (const name of ['token=', 'secret:', 'password = ', 'pwd=s', 'api_key_key_', 'token"', "secret:'"])
      for (const filler of ['', ...fillers]) {
        const text = filled(name + filler)
        const match = countedMatch(valueExpression, text)
        const word = /^[a-z]+(?:_key)?/.exec(name)?.[0] ?? ''
        let steps = 0
        for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
          steps += match(at + word.length).steps
        expect(steps / text.length, name + filler).toBeLessThan(perCharacter * 4)
      }
  })
})
