'use client'
import type { ReactNode } from 'react'
import { useRollout, useRolloutStore } from '../../client/use-rollout.ts'
import { useTranslations } from '../../i18n/translations.ts'
import type { RolloutRow } from '../../protocol/rollout.ts'
import { Button } from '../ui/button.tsx'
import { Skeleton, Trouble } from '../ui/states.tsx'
import { Boundary } from './body/boundary.tsx'
import { TextView } from './body/text-view.tsx'
import { Overview } from './overview.tsx'
import { EventView } from './step/event-view.tsx'
import { StepView } from './step/step-view.tsx'
import { TurnView } from './step/turn-view.tsx'
import { WindowView } from './step/window-view.tsx'

/** What is looked at: a step, a window, a turn, one event, or the whole. */
export function Detail() {
  const t = useTranslations('rollout.detail')
  const store = useRolloutStore()
  const selected = useRollout((state) => state.selected)
  const locating = useRollout((state) => state.locating)
  const lost = useRollout((state) => state.lost)
  const skeleton = useRollout((state) => state.skeleton)
  if (lost !== null)
    return (
      <div className="p-5">
        <Trouble title={t('lost')} fact={lost}>
          <Button small onClick={() => store.leave()}>
            {t('toWhole')}
          </Button>
        </Trouble>
      </div>
    )
  if (selected === null && (locating || skeleton === null))
    return (
      <div role="status" aria-label={t('loading')} className="space-y-3 p-5">
        <Skeleton className="h-6 w-1/2" />
        <Skeleton className="h-40" />
      </div>
    )
  if (selected === null) return skeleton === null ? null : <Overview skeleton={skeleton} />
  return (
    <Boundary
      key={selected.idx}
      fallback={(error) => (
        <div className="space-y-2 p-5">
          <Trouble title={t('broke')} detail={error.message} />
          <TextView text={JSON.stringify(selected, null, 2)} />
        </div>
      )}
    >
      <Selected row={selected} />
    </Boundary>
  )
}

function Selected({ row }: { row: RolloutRow }): ReactNode {
  if (row.kind === 'turn') return <TurnView row={row} />
  if (row.kind === 'window') return <WindowView row={row} />
  if (row.stepId !== null && (row.kind === 'step' || row.kind === 'tool' || row.kind === 'message'))
    return <StepView key={row.stepId} row={row} />
  return <EventView key={row.seq} row={row} />
}
