'use client'
import type { Sent } from '../../../client/rollout-import.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatBytes } from '../../../lib/format.ts'
import type { ImportState } from '../../../protocol/import.ts'
import { Button } from '../../ui/button.tsx'
import { Shown } from '../../ui/shown.tsx'

type ProgressProps = { file: File; sent: Sent; state: ImportState | null; onStop: () => void }

/** How much was sent and read, and what was found in it so far. */
export function ImportProgress({ file, sent, state, onStop }: ProgressProps) {
  const t = useTranslations('import')
  const report = state?.report ?? null
  const isSent = sent.total > 0 && sent.sent >= sent.total
  const waits = state?.waitsFor ?? null
  const read = state?.readBytes ?? 0
  return (
    <div className="space-y-3 py-4">
      <p className="truncate text-sm font-medium">
        <Shown text={t('reading', { name: file.name })} />
      </p>
      <progress
        aria-label={t('title')}
        value={file.size > 0 ? Math.min(1, Math.max(read, sent.sent / 50) / file.size) : undefined}
        className="block h-1.5 w-full accent-(--brand)"
      />
      <div className="flex items-center gap-3 text-xs text-soft tabular">
        <span role="status" className="min-w-0 flex-1 truncate">
          {waits !== null
            ? t(`waits.${waits}`)
            : isSent
              ? t('finishing')
              : t('sent', { sent: formatBytes(sent.sent), total: formatBytes(sent.total) })}
          {read > 0 && ` · ${t('read', { size: formatBytes(read) })}`}
        </span>
        <Button small onClick={onStop}>
          {t('stop')}
        </Button>
      </div>
      <p className="h-4 text-xs text-faint tabular">
        {report !== null &&
          t('sofar', {
            lines: report.lines,
            messages: report.messages.user + report.messages.agent + report.messages.tool,
            calls: Object.values(report.toolCalls).reduce((sum, count) => sum + count, 0),
          })}
      </p>
    </div>
  )
}
