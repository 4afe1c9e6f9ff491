import type { ReactNode } from 'react'
import { useTranslations } from '../../i18n/translations.ts'
import { LanguageChoice } from '../shell/language.tsx'

type CardProps = { title: string; text: string; children?: ReactNode }

/** The one thing on a page that comes before the frame. */
export function Card({ title, text, children }: CardProps) {
  const t = useTranslations('app')
  return (
    <div className="m-auto w-full max-w-sm">
      <p className="pb-4 text-center text-sm font-semibold tracking-tight text-soft">{t('name')}</p>
      <div className="rounded-xl border border-line bg-background p-6">
        <h1 className="text-base font-semibold">{title}</h1>
        <p className="mt-1 text-soft">{text}</p>
        {children !== undefined && <div className="mt-5">{children}</div>}
      </div>
      <div className="pt-4 text-center">
        <LanguageChoice />
      </div>
    </div>
  )
}
