'use client'
import { Ban, CircleX, Pause } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { memo } from 'react'
import { formatCount, formatDuration, formatMoney } from '../../../lib/format.ts'
import type { RolloutRow } from '../../../protocol/rollout.ts'
import { cn } from '../../ui/cn.ts'
import { RowMarks } from '../slots.tsx'
import { RowIcon } from './row-icon.tsx'

type Props = { threadId: string; row: RolloutRow; selected: boolean }

/** One row: what it is, what it says, how it ended, what it took. */
export const RowLine = memo(function RowLine({ threadId, row, selected }: Props) {
  const head = row.kind === 'turn' || row.kind === 'window'
  return (
    <div
      className={cn(
        'flex h-full min-w-0 items-center gap-1.5 pr-2 text-[13px]',
        row.kind === 'turn' ? 'border-t border-line bg-subtle pl-2 font-medium' : 'pl-2',
        row.kind === 'window' && 'text-xs text-soft',
        selected && 'bg-brand-soft',
      )}
    >
      {head ? null : (
        <span className="w-9 shrink-0 text-right text-2xs text-faint tabular">
          {row.kind === 'step' && row.step !== null ? row.step : ''}
        </span>
      )}
      {row.kind !== 'turn' && (
        <span
          className={cn(
            'flex size-4 shrink-0 items-center justify-center text-faint [&_svg]:size-3.5',
            (row.kind === 'tool' || row.kind === 'message') && !head && 'ml-2',
          )}
        >
          <RowIcon row={row} />
        </span>
      )}
      <Words row={row} />
      <Figures row={row} />
      <RowMarks threadId={threadId} row={row} />
    </div>
  )
})

function Words({ row }: { row: RolloutRow }) {
  const t = useTranslations('rollout.row')
  const bad = row.status === 'failed'
  return (
    <span className={cn('min-w-0 flex-1 truncate', row.kind === 'step' && 'text-soft', bad && 'text-bad')}>
      {row.kind === 'tool' && !row.label.startsWith(row.name) && (
        <span className="pr-1.5 text-faint">{row.name}</span>
      )}
      {row.label === '' ? t(`kinds.${row.kind}`) : row.label}
    </span>
  )
}

function Figures({ row }: { row: RolloutRow }) {
  const t = useTranslations('rollout.row')
  return (
    <span className="flex shrink-0 items-center gap-2 text-2xs font-normal text-faint tabular">
      {row.additions !== null && row.additions > 0 && <span className="text-good">+{row.additions}</span>}
      {row.deletions !== null && row.deletions > 0 && <span className="text-bad">−{row.deletions}</span>}
      {row.kind === 'step' && row.usage !== null && row.usage.input > 0 && (
        <span title={t('input')}>{formatCount(row.usage.input)}</span>
      )}
      {row.costMicros !== null && row.costMicros > 0 && row.kind !== 'tool' && (
        <span>{formatMoney(row.costMicros)}</span>
      )}
      {row.durationMs !== null && row.durationMs >= 100 && (
        <span className="min-w-11 text-right">{formatDuration(row.durationMs)}</span>
      )}
      <Ending status={row.status} />
    </span>
  )
}

function Ending({ status }: { status: RolloutRow['status'] }) {
  const t = useTranslations('rollout.row')
  if (status === 'none' || status === 'ok') return null
  const icon =
    status === 'failed' ? (
      <CircleX aria-hidden className="size-3 text-bad" />
    ) : status === 'refused' ? (
      <Ban aria-hidden className="size-3 text-wait" />
    ) : status === 'interrupted' ? (
      <Pause aria-hidden className="size-3 text-wait" />
    ) : (
      <span aria-hidden className="size-1.5 animate-breathe rounded-full bg-brand" />
    )
  return (
    <span className="inline-flex w-3 justify-center" title={t(`status.${status}`)}>
      {icon}
      <span className="sr-only">{t(`status.${status}`)}</span>
    </span>
  )
}
