/**
 * Errors in the language of the page. The server's own sentences are English facts; in another language the words of their
 * code come first, and the facts stand below as they are, so that none is lost.
 */
import { useLocale } from 'next-intl'
import { useCallback } from 'react'
import { useTranslations } from '../../i18n/translations.ts'
import type { ErrorFact } from '../../protocol/error.ts'

export type Fact = Pick<ErrorFact, 'code' | 'message' | 'next'>

type FactWords = {
  /** What is the case. */
  title: string
  /** What to do next. */
  next: string
  /** Both, under a title of the page's own. */
  both: string
  /** The server's own words, where those above are only the ones of the code. */
  original: string | null
}

/** The words of a fact, for a place that lays them out. */
export function useFactWords(): (fact: Fact) => FactWords {
  const t = useTranslations('errors')
  const english = useLocale() === 'en'
  return useCallback(
    (fact) => {
      const original = `${fact.message} ${fact.next}`
      if (english) return { title: fact.message, next: fact.next, both: original, original: null }
      const [what, next] = [t(`codes.${fact.code}`), t(`nexts.${fact.code}`)]
      return { title: what, next, both: t('both', { what, next }), original }
    },
    [t, english],
  )
}

/** The words of a fact in one line, for a place that holds a text. */
export function useFactLine(): (fact: Fact) => string {
  const words = useFactWords()
  return useCallback(
    (fact) => {
      const { both, original } = words(fact)
      return original === null ? both : `${both} ${original}`
    },
    [words],
  )
}
