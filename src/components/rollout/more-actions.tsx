'use client'
import { Download, Ellipsis, GitCompareArrows, MessagesSquare } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { useTranslations } from '../../i18n/translations.ts'
import { IconButton } from '../ui/button.tsx'
import { Menu, MenuContent, MenuItem, MenuTrigger } from '../ui/menu.tsx'
import { CompareDialog } from './compare/compare-button.tsx'
import { ExportDialog } from './export/export-dialog.tsx'

/** On narrow screens, what has no room in the header beside the title. */
export function MoreActions({ threadId }: { threadId: string }) {
  const t = useTranslations('rollout')
  const compare = useTranslations('compare')
  const leave = useTranslations('export')
  const router = useRouter()
  const [open, setOpen] = useState<'compare' | 'export' | null>(null)
  return (
    <>
      <Menu>
        <MenuTrigger asChild>
          <IconButton label={t('more')}>
            <Ellipsis aria-hidden />
          </IconButton>
        </MenuTrigger>
        <MenuContent align="end">
          <MenuItem onSelect={() => router.push(`/threads/${threadId}`)}>
            <MessagesSquare aria-hidden />
            {t('toThread')}
          </MenuItem>
          <MenuItem onSelect={() => setOpen('compare')}>
            <GitCompareArrows aria-hidden />
            {compare('with')}
          </MenuItem>
          <MenuItem onSelect={() => setOpen('export')}>
            <Download aria-hidden />
            {leave('open')}
          </MenuItem>
        </MenuContent>
      </Menu>
      <CompareDialog
        threadId={threadId}
        open={open === 'compare'}
        onOpenChange={(next) => setOpen(next ? 'compare' : null)}
      />
      <ExportDialog
        threadId={threadId}
        open={open === 'export'}
        onOpenChange={(next) => setOpen(next ? 'export' : null)}
      />
    </>
  )
}
