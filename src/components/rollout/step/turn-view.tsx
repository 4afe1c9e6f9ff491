'use client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Focus } from 'lucide-react'
import { useFormatter } from 'next-intl'
import { api } from '../../../client/api.ts'
import { useRollout, useRolloutStore } from '../../../client/use-rollout.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { useDuration } from '../../../i18n/units.ts'
import { formatMoney } from '../../../lib/format.ts'
import type { RolloutRow } from '../../../protocol/rollout.ts'
import { Button } from '../../ui/button.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { At } from '../../ui/time.tsx'
import { RowLine, RowWords } from '../list/row-line.tsx'
import { SelectedNotes } from '../slots.tsx'
import { Head } from './step-head.tsx'

/** What is shown of a turn's rows. */
const shown = 60

/** A turn as a whole: what was asked, what was answered, what it took. */
export function TurnView({ row }: { row: RolloutRow }) {
  const t = useTranslations('rollout.turn')
  const durationOf = useDuration()
  const format = useFormatter()
  const store = useRolloutStore()
  const threadId = useRollout((state) => state.threadId)
  const focused = useRollout((state) => state.address.filter.turnId === row.turnId)
  const head = useRollout(({ skeleton }) => skeleton?.head ?? 0)
  const rows = useQuery({
    queryKey: ['rollout', threadId, 'turn', row.turnId, head],
    enabled: row.turnId !== null,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      api.rollout.rows.query(
        {
          threadId,
          filter: { turnId: row.turnId ?? '', kinds: ['message', 'marker', 'step'] },
          from: 0,
          limit: shown,
        },
        { signal },
      ),
  })
  const figures = [
    ...(row.durationMs === null ? [] : [durationOf(row.durationMs)]),
    ...(row.usage === null || row.usage.input === 0
      ? []
      : [
          t('input', { tokens: format.number(row.usage.input) }),
          t('output', { tokens: format.number(row.usage.output) }),
        ]),
    ...(row.costMicros === null ? [] : [formatMoney(row.costMicros)]),
    <At key="at" at={row.at} />,
  ]
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Head
        row={row}
        title={<RowWords row={row} />}
        where={row.status === 'ok' ? null : t(`status.${row.status}`)}
        figures={figures}
      />
      <SelectedNotes threadId={threadId} row={row} />
      <ScrollBox label={t('label')} className="min-h-0 flex-1 border-t border-line pb-8">
        <div className="flex items-center gap-2 px-4 py-2 text-xs text-soft">
          <span className="flex-1">{t('rows')}</span>
          <Button
            small
            aria-pressed={focused}
            onClick={() => {
              const { turnId: _, ...rest } = store.getState().address.filter
              store.setFilter(focused || row.turnId === null ? rest : { ...rest, turnId: row.turnId })
            }}
          >
            <Focus aria-hidden className="size-3.5" />
            {focused ? t('unfocus') : t('focus')}
          </Button>
        </div>
        {rows.data === undefined ? (
          <Skeleton className="m-4 h-24" />
        ) : (
          <ul>
            {rows.data.rows.map((entry) => (
              <li key={entry.idx}>
                <button
                  type="button"
                  onClick={() => void store.go({ idx: entry.idx }, { push: true })}
                  className="block h-7 w-full text-left row-hover focus-visible:-outline-offset-2"
                >
                  <RowLine threadId={threadId} row={entry} selected={false} />
                </button>
              </li>
            ))}
          </ul>
        )}
        {(rows.data?.total ?? 0) > shown && (
          <p className="px-4 py-2 text-xs text-faint">
            {t('more', { count: (rows.data?.total ?? 0) - shown })}
          </p>
        )}
      </ScrollBox>
    </div>
  )
}
