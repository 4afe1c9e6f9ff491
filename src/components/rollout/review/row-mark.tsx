'use client'
import { MessageSquare } from 'lucide-react'
import { useReviewSummary } from '../../../client/reviews.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { RolloutRow } from '../../../protocol/rollout.ts'
import { cn } from '../../ui/cn.ts'
import { keyOf, placeOf } from './comments.tsx'

/** How many comments a row has; strong while one of them is open. */
export function RowMark({ threadId, row }: { threadId: string; row: RolloutRow }) {
  const t = useTranslations('review')
  const place = placeOf(row)
  const key = place === null ? null : keyOf(place)
  const mark = useReviewSummary(threadId, ({ marks }) => (key === null ? undefined : marks[key]))
  if (mark.data === undefined || mark.data.total === 0) return null
  const { total, open } = mark.data
  return (
    <span
      title={t('mark', { total, open })}
      className={cn(
        'inline-flex h-4 min-w-6 shrink-0 items-center justify-center gap-0.5 rounded text-2xs tabular',
        open > 0 ? 'bg-brand-soft font-medium text-brand' : 'text-faint',
      )}
    >
      <MessageSquare aria-hidden className="size-2.5" />
      <span aria-hidden>{total}</span>
      <span className="sr-only">{t('mark', { total, open })}</span>
    </span>
  )
}
