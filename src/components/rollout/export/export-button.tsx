'use client'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from '../../../i18n/translations.ts'
import { IconButton } from '../../ui/button.tsx'
import { ExportDialog } from './export-dialog.tsx'

/** Opens the dialog that a rollout leaves by. */
export function ExportButton({ threadId }: { threadId: string }) {
  const t = useTranslations('export')
  const [open, setOpen] = useState(false)
  return (
    <>
      <IconButton label={t('open')} onClick={() => setOpen(true)}>
        <Download aria-hidden />
      </IconButton>
      <ExportDialog threadId={threadId} open={open} onOpenChange={setOpen} />
    </>
  )
}
