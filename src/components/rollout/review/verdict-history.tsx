'use client'
import { factOf } from '../../../client/api.ts'
import { useLabels, useReviewHistory } from '../../../client/reviews.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { Review, ThreadLabelChange } from '../../../protocol/review.ts'
import { useName } from '../../thread/names.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Skeleton, Trouble } from '../../ui/states.tsx'
import { At } from '../../ui/time.tsx'
import { CommentWords } from './comment-text.tsx'
import { LabelChip } from './label-chip.tsx'
import { VerdictIcon } from './verdict-icon.tsx'

type Props = { threadId: string; open: boolean; onOpenChange: (open: boolean) => void }

/** Every verdict that was given and every label that was put on or taken off, newest first. */
export function VerdictHistory({ threadId, open, onOpenChange }: Props) {
  const t = useTranslations('review.history')
  const history = useReviewHistory(threadId, open)
  const entries = history.data
    ? [
        ...history.data.reviews.map((review) => ({ key: review.id, at: review.at, review, label: null })),
        ...history.data.labels.map((label) => ({
          key: `${label.labelId} ${label.at} ${label.action}`,
          at: label.at,
          review: null,
          label,
        })),
      ].sort((a, b) => b.at - a.at)
    : []
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('reviewTitle')}>
      {history.isPending ? (
        <Skeleton className="h-20" />
      ) : history.isError ? (
        <Trouble title={t('unread')} fact={factOf(history.error)} />
      ) : (
        <ol className="space-y-3">
          {entries.map(({ key, review, label }) => (
            <li key={key}>{review ? <Given review={review} /> : label && <Labelled change={label} />}</li>
          ))}
        </ol>
      )}
    </Dialog>
  )
}

function Given({ review }: { review: Review }) {
  const t = useTranslations('review')
  const name = useName(review.reviewerId)
  return (
    <>
      <p className="flex flex-wrap items-center gap-1.5 text-xs">
        <VerdictIcon verdict={review.verdict} />
        <span className="font-medium">{name}</span>
        <span className="text-soft">
          {review.action === 'given' && review.verdict !== null
            ? t(`verdicts.${review.verdict}`)
            : t(`form.actions.${review.action}`)}
        </span>
        <span className="text-faint">
          {t('history.atTurn', { turns: review.turns })} · <At at={review.at} />
        </span>
      </p>
      {review.reason !== '' && (
        <div className="mt-0.5 border-l-2 border-line pl-2.5">
          <CommentWords text={review.reason} />
        </div>
      )}
    </>
  )
}

function Labelled({ change }: { change: ThreadLabelChange }) {
  const t = useTranslations('review.history')
  const name = useName(change.actorId)
  const label = useLabels().data?.find(({ id }) => id === change.labelId)
  return (
    <p className="flex flex-wrap items-center gap-1.5 text-xs">
      <span className="font-medium">{name}</span>
      <span className="text-soft">{t(`labels.${change.action}`)}</span>
      {label && <LabelChip label={label} />}
      <At at={change.at} className="text-faint" />
    </p>
  )
}
