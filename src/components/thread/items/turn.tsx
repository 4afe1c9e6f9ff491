'use client'
import { useThread } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { useDuration } from '../../../i18n/units.ts'
import { formatCount, formatMoney } from '../../../lib/format.ts'
import type { TurnView } from '../../../protocol/view.ts'
import { Chevron } from '../../ui/chevron.tsx'
import { cn } from '../../ui/cn.ts'
import { Shown } from '../../ui/shown.tsx'
import { Tip } from '../../ui/tip.tsx'
import { ErrorHelp } from '../error-help.tsx'
import { useOpened } from '../opened.tsx'

export const useTurn = (turnId: string): TurnView | undefined =>
  useThread((state) => (state.version >= 0 ? state.view.turns.get(turnId) : undefined))

type TurnFoldProps = { turnId: string; foldable: boolean; open: boolean }

/** "Worked 4 m 12 s · 23 steps · $0.41", which opens to the work. */
export function TurnFold({ turnId, foldable, open }: TurnFoldProps) {
  const t = useTranslations('turn')
  const durationOf = useDuration()
  const turn = useTurn(turnId)
  const [, setOpen] = useOpened(`turn:${turnId}`)
  if (!turn?.end) return null
  const { durationMs, steps, costMicros, usage } = turn.end
  const words = [
    t('worked', { duration: durationOf(durationMs) }),
    t('steps', { count: steps }),
    ...(costMicros === null || costMicros === 0 ? [] : [formatMoney(costMicros)]),
  ].join(' · ')
  const tokens = (
    <Tip
      label={`${t('tokensDetail', {
        input: formatCount(usage.input),
        cached: formatCount(usage.cachedInput),
        output: formatCount(usage.output),
        reasoning: formatCount(usage.reasoning),
      })}${costMicros === null ? ` ${t('priceUnknown')}` : ''}`}
    >
      <span>{t('tokens', { input: formatCount(usage.input), output: formatCount(usage.output) })}</span>
    </Tip>
  )
  const rowClass = 'flex h-7 items-center gap-2 rounded-md px-1.5 text-xs text-faint tabular'
  return (
    <div className="flex items-center py-1" data-item="turn">
      {foldable ? (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className={cn(rowClass, 'row-hover hover:text-foreground')}
        >
          <Chevron open={open} className="text-inherit" />
          {words}
        </button>
      ) : (
        <span className={rowClass}>{words}</span>
      )}
      <span className="ml-auto flex items-center gap-2 pr-1.5 text-xs text-faint tabular">
        {usage.input + usage.output > 0 && tokens}
        {turn.modelLabel !== undefined && (
          <span className="max-sm:hidden">
            <Shown text={turn.modelLabel} />
          </span>
        )}
      </span>
    </div>
  )
}

/** How a turn ended that did not end well: what happened, what was kept, one button that helps. */
export function TurnEnd({ turnId, last }: { turnId: string; last: boolean }) {
  const t = useTranslations('turn')
  const turn = useTurn(turnId)
  if (turn?.status === undefined) return null
  if (turn.error)
    return (
      <div className="py-2" data-item="turn-end">
        <ErrorHelp fact={turn.error} last={last} />
      </div>
    )
  return (
    <p className="px-1.5 py-1.5 text-sm text-soft" data-item="turn-end">
      {t('stopped')}
    </p>
  )
}
