'use client'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { useIsKeeper } from '../../../client/people.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { cn } from '../../ui/cn.ts'

const parts = [
  { part: 'members', path: '/settings/team' },
  { part: 'services', path: '/settings/team/service-accounts' },
  { part: 'audit', path: '/settings/team/audit' },
] as const

/** The pages about the team; what only its keepers may read is not offered to others. */
export function TeamNav() {
  const t = useTranslations('people.nav')
  const path = usePathname()
  if (!useIsKeeper()) return null
  return (
    <nav aria-label={t('label')} className="mb-6 flex gap-4 border-b border-line">
      {parts.map(({ part, path: to }) => (
        <Link
          key={part}
          href={to}
          aria-current={path === to ? 'page' : undefined}
          className={cn(
            '-mb-px border-b-2 border-transparent pb-2 text-sm text-soft hover:text-foreground',
            path === to && 'border-brand font-medium text-foreground',
          )}
        >
          {t(part)}
        </Link>
      ))}
    </nav>
  )
}

/** In place of a page that the reader's role may not open. */
export function KeepersOnly() {
  const t = useTranslations('people.nav')
  return (
    <div className="rounded-lg border border-line px-6 py-10 text-center">
      <p className="text-sm font-medium">{t('keepersOnly')}</p>
      <p className="text-sm text-soft">{t('keepersOnlyText')}</p>
    </div>
  )
}
