'use client'
import { useEffect, useRef } from 'react'
import { useRollout } from '../../../client/use-rollout.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { RolloutStep } from '../../../protocol/rollout.ts'
import { cn } from '../../ui/cn.ts'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Empty } from '../../ui/states.tsx'
import { useHighlights } from '../../ui/use-highlights.ts'
import { Boundary } from '../body/boundary.tsx'
import { TextView } from '../body/text-view.tsx'
import { useFind } from '../find/use-find.ts'
import { EventLine } from './event-line.tsx'
import { ItemView } from './item-view.tsx'

/** What the model answered and what was done with it, in order; between them what happened to the step. */
export function Did({ step, itemId }: { step: RolloutStep; itemId: string | null }) {
  const t = useTranslations('rollout.did')
  const box = useRef<HTMLDivElement>(null)
  const threadId = useRollout((state) => state.threadId)
  const { query, words } = useFind()
  useHighlights(box, query, words)
  const scrolled = useRef<string | null>(null)
  useEffect(() => {
    if (itemId === null || scrolled.current === itemId) return
    scrolled.current = itemId
    const item = box.current?.querySelector(`[data-item-id="${CSS.escape(itemId)}"]`)
    item?.scrollIntoView({ block: 'start' })
  }, [itemId])
  const entries = [
    ...step.items.map((view) => ({ seq: view.seq, view, event: null })),
    ...step.events
      .filter(({ type }) => type !== 'checkpoint.created' && !type.startsWith('command.'))
      .map((event) => ({ seq: event.seq, view: null, event })),
  ].sort((a, b) => a.seq - b.seq)
  if (entries.length === 0)
    return (
      <Empty title={step.end === null ? t('running') : t('none')}>
        <p>{step.end === null ? t('runningText') : t('noneText')}</p>
      </Empty>
    )
  return (
    <ScrollBox ref={box} label={t('label')} className="h-full space-y-3 px-4 py-3" data-testid="step-did">
      {entries.map(({ view, event }) =>
        view === null ? (
          event !== null && <EventLine key={`e${event.seq}`} event={event} />
        ) : (
          <div
            key={view.item.id}
            data-item-id={view.item.id}
            className={cn(
              'scroll-mt-2 rounded-lg',
              view.item.id === itemId && 'outline-2 outline-offset-4 outline-brand',
            )}
          >
            <Boundary fallback={() => <TextView text={JSON.stringify(view.item, null, 2)} />}>
              <ItemView threadId={threadId} item={view.item} at={view.at} />
            </Boundary>
          </div>
        ),
      )}
    </ScrollBox>
  )
}
