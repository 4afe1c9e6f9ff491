/**
 * The words of the screen. What a stranger may have written, a name, a path, a reason, comes into them as a value, and in a
 * label or a title nothing else would make visible what cannot be seen in it.
 */
import { useTranslations as useWords } from 'next-intl'
import { useMemo } from 'react'
import { visible } from '../lib/visible.ts'

type Values = Record<string, unknown>

const shown = (values: Values | undefined): Values | undefined =>
  values &&
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? visible(value) : value]),
  )

/** As `useTranslations` of next-intl, which nothing else of ours imports; texts among the values are made visible. */
export const useTranslations: typeof useWords = (namespace) => {
  const words = useWords(namespace)
  return useMemo(() => {
    type Words = (key: string, values?: Values, formats?: unknown) => unknown
    const through =
      (translate: unknown): Words =>
      (key, values, formats) =>
        (translate as Words)(key, shown(values), formats)
    const { raw, has } = words
    // The type of keys and values is that of the words themselves, and too deep to be written again.
    return Object.assign(through(words), {
      rich: through(words.rich),
      markup: through(words.markup),
      raw,
      has,
    }) as unknown as typeof words
  }, [words])
}
