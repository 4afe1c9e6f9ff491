'use client'
import { Menu as MenuIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { setUi } from '../../client/ui-store.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { IconButton } from '../ui/button.tsx'

/** The line at the top of a page; on narrow screens it opens the sidebar. */
export function Bar({ children }: { children: ReactNode }) {
  const t = useTranslations('frame')
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-3 md:px-4">
      <IconButton label={t('openNavigation')} className="md:hidden" onClick={() => setUi({ drawer: true })}>
        <MenuIcon aria-hidden />
      </IconButton>
      {children}
    </header>
  )
}
