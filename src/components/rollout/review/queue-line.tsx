'use client'
import { CircleSlash, GitCompareArrows, MessageSquare } from 'lucide-react'
import Link from 'next/link'
import { useMe } from '../../../client/query.ts'
import { setAside } from '../../../client/reviews.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatMoney } from '../../../lib/format.ts'
import type { Label, ReviewLine } from '../../../protocol/review.ts'
import { IconButton } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Shown } from '../../ui/shown.tsx'
import { Ago } from '../../ui/time.tsx'
import { LabelChip } from './label-chip.tsx'
import { VerdictIcon } from './verdict-icon.tsx'

type QueueLineProps = {
  line: ReviewLine
  labels: readonly Label[]
  selected: boolean
  marked: boolean
  onSelect: () => void
  onMark: () => void
}

/** A line of markdown without its marks. */
const plain = (markdown: string): string => markdown.replace(/\*\*|__|`|^#+ /g, '')

/** One rollout of the queue: what it came to and what was said of it. */
export function QueueLine({ line, labels, selected, marked, onSelect, onMark }: QueueLineProps) {
  const t = useTranslations('review.queue')
  const verdicts = useTranslations('review.verdicts')
  const untitled = useTranslations('sidebar')('untitled')
  const me = useMe().data?.user?.id
  const mine = line.reviews.find(({ reviewerId }) => reviewerId === me)
  const verdict = (mine ?? line.reviews[0])?.verdict ?? null
  const on = line.labels.flatMap((id) => labels.find((label) => label.id === id) ?? [])
  const title = line.title || untitled
  return (
    <li
      data-queue-line={line.threadId}
      data-selected={selected || undefined}
      onPointerDown={onSelect}
      className={cn(
        'group flex items-center gap-3 border-b border-line/60 px-3 py-2 md:px-4',
        selected ? 'bg-brand-soft' : 'row-hover',
      )}
    >
      <span title={verdict === null ? verdicts('none') : verdicts(verdict)} className="inline-flex">
        <VerdictIcon verdict={verdict} className="size-4" />
        <span className="sr-only">{verdict === null ? verdicts('none') : verdicts(verdict)}</span>
      </span>
      <Link href={`/threads/${line.threadId}/rollout`} className="min-w-0 flex-1 rounded">
        <span className="flex min-w-0 items-center gap-2">
          <span className="min-w-0 truncate font-medium">
            <Shown text={title} />
          </span>
          <span className="shrink-0 text-xs text-faint">
            <Shown text={line.projectName} />
          </span>
        </span>
        <span className="block truncate text-xs text-soft">
          <Shown text={mine?.reason || plain(line.lastLine) || t('nothingSaid')} />
        </span>
      </Link>
      <span className="flex max-w-60 shrink-0 flex-wrap justify-end gap-1 max-lg:hidden">
        {on.slice(0, 3).map((label) => (
          <LabelChip key={label.id} label={label} />
        ))}
        {on.length > 3 && <span className="text-2xs text-faint">+{on.length - 3}</span>}
      </span>
      {line.comments > 0 && (
        <span
          title={t('comments', { total: line.comments, open: line.open })}
          className={cn(
            'inline-flex shrink-0 items-center gap-1 text-xs tabular',
            line.open > 0 ? 'text-brand' : 'text-faint',
          )}
        >
          <MessageSquare aria-hidden className="size-3" />
          <span aria-hidden>{line.comments}</span>
          <span className="sr-only">{t('comments', { total: line.comments, open: line.open })}</span>
        </span>
      )}
      <span className="w-36 shrink-0 text-right text-xs leading-4 text-faint tabular max-md:hidden">
        <span className="block">
          {t('figures', { steps: line.steps })}
          {line.costMicros !== null && line.costMicros > 0 && ` · ${formatMoney(line.costMicros)}`}
        </span>
        {line.additions + line.deletions > 0 && (
          <span className="block">
            <span className="text-good">+{line.additions}</span>{' '}
            <span className="text-bad">−{line.deletions}</span>
          </span>
        )}
      </span>
      <Ago at={line.updatedAt} className="w-14 shrink-0 text-right text-xs text-faint tabular" />
      <span className="flex shrink-0 max-md:hidden">
        <IconButton
          label={marked ? t('unmark') : t('mark')}
          keys="x"
          aria-pressed={marked}
          className={cn(
            marked ? 'text-brand' : 'opacity-0 group-hover:opacity-100 focus-visible:opacity-100',
          )}
          onClick={onMark}
        >
          <GitCompareArrows aria-hidden />
        </IconButton>
        <IconButton
          label={t('setAside')}
          keys="s"
          className="opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
          onClick={() => void setAside(line.threadId, me)}
        >
          <CircleSlash aria-hidden />
        </IconButton>
      </span>
    </li>
  )
}
