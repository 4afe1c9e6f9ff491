'use client'
import { ArrowRight, History } from 'lucide-react'
import Link from 'next/link'
import { RadioGroup } from 'radix-ui'
import { useState } from 'react'
import { useMe } from '../../../client/query.ts'
import {
  draftOf,
  keepDraft,
  useLabels,
  useReviewing,
  useReviewQueue,
  versionOf,
} from '../../../client/reviews.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { ErrorFact } from '../../../protocol/error.ts'
import { maxCommentChars, type ReviewSummary, Verdict } from '../../../protocol/review.ts'
import { useName } from '../../thread/names.tsx'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { useFactLine } from '../../ui/fact.ts'
import { inputClass } from '../../ui/field.tsx'
import { Ago } from '../../ui/time.tsx'
import { CommentWords } from './comment-text.tsx'
import { LabelChip } from './label-chip.tsx'
import { LabelPicker } from './label-picker.tsx'
import { OpenComments } from './open-comments.tsx'
import { VerdictHistory } from './verdict-history.tsx'
import { VerdictIcon } from './verdict-icon.tsx'

type ReviewFormProps = { threadId: string; summary: ReviewSummary; onDone: () => void }

/** What one makes of a rollout: a verdict with its reason, labels; and what others made of it. */
export function ReviewForm({ threadId, summary, onDone }: ReviewFormProps) {
  const factLine = useFactLine()
  const t = useTranslations('review.form')
  const verdicts = useTranslations('review.verdicts')
  const me = useMe().data?.user?.id
  const mine = summary.reviews.find(({ reviewerId }) => reviewerId === me)
  const draft = `reason ${threadId}`
  const [verdict, setVerdict] = useState<Verdict | null>(mine?.verdict ?? null)
  const [reason, setReason] = useState(() => draftOf(draft) || (mine?.reason ?? ''))
  // What was seen when the form was opened: what came since is told, not overwritten in silence.
  const [seen, setSeen] = useState(() => versionOf(summary.reviews, me))
  const [error, setError] = useState<ErrorFact | null>(null)
  const [history, setHistory] = useState(false)
  const reviewing = useReviewing(threadId)
  const needsReason = verdict !== null && verdict !== 'accepted' && reason.trim() === ''
  const moved = versionOf(summary.reviews, me) !== seen

  const run = async (work: ReturnType<typeof reviewing.withdraw>): Promise<void> => {
    const done = await work
    if (!done.ok) return setError(done.error)
    keepDraft(draft, '')
    onDone()
  }
  const save = (): void => {
    if (verdict === null || needsReason) return
    const base = moved ? versionOf(summary.reviews, me) : seen
    setSeen(base)
    void run(reviewing.judge(verdict, reason.trim(), base))
  }

  return (
    <div className="divide-y divide-line">
      <form
        className="space-y-2.5 p-3"
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <RadioGroup.Root
          aria-label={t('verdict')}
          value={verdict ?? ''}
          onValueChange={(value) => setVerdict(Verdict.parse(value))}
          className="grid grid-cols-3 gap-1.5"
        >
          {Verdict.options.map((each) => (
            <RadioGroup.Item
              key={each}
              value={each}
              className={cn(
                'flex h-8 items-center justify-center gap-1.5 rounded-md border border-line text-xs font-medium row-hover',
                verdict === each && 'border-brand bg-brand-soft',
              )}
            >
              <VerdictIcon verdict={each} />
              {verdicts(each)}
            </RadioGroup.Item>
          ))}
        </RadioGroup.Root>
        <textarea
          value={reason}
          aria-label={t('reason')}
          placeholder={verdict === null || verdict === 'accepted' ? t('reasonOptional') : t('reasonNeeded')}
          maxLength={maxCommentChars}
          rows={3}
          onChange={(event) => {
            setReason(event.target.value)
            keepDraft(draft, event.target.value === (mine?.reason ?? '') ? '' : event.target.value)
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
            event.preventDefault()
            save()
          }}
          className={cn(inputClass, 'resize-y')}
        />
        {(moved || error !== null) && (
          <p role="alert" className={cn('text-xs', moved ? 'text-wait' : 'text-bad')}>
            {moved
              ? t('moved', { verdict: mine?.verdict ? verdicts(mine.verdict) : verdicts('none') })
              : error !== null && factLine(error)}
          </p>
        )}
        <div className="flex flex-wrap items-center gap-1.5">
          <Button look="primary" small type="submit" disabled={verdict === null || needsReason}>
            {moved ? t('saveOver') : t('save')}
          </Button>
          {mine?.verdict == null ? (
            <Button look="quiet" small onClick={() => void run(reviewing.setAside(seen))}>
              {t('setAside')}
            </Button>
          ) : (
            <Button look="quiet" small onClick={() => void run(reviewing.withdraw(seen))}>
              {t('withdraw')}
            </Button>
          )}
          <Next threadId={threadId} />
        </div>
      </form>
      <Labels threadId={threadId} summary={summary} />
      {summary.open > 0 && <OpenComments threadId={threadId} onGo={onDone} />}
      {summary.reviews.length > 0 && (
        <div className="space-y-2 p-3">
          {summary.reviews.map((review) => (
            <Given key={review.id} review={review} />
          ))}
          <Button look="quiet" small onClick={() => setHistory(true)}>
            <History aria-hidden className="size-3.5" /> {t('history')}
          </Button>
        </div>
      )}
      <VerdictHistory threadId={threadId} open={history} onOpenChange={setHistory} />
    </div>
  )
}

function Labels({ threadId, summary }: { threadId: string; summary: ReviewSummary }) {
  const t = useTranslations('review.labels')
  const labels = useLabels()
  const reviewing = useReviewing(threadId)
  const on = summary.labels.map(({ labelId }) => labelId)
  const shown = on.flatMap((id) => labels.data?.find((label) => label.id === id) ?? [])
  return (
    <section aria-label={t('title')} className="space-y-2 p-3">
      {shown.length > 0 && (
        <div className="flex flex-wrap gap-1">
          {shown.map((label) => (
            <LabelChip key={label.id} label={label} onRemove={() => void reviewing.label([], [label.id])} />
          ))}
        </div>
      )}
      <LabelPicker threadId={threadId} on={on} />
    </section>
  )
}

function Given({ review }: { review: ReviewSummary['reviews'][number] }) {
  const t = useTranslations('review.form')
  const verdicts = useTranslations('review.verdicts')
  const name = useName(review.reviewerId)
  return (
    <div className="text-xs">
      <p className="flex items-center gap-1.5">
        <VerdictIcon verdict={review.verdict} />
        <span className="font-medium">{name}</span>
        <span className="text-soft">
          {review.verdict === null ? t(`actions.${review.action}`) : verdicts(review.verdict)}
        </span>
        <Ago at={review.at} className="ml-auto text-faint" />
      </p>
      {review.reason !== '' && (
        <div className="mt-0.5 pl-5">
          <CommentWords text={review.reason} />
        </div>
      )}
    </div>
  )
}

/** The way to what is to be reviewed next. */
function Next({ threadId }: { threadId: string }) {
  const t = useTranslations('review.form')
  const queue = useReviewQueue('to_review', {})
  const next = queue.data?.lines.find((line) => line.threadId !== threadId)
  if (next === undefined) return null
  return (
    <Link
      href={`/threads/${next.threadId}/rollout`}
      title={next.title}
      className="ml-auto inline-flex h-7 items-center gap-1 rounded-md px-2 text-xs text-soft row-hover"
    >
      {t('next')} <ArrowRight aria-hidden className="size-3.5" />
    </Link>
  )
}
