'use client'
import { ChevronDown, ChevronUp, Link2 } from 'lucide-react'
import { useFormatter } from 'next-intl'
import type { ReactNode } from 'react'
import { useRollout, useRolloutStore } from '../../../client/use-rollout.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { useDuration, useUnit } from '../../../i18n/units.ts'
import { formatMoney } from '../../../lib/format.ts'
import type { RolloutRow, RolloutStep } from '../../../protocol/rollout.ts'
import { IconButton } from '../../ui/button.tsx'
import { Shown } from '../../ui/shown.tsx'
import { At } from '../../ui/time.tsx'
import { SelectedActions } from '../slots.tsx'
import { useCopyLink } from '../use-copy-link.ts'

/** What a step was, in one line of figures. */
export function StepHead({ row, step }: { row: RolloutRow; step: RolloutStep | undefined }) {
  const t = useTranslations('rollout.step')
  const durationOf = useDuration()
  const unit = useUnit()
  const milli = (ms: number): string => (ms < 1_000 ? unit('ms', String(ms)) : durationOf(ms))
  const format = useFormatter()
  const number = (value: number): string => format.number(value)
  const figures: ReactNode[] = []
  if (step !== undefined) {
    const { end, model, effort, estimatedTokens, row: own } = step
    if (model !== '') figures.push(effort === null || effort === '' ? model : `${model} (${effort})`)
    if (end !== null) {
      // Sessions of other programs often keep no times.
      if (end.totalMs > 0) figures.push(durationOf(end.totalMs))
      if (end.firstTokenMs !== null) figures.push(t('firstToken', { duration: milli(end.firstTokenMs) }))
      const { input, cachedInput, output, reasoning } = end.usage
      if (input > 0)
        figures.push(t('input', { tokens: number(input), percent: Math.round((cachedInput / input) * 100) }))
      if (output > 0) figures.push(t('output', { tokens: number(output) }))
      if (reasoning > 0) figures.push(t('thought', { tokens: number(reasoning) }))
      if (end.costMicros !== null) figures.push(formatMoney(end.costMicros))
      if (end.retries > 0)
        figures.push(
          <span key="retries" className="text-wait">
            {t('retries', { count: end.retries })}
          </span>,
        )
      if (end.status !== 'completed')
        figures.push(
          <span key="status" className="text-bad">
            {t(`status.${end.status}`)}
          </span>,
        )
    } else {
      figures.push(
        <span key="running" className="text-brand">
          {t('running')}
        </span>,
      )
      if (estimatedTokens !== null) figures.push(t('estimated', { tokens: number(estimatedTokens) }))
    }
    figures.push(<At key="at" at={own.at} />)
  }
  return (
    <Head
      row={row}
      title={row.step === null ? t('one') : t('title', { number: row.step })}
      where={step === undefined ? null : t('inWindow', { number: step.windowIndex + 1 })}
      figures={figures}
    />
  )
}

/** Names of models, tools and kinds are strangers' words. */
const shown = (words: ReactNode): ReactNode => (typeof words === 'string' ? <Shown text={words} /> : words)

type HeadProps = { row: RolloutRow; title: ReactNode; where?: string | null; figures: ReactNode[] }

/** The head of whatever is selected: its name, its figures, what can be done with it. */
export function Head({ row, title, where, figures }: HeadProps) {
  const t = useTranslations('rollout.step')
  const store = useRolloutStore()
  const threadId = useRollout((state) => state.threadId)
  const copy = useCopyLink()
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-x-2 pt-1.5 pr-2 pb-2 pl-4">
      <h2 className="flex min-w-0 flex-1 items-baseline gap-2 text-sm font-semibold">
        <span className="truncate">{shown(title)}</span>
        {where && <span className="shrink-0 text-xs font-normal text-faint">{shown(where)}</span>}
      </h2>
      <SelectedActions threadId={threadId} row={row} />
      <IconButton label={t('copyLink')} keys="y" onClick={copy}>
        <Link2 aria-hidden />
      </IconButton>
      <IconButton label={t('previous')} keys="p" onClick={() => void store.next({ kinds: ['step'] }, -1)}>
        <ChevronUp aria-hidden />
      </IconButton>
      <IconButton label={t('next')} keys="n" onClick={() => void store.next({ kinds: ['step'] }, 1)}>
        <ChevronDown aria-hidden />
      </IconButton>
      <p className="flex basis-full flex-wrap gap-x-1.5 text-xs text-soft tabular">
        {figures.map((figure, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: figures stand in one order.
          <span key={at}>
            {shown(figure)}
            {at < figures.length - 1 && (
              <span aria-hidden className="pl-1.5 text-line-strong">
                ·
              </span>
            )}
          </span>
        ))}
      </p>
    </header>
  )
}
