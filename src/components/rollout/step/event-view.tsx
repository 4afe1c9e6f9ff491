'use client'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { api, factOf } from '../../../client/api.ts'
import type { Json } from '../../../client/rollout-text.ts'
import { useRollout } from '../../../client/use-rollout.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { useDuration } from '../../../i18n/units.ts'
import type { ThreadEvent } from '../../../protocol/event.ts'
import type { RolloutRow } from '../../../protocol/rollout.ts'
import { Button } from '../../ui/button.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Skeleton, Trouble } from '../../ui/states.tsx'
import { At } from '../../ui/time.tsx'
import { useHighlights } from '../../ui/use-highlights.ts'
import { LongBody } from '../body/body-view.tsx'
import { Boundary } from '../body/boundary.tsx'
import { JsonView } from '../body/json-view.tsx'
import { TextView } from '../body/text-view.tsx'
import { useFind } from '../find/use-find.ts'
import { SelectedNotes } from '../slots.tsx'
import { ItemView } from './item-view.tsx'
import { Head } from './step-head.tsx'

/** The event at a seq; what stands before the next one. */
function useEvent(threadId: string, seq: number) {
  return useQuery({
    queryKey: ['rollout', threadId, 'event', seq],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const { events } = await api.thread.page.query({ threadId, before: seq + 1, limit: 1 })
      return events.find((event) => event.seq === seq) ?? null
    },
  })
}

/** What belongs to no step: words of a person, a marker, a line that was kept raw. The whole event, opened. */
export function EventView({ row }: { row: RolloutRow }) {
  const t = useTranslations('rollout.event')
  const durationOf = useDuration()
  const kinds = useTranslations('rollout.row.kinds')
  const threadId = useRollout((state) => state.threadId)
  const event = useEvent(threadId, row.seq)
  const box = useRef<HTMLDivElement>(null)
  const { query, words } = useFind()
  useHighlights(box, query, words)
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Head
        row={row}
        title={kinds(row.kind)}
        where={row.name}
        figures={[
          <At key="at" at={row.at} />,
          ...(row.durationMs === null ? [] : [durationOf(row.durationMs)]),
          t('seq', { seq: row.seq }),
        ]}
      />
      <SelectedNotes threadId={threadId} row={row} />
      <ScrollBox
        ref={box}
        label={t('label')}
        className="min-h-0 flex-1 space-y-4 border-t border-line px-4 py-3 pb-8"
      >
        {event.isError ? (
          <Trouble title={t('failed')} fact={factOf(event.error)}>
            <Button small onClick={() => void event.refetch()}>
              {t('again')}
            </Button>
          </Trouble>
        ) : event.data === undefined ? (
          <Skeleton className="h-24" />
        ) : event.data === null ? (
          <p className="text-sm text-soft">{t('gone')}</p>
        ) : (
          <Boundary fallback={() => <TextView text={JSON.stringify(event.data, null, 2)} />}>
            <Told threadId={threadId} event={event.data} />
          </Boundary>
        )}
      </ScrollBox>
    </div>
  )
}

function Told({ threadId, event }: { threadId: string; event: ThreadEvent }) {
  const t = useTranslations('rollout.event')
  return (
    <>
      {(event.type === 'item.started' || event.type === 'item.completed') && (
        <ItemView threadId={threadId} item={event.body.item} at={event.at} />
      )}
      {event.type === 'record.kept' && (
        <section className="space-y-1">
          <p className="text-xs text-soft">{t(`kept.${event.body.why}`, { line: event.body.line })}</p>
          <LongBody threadId={threadId} value={event.body.raw} look="json" />
        </section>
      )}
      <section>
        <h3 className="pb-1 text-xs font-medium text-faint">{event.type}</h3>
        <JsonView value={event as unknown as Json} />
      </section>
    </>
  )
}
