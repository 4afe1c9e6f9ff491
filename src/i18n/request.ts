/** Which language a page is in. English is the only one yet; every word of the screen comes from messages/. */
import { getRequestConfig } from 'next-intl/server'
import type messages from '../../messages/en.json'

declare module 'next-intl' {
  interface AppConfig {
    Messages: typeof messages
    Locale: 'en'
  }
}

export default getRequestConfig(async () => ({
  locale: 'en' as const,
  timeZone: 'UTC',
  messages: (await import('../../messages/en.json')).default,
}))
