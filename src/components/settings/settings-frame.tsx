'use client'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { useTranslations } from '../../i18n/translations.ts'
import { Bar } from '../shell/bar.tsx'
import { cn } from '../ui/cn.ts'

const pages = ['account', 'team', 'projects', 'providers', 'links'] as const

/** The settings pages and the way between them. */
export function SettingsFrame({ children }: { children: ReactNode }) {
  const t = useTranslations('settings')
  const path = usePathname()
  return (
    <>
      <Bar>
        <h1 className="text-sm font-semibold">{t('title')}</h1>
        <nav aria-label={t('title')} className="flex min-w-0 items-center gap-0.5 overflow-x-auto pl-2">
          {pages.map((page) => {
            const current = path === `/settings/${page}` || path.startsWith(`/settings/${page}/`)
            return (
              <Link
                key={page}
                href={`/settings/${page}`}
                aria-current={current ? 'page' : undefined}
                className={cn(
                  'rounded-md px-2.5 py-1 text-sm font-medium whitespace-nowrap text-soft row-hover',
                  current && 'bg-hover text-foreground',
                )}
              >
                {t(`pages.${page}`)}
              </Link>
            )
          })}
        </nav>
      </Bar>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-2xl px-4 py-6">{children}</div>
      </div>
    </>
  )
}

type SectionProps = { title: string; text?: string; action?: ReactNode; children: ReactNode }

/** A headed part of a settings page. */
export function Section({ title, text, action, children }: SectionProps) {
  return (
    <section aria-label={title} className="mb-8">
      <div className="mb-3 flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <h2 className="text-sm font-semibold">{title}</h2>
          {text !== undefined && <p className="text-xs text-soft">{text}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}
