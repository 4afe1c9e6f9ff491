/**
 * The languages of the screen, and which of them a visit is in: the one that was chosen in this browser, else the first one
 * that its Accept-Language names and that exists here, else English. It knows no request and no page.
 */

/** Each has a catalogue of that name in messages/. */
export const locales = ['en', 'zh-CN'] as const
export type Locale = (typeof locales)[number]

/** Each language by its own name, as one finds it who reads no other. */
export const localeNames: Record<Locale, string> = { en: 'English', 'zh-CN': '简体中文' }

/** What a browser keeps the choice in; the server reads it with every page. */
export const localeCookie = 'baton-locale'

/** A header longer than this is not read further: nobody speaks that many languages. */
const headerChars = 500

/** By the language alone: a reader of traditional characters reads the simplified ones rather than English. */
const byLanguage: Record<string, Locale> = { en: 'en', zh: 'zh-CN' }

const isLocale = (value: string | undefined): value is Locale =>
  value !== undefined && (locales as readonly string[]).includes(value)

/** `chosen` = the cookie's value, `accepted` = the header Accept-Language; neither is trusted to be anything. */
export function localeOf(chosen: string | undefined, accepted: string | null | undefined): Locale {
  if (isLocale(chosen)) return chosen
  const wanted = (accepted ?? '')
    .slice(0, headerChars)
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return { language: tag.split('-')[0] ?? '', quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ language, quality }) => Object.hasOwn(byLanguage, language) && quality > 0)
    .sort((a, b) => b.quality - a.quality)
  return byLanguage[wanted[0]?.language ?? ''] ?? 'en'
}
