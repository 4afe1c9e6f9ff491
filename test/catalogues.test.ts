/** The catalogues say the same in every language: the same keys, with the same values and the same tags in them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser'
import { expect, test } from 'vitest'
import { locales } from '../src/i18n/locales.ts'

type Catalogue = { [key: string]: string | Catalogue }

const flat = (part: Catalogue, path = ''): [string, string][] =>
  Object.entries(part).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[path + key, value]] : flat(value, `${path}${key}.`),
  )

const read = (locale: string): Map<string, string> =>
  new Map(
    flat(JSON.parse(readFileSync(join(import.meta.dirname, '..', 'messages', `${locale}.json`), 'utf8'))),
  )

/** "{count}", "<link>": what the caller gives. */
function holes(elements: MessageFormatElement[]): string[] {
  return elements.flatMap((element) => {
    if (element.type === TYPE.literal || element.type === TYPE.pound) return []
    if (element.type === TYPE.tag) return [`<${element.value}>`, ...holes(element.children)]
    const inside =
      element.type === TYPE.plural || element.type === TYPE.select
        ? Object.values(element.options).flatMap((option) => holes(option.value))
        : []
    return [`{${element.value}}`, ...inside]
  })
}

const holesOf = (message: string): string => [...new Set(holes(parse(message)))].sort().join(' ')

const english = read('en')

for (const locale of locales.filter((one) => one !== 'en')) {
  const theirs = read(locale)

  test(`${locale} has every key of English and no other`, () => {
    expect({
      missing: [...english.keys()].filter((key) => !theirs.has(key)),
      superfluous: [...theirs.keys()].filter((key) => !english.has(key)),
    }).toEqual({ missing: [], superfluous: [] })
  })

  test(`${locale} takes the same values and tags as English`, () => {
    const differing = [...english]
      .filter(([key]) => theirs.has(key))
      .map(([key, message]) => ({ key, english: holesOf(message), theirs: holesOf(theirs.get(key) ?? '') }))
      .filter((one) => one.english !== one.theirs)
    expect(differing).toEqual([])
  })

  test(`${locale} leaves nothing in English but names`, () => {
    // A sentence of two or more English words that is the same in both is one that nobody translated.
    const untranslated = [...english]
      .filter(([key, message]) => theirs.get(key) === message)
      .map(([, message]) => message)
      .filter((message) => /[a-z]{2,} [a-z]{2,}/.test(message.replaceAll(/\{[^}]*\}/g, '')))
    expect(untranslated).toEqual([])
  })
}
