'use client'
import { Ban, CircleX, Pause } from 'lucide-react'
import { memo } from 'react'
import { useRollout } from '../../../client/use-rollout.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { useDuration } from '../../../i18n/units.ts'
import { formatCount, formatMoney } from '../../../lib/format.ts'
import { isPlainKey } from '../../../lib/own.ts'
import { visible } from '../../../lib/visible.ts'
import type { RolloutRow, RolloutSkeleton } from '../../../protocol/rollout.ts'
import { cn } from '../../ui/cn.ts'
import { Shown } from '../../ui/shown.tsx'
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
  const bad = row.status === 'failed'
  return (
    <span className={cn('min-w-0 flex-1 truncate', row.kind === 'step' && 'text-faint', bad && 'text-bad')}>
      {row.kind === 'tool' && !row.label.startsWith(row.name) && (
        <span className="pr-1.5 text-faint">
          <Shown text={row.name} />
        </span>
      )}
      <RowWords row={row} />
    </span>
  )
}

/** What a row says; heads and signs have words of their own. */
export function RowWords({ row }: { row: RolloutRow }) {
  const t = useTranslations('rollout.row')
  const reasons = useTranslations('rollout.reasons')
  const number = useRollout(({ skeleton }) => (row.kind === 'turn' ? turnNumber(skeleton, row.idx) : null))
  switch (row.kind) {
    case 'turn':
      return (
        <>
          {number === null ? t('turnBare') : t('turn', { number })}
          <span className="pl-2 font-normal text-soft">
            <Shown text={row.label === '?' ? '' : plain(row.label)} />
          </span>
        </>
      )
    case 'window': {
      const reason = row.name as Parameters<typeof reasons.has>[0]
      return (
        <>
          {t('window', { number: Number(row.label) + 1 })}
          <span className="pl-2 text-faint">
            {isPlainKey(reason) && reasons.has(reason) ? reasons(reason) : visible(row.name)}
          </span>
        </>
      )
    }
    case 'step':
      return row.label === '' || /^(completed|stop|end_turn|tool_use|tool_calls|STOP)$/.test(row.label)
        ? t('step')
        : `${t('step')} · ${visible(row.label)}`
    case 'marker':
      if (row.name === 'hand_over') return t('handOver', { number: Number(row.label) + 1 })
      return (
        <>
          <span className="text-soft">
            <Shown text={eventWords(row.name)} />
          </span>
          {row.label !== '' && (
            <span className="pl-2">
              <Shown text={row.label} />
            </span>
          )}
        </>
      )
    default:
      return row.label === '' ? (
        t(`kinds.${row.kind}`)
      ) : (
        <Shown text={row.kind === 'message' ? plain(row.label) : row.label} />
      )
  }
}

/** Words without the signs that stand for weight and heads. */
const plain = (text: string): string => text.replace(/^#{1,6} /, '').replace(/\*\*([^*]+)\*\*/g, '$1')

/** `approval.requested` as it is read: "approval requested". */
const eventWords = (name: string): string => name.replaceAll(/[._]/g, ' ')

/** Turns are told by number where the skeleton has each of them. */
function turnNumber(skeleton: RolloutSkeleton | null, idx: number): number | null {
  if (skeleton === null) return null
  const { turns } = skeleton
  let number = 0
  for (let at = 0; at < turns.idx.length; at += 1) {
    const [first, count] = [turns.idx[at] ?? 0, turns.count[at] ?? 1]
    if (first > idx) break
    if (first === idx) return number + 1
    number += count
  }
  return null
}

function Figures({ row }: { row: RolloutRow }) {
  const t = useTranslations('rollout.row')
  const durationOf = useDuration()
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
        <span className="min-w-11 text-right">{durationOf(row.durationMs)}</span>
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
