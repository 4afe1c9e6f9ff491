'use client'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { useMe } from '../../../client/query.ts'
import { useReviewSummary } from '../../../client/reviews.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { Popover, PopoverContent, PopoverTrigger } from '../../ui/popover.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { ReviewForm } from './review-form.tsx'
import { VerdictIcon } from './verdict-icon.tsx'

/** The verdict on a rollout, one's own first; opens the form for it. */
export function ReviewButton({ threadId }: { threadId: string }) {
  const t = useTranslations('review')
  const me = useMe().data?.user?.id
  const summary = useReviewSummary(threadId)
  const [open, setOpen] = useState(false)
  const reviews = summary.data?.reviews ?? []
  const verdict = (reviews.find(({ reviewerId }) => reviewerId === me) ?? reviews[0])?.verdict ?? null
  return (
    <Popover open={open} onOpenChange={setOpen}>
      <PopoverTrigger className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md border border-line bg-raised px-2 text-xs font-medium row-hover">
        <VerdictIcon verdict={verdict} />
        <span className="max-md:sr-only">{verdict === null ? t('review') : t(`verdicts.${verdict}`)}</span>
        <ChevronDown aria-hidden className="size-3 text-faint" />
      </PopoverTrigger>
      <PopoverContent aria-label={t('review')}>
        {summary.data ? (
          <ReviewForm threadId={threadId} summary={summary.data} onDone={() => setOpen(false)} />
        ) : (
          <Skeleton className="m-3 h-32" />
        )}
      </PopoverContent>
    </Popover>
  )
}
