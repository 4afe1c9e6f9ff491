'use client'
import { useFormatter } from 'next-intl'
import type { ReactNode } from 'react'
import { useTranslations } from '../../../i18n/translations.ts'
import { useDuration, usePercent } from '../../../i18n/units.ts'
import { formatCount, formatMoney } from '../../../lib/format.ts'
import type { CompareSide, RolloutComparison } from '../../../protocol/compare.ts'
import { cn } from '../../ui/cn.ts'
import { Shown } from '../../ui/shown.tsx'
import { SideBadge } from './side-badge.tsx'

type Figure = {
  name: string
  /** What it is as a number; null = not known. */
  value: (side: CompareSide) => number | null
  show: (value: number) => string
  /** Shown small behind it. */
  note?: (side: CompareSide) => string
}

type Totals = CompareSide['totals']

// Sessions of other programs often count no tokens and keep no times: that is not known, and not nought.
const counted = ({ steps, usage }: Totals, value: number): number | null =>
  steps > 0 && usage.input + usage.output === 0 ? null : value
const timed = ({ steps, modelMs, toolMs }: Totals, value: number): number | null =>
  steps > 0 && modelMs + toolMs === 0 ? null : value

/** What each came to, and by how much they differ. */
export function Figures({ data }: { data: RolloutComparison }) {
  const t = useTranslations('compare.figures')
  const durationOf = useDuration()
  const results = useTranslations('compare.results')
  const format = useFormatter()
  const whole = (value: number): string => format.number(value)
  const percent = usePercent()
  const figures: Figure[] = [
    { name: t('turns'), value: ({ totals }) => totals.turns, show: whole },
    { name: t('steps'), value: ({ totals }) => totals.steps, show: whole },
    {
      name: t('input'),
      value: ({ totals }) => counted(totals, totals.usage.input),
      show: formatCount,
      note: ({ totals: { usage } }) =>
        usage.input === 0 ? '' : t('cached', { percent: percent(usage.cachedInput, usage.input) }),
    },
    { name: t('output'), value: ({ totals }) => counted(totals, totals.usage.output), show: formatCount },
    { name: t('cost'), value: ({ totals }) => totals.costMicros, show: formatMoney },
    { name: t('model'), value: ({ totals }) => timed(totals, totals.modelMs), show: durationOf },
    { name: t('tools'), value: ({ totals }) => timed(totals, totals.toolMs), show: durationOf },
    { name: t('waiting'), value: ({ totals }) => timed(totals, totals.waitMs), show: durationOf },
    { name: t('errors'), value: ({ totals }) => totals.errors, show: whole },
    {
      name: t('files'),
      value: ({ totals }) => totals.filesChanged,
      show: whole,
      note: ({ totals: { additions, deletions } }) =>
        additions + deletions === 0 ? '' : `+${additions} −${deletions}`,
    },
  ]
  return (
    <div className="overflow-x-auto border-b border-line">
      <table className="w-full min-w-max text-xs tabular">
        <caption className="sr-only">{t('caption')}</caption>
        <thead>
          <tr className="text-faint">
            <th scope="col" className="py-1.5 pr-3 pl-4 text-left font-medium">
              {t('rollout')}
            </th>
            <th scope="col" className="px-2.5 text-left font-medium">
              {t('result')}
            </th>
            {figures.map(({ name }) => (
              <th key={name} scope="col" className="px-2.5 text-right font-medium last:pr-4">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(['a', 'b'] as const).map((side) => (
            <tr key={side} className="border-t border-line/60">
              <th scope="row" className="py-1.5 pr-3 pl-4 text-left font-normal">
                <span className="flex items-center gap-2">
                  <SideBadge side={side} />
                  <span className="max-w-40 truncate text-soft">
                    <Shown text={data[side].model === '?' ? '—' : (data[side].model ?? '—')} />
                  </span>
                </span>
              </th>
              <td className="px-2.5">
                <Result result={data[side].result}>{results(data[side].result)}</Result>
              </td>
              {figures.map(({ name, value, show, note }) => {
                const figure = value(data[side])
                const words = note?.(data[side]) ?? ''
                return (
                  <td key={name} className="px-2.5 text-right whitespace-nowrap last:pr-4">
                    {figure === null ? '—' : show(figure)}
                    {words !== '' && <span className="pl-1 text-2xs text-faint">{words}</span>}
                  </td>
                )
              })}
            </tr>
          ))}
          <tr className="border-t border-line/60 text-soft">
            <th scope="row" className="py-1.5 pr-3 pl-4 text-left font-normal">
              {t('difference')}
            </th>
            <td />
            {figures.map(({ name, value, show }) => {
              const [a, b] = [value(data.a), value(data.b)]
              const by = a === null || b === null ? null : b - a
              return (
                <td key={name} className={cn('px-2.5 text-right last:pr-4', !by && 'text-faint')}>
                  {by === null ? '—' : by === 0 ? '=' : `${by > 0 ? '+' : '−'}${show(Math.abs(by))}`}
                </td>
              )
            })}
          </tr>
        </tbody>
      </table>
    </div>
  )
}

function Result({ result, children }: { result: CompareSide['result']; children: ReactNode }) {
  const colour =
    result === 'completed'
      ? 'text-good'
      : result === 'failed'
        ? 'text-bad'
        : result === 'running'
          ? 'text-brand'
          : 'text-wait'
  return <span className={cn('font-medium', result === 'none' ? 'text-faint' : colour)}>{children}</span>
}
