/**
 * Which language a page is in, and its catalogue; every word of the screen comes from messages/. English is what the others
 * are measured by: its keys are the type of all. What is dated is dated in the browser, where the reader's time zone is known.
 */
import { cookies, headers } from 'next/headers'
import type { AbstractIntlMessages } from 'next-intl'
import { getRequestConfig } from 'next-intl/server'
import type messages from '../../messages/en.json'
import { type Locale, localeCookie, localeOf } from './locales.ts'

declare module 'next-intl' {
  interface AppConfig {
    Messages: typeof messages
    Locale: Locale
  }
}

/** That they are alike is held by a test, which names what is missing better than a type could. */
const catalogues: Record<Locale, () => Promise<{ default: AbstractIntlMessages }>> = {
  en: () => import('../../messages/en.json'),
  'zh-CN': () => import('../../messages/zh-CN.json'),
}

export default getRequestConfig(async () => {
  const locale = localeOf(
    (await cookies()).get(localeCookie)?.value,
    (await headers()).get('accept-language'),
  )
  return { locale, timeZone: 'UTC', messages: (await catalogues[locale]()).default }
})
