'use client'
import { useTranslations } from '../../i18n/translations.ts'
import { formatBytes } from '../../lib/format.ts'
import { Button } from '../ui/button.tsx'
import type { UploadState } from './use-folder-upload.ts'

export function UploadProgress({ progress, onCancel }: { progress: UploadState; onCancel: () => void }) {
  const t = useTranslations('projects')
  if (progress === null) return null
  const { sent, total } = progress
  const all = total > 0 && sent >= total
  return (
    <div className="flex items-center gap-3 text-sm">
      <progress
        aria-label={t('uploading')}
        value={total > 0 ? sent / total : undefined}
        className="h-1.5 flex-1 accent-(--brand)"
      />
      <span role="status" className="text-xs text-soft tabular">
        {total === 0
          ? t('packing')
          : all
            ? t('storing')
            : t('sent', { sent: formatBytes(sent), total: formatBytes(total) })}
      </span>
      <Button small onClick={onCancel}>
        {t('stop')}
      </Button>
    </div>
  )
}
