'use client'
import { useRouter } from 'next/navigation'
import { useLocale } from 'next-intl'
import { chooseLocale } from '../../client/ui-store.ts'
import { localeNames, locales } from '../../i18n/locales.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { Choice } from '../ui/choice.tsx'

/** The language of the page, for this browser; each by its own name. What was begun on the page stays. */
export function LanguageChoice() {
  const t = useTranslations('account')
  const router = useRouter()
  return (
    <Choice
      label={t('language')}
      name="language"
      value={useLocale()}
      choices={locales.map((locale) => ({ value: locale, content: localeNames[locale], lang: locale }))}
      onChange={(locale) => {
        chooseLocale(locale)
        router.refresh()
      }}
    />
  )
}
