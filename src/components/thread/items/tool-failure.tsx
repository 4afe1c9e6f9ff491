'use client'
import { CircleX } from 'lucide-react'
import type { ToolSummary } from '../../../client/tool-summary.ts'
import { useTranslations } from '../../../i18n/translations.ts'

/** How a call failed: its time was over, a signal, the exit code, or in one word. */
export function ToolFailure({ summary: { timedOut, signal, exitCode } }: { summary: ToolSummary }) {
  const t = useTranslations('tools')
  const words = timedOut
    ? t('timedOut')
    : signal !== null
      ? t('signal', { signal })
      : exitCode !== null
        ? t('exit', { code: exitCode })
        : t('failed')
  return (
    <span className="inline-flex items-center gap-1 text-bad">
      <CircleX aria-hidden className="size-3" />
      {words}
    </span>
  )
}
