import { numbersOf } from '../setup/random.ts'

/** Words, numbers and logs that are the same for the same seed. */
export type Random = { number(least: number, most: number): number; word(): string }

export const randomOf = (seed: number): Random => {
  const next = numbersOf(seed)
  const number = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  const letters = 'bcdfghjkmnpqrstvwxz'
  const word = (): string =>
    Array.from({ length: 5 }, (_, at) =>
      at % 2 === 0 ? letters[number(0, letters.length - 1)] : number(0, 9),
    ).join('')
  return { number, word }
}

const nouns = 'cache worker router parser socket bundle widget ledger folder stream handler mirror'.split(' ')
const verbs = 'opened closed visited skipped copied merged waited woke rotated trimmed'.split(' ')

/** Lines of a log in which nothing matters, about so many characters of them. */
export const noise = (seed: number, chars: number): string => {
  const { number } = randomOf(seed)
  const lines: string[] = []
  for (let length = 0; length < chars; ) {
    const line = `${number(10, 23)}:${number(10, 59)} ${nouns[number(0, 11)]} ${number(100, 999)} ${verbs[number(0, 9)]} in ${number(1, 99)} us`
    lines.push(line)
    length += line.length + 1
  }
  return lines.join('\n')
}

/** Noise with lines of interest somewhere in its middle. */
export const amid = (seed: number, chars: number, ...lines: string[]): string =>
  `${noise(seed, chars)}\n${lines.join('\n')}\n${noise(seed + 1, chars)}\n`
