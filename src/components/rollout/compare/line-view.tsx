'use client'
import { Ban, Bot, CircleCheck, CircleX, Pause, User } from 'lucide-react'
import { memo } from 'react'
import { useTranslations } from '../../../i18n/translations.ts'
import { useDuration, useList } from '../../../i18n/units.ts'
import type { CompareCell, CompareLine, DifferenceField } from '../../../protocol/compare.ts'
import { cn } from '../../ui/cn.ts'
import { Shown } from '../../ui/shown.tsx'

type LineViewProps = { line: CompareLine; selected: boolean; onSelect: (line: number) => void }

/** One line: what stands on each side, and between them how they differ. */
export const LineView = memo(function LineView({ line, selected, onSelect }: LineViewProps) {
  const t = useTranslations('compare')
  const list = useList()
  const { a, b, fields } = line
  const differs = fields.length > 0
  const words = differs ? list(fields.map((field) => t(`fields.${field}`))) : t('same')
  return (
    <button
      type="button"
      data-line={line.line}
      data-differs={differs || undefined}
      aria-pressed={selected}
      onClick={() => onSelect(line.line)}
      className={cn(
        'grid h-full w-full grid-cols-[minmax(0,1fr)_92px_minmax(0,1fr)] items-stretch border-b border-line/60 text-left text-[13px] focus-visible:-outline-offset-2 max-md:grid-cols-[minmax(0,1fr)_40px_minmax(0,1fr)]',
        (a ?? b)?.kind === 'turn' && 'border-t border-t-line bg-subtle font-medium',
        selected ? 'bg-brand-soft' : 'row-hover',
      )}
    >
      <Cell cell={a} other={b} fields={fields} />
      <span
        title={words}
        className={cn(
          'flex min-w-0 flex-col items-center justify-center border-x border-line px-1 text-center text-2xs leading-3 font-normal',
          differs ? 'bg-wait-soft text-wait' : 'text-faint',
        )}
      >
        <span aria-hidden>{differs ? <Mark fields={fields} /> : '='}</span>
        <span className={cn('line-clamp-2 max-w-full max-md:sr-only', !differs && 'sr-only')}>{words}</span>
      </span>
      <Cell cell={b} other={a} fields={fields} />
    </button>
  )
})

function Mark({ fields }: { fields: DifferenceField[] }) {
  return <span className="text-xs font-semibold">{fields.includes('only') ? '∅' : '≠'}</span>
}

type CellProps = { cell: CompareCell | null; other: CompareCell | null; fields: DifferenceField[] }

function Cell({ cell, other, fields }: CellProps) {
  const t = useTranslations('compare')
  const durationOf = useDuration()
  if (cell === null)
    return (
      <span className="flex items-center bg-[repeating-linear-gradient(135deg,var(--line)_0_1px,transparent_1px_7px)] px-3 text-xs font-normal text-faint">
        <span className="sr-only">{t('nothingHere')}</span>
      </span>
    )
  const saysMore = fields.some((field) => field === 'result')
  const result = saysMore && cell.result !== null ? cell.result : null
  return (
    <span className="flex min-w-0 items-center gap-1.5 px-3">
      <CellIcon cell={cell} />
      <span className="min-w-0 flex-1">
        <span className={cn('block truncate', fields.length === 0 && cell.kind !== 'turn' && 'text-soft')}>
          {cell.kind === 'tool' && (
            <span
              className={cn(
                'pr-1.5 text-faint max-md:sr-only',
                other !== null && fields.includes('tool') && 'font-medium text-wait',
              )}
            >
              <Shown text={cell.name} />
            </span>
          )}
          <Shown text={cell.label || t('withoutWords')} />
        </span>
        {result !== null && (
          <span className="block truncate text-xs text-faint">
            <Shown text={result} />
          </span>
        )}
      </span>
      {cell.durationMs !== null && cell.durationMs >= 100 && (
        <span className="shrink-0 text-2xs font-normal text-faint tabular max-lg:hidden">
          {durationOf(cell.durationMs)}
        </span>
      )}
    </span>
  )
}

function CellIcon({ cell }: { cell: CompareCell }) {
  const t = useTranslations('compare.status')
  const size = 'size-3.5 shrink-0'
  if (cell.kind !== 'tool')
    return cell.kind === 'turn' || cell.name === 'user_message' ? (
      <User aria-hidden className={cn(size, 'text-soft')} />
    ) : (
      <Bot aria-hidden className={cn(size, 'text-faint')} />
    )
  const icon =
    cell.status === 'failed' ? (
      <CircleX aria-hidden className={cn(size, 'text-bad')} />
    ) : cell.status === 'refused' ? (
      <Ban aria-hidden className={cn(size, 'text-wait')} />
    ) : cell.status === 'interrupted' || cell.status === 'running' ? (
      <Pause aria-hidden className={cn(size, 'text-wait')} />
    ) : (
      <CircleCheck aria-hidden className={cn(size, 'text-faint')} />
    )
  return (
    <span className="inline-flex">
      {icon}
      <span className="sr-only">{t(cell.status)}</span>
    </span>
  )
}
