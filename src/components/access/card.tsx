import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'

/** The frame of the pages before sign-in. */
export function Card({ title, children }: { title: string; children: ReactNode }) {
  const t = useTranslations('app')
  return (
    <main className="flex h-dvh items-center justify-center overflow-y-auto bg-side p-4">
      <div className="w-full max-w-sm">
        <p className="pb-4 text-center text-sm font-semibold text-soft">{t('name')}</p>
        <div className="rounded-xl border border-line bg-background p-6">
          <h1 className="pb-4 text-base font-semibold">{title}</h1>
          {children}
        </div>
      </div>
    </main>
  )
}
