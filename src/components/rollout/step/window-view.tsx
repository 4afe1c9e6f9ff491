'use client'
import { useQuery } from '@tanstack/react-query'
import { Pin } from 'lucide-react'
import { useFormatter } from 'next-intl'
import { useMemo } from 'react'
import { api, factOf } from '../../../client/api.ts'
import { useRollout, useRolloutStore } from '../../../client/use-rollout.ts'
import { heapsOf } from '../../../client/windows.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatCount } from '../../../lib/format.ts'
import type { HandOverDifference, RolloutRow } from '../../../protocol/rollout.ts'
import { HeapTable } from '../../thread/window/heap-table.tsx'
import { HeapBar } from '../../thread/window/heaps.tsx'
import { Button } from '../../ui/button.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Skeleton, Trouble } from '../../ui/states.tsx'
import { At } from '../../ui/time.tsx'
import { SelectedNotes } from '../slots.tsx'
import { EventView } from './event-view.tsx'
import { LeftBlock } from './left-block.tsx'
import { Head } from './step-head.tsx'

/** How a window began: what it was given, what stayed behind, what was pinned. */
export function WindowView({ row }: { row: RolloutRow }) {
  const t = useTranslations('rollout.window')
  const reasons = useTranslations('rollout.reasons')
  const threadId = useRollout((state) => state.threadId)
  const window = useRollout(({ skeleton }) =>
    skeleton?.windows.find(({ windowId }) => windowId === row.windowId),
  )
  const first = (window?.index ?? 0) === 0
  const found = useQuery({
    queryKey: ['rollout', threadId, 'hand-over', row.windowId],
    enabled: window !== undefined && !first,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => api.rollout.handOver.query({ threadId, windowId: row.windowId }, { signal }),
  })
  // The first window took over from none.
  if (window === undefined || first) return <EventView row={row} />
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Head
        row={row}
        title={t('title', { number: window.index + 1 })}
        where={t('tookOver', { before: window.index })}
        figures={[
          reasons(window.reason),
          t('began', { tokens: formatCount(window.tokens) }),
          ...(window.endTokens === null ? [] : [t('ended', { tokens: formatCount(window.endTokens) })]),
          t('steps', { count: window.steps }),
          <At key="at" at={row.at} />,
        ]}
      />
      <SelectedNotes threadId={threadId} row={row} />
      <ScrollBox
        label={t('label')}
        className="min-h-0 flex-1 border-t border-line pb-8"
        data-testid="hand-over-difference"
      >
        {found.isError ? (
          <div className="p-4">
            <Trouble title={t('failed')} fact={factOf(found.error)}>
              <Button small onClick={() => void found.refetch()}>
                {t('again')}
              </Button>
            </Trouble>
          </div>
        ) : found.data === undefined ? (
          <Skeleton className="m-4 h-40" />
        ) : (
          <Told difference={found.data} />
        )}
      </ScrollBox>
    </div>
  )
}

function Told({ difference }: { difference: HandOverDifference }) {
  const t = useTranslations('rollout.window')
  const format = useFormatter()
  const store = useRolloutStore()
  const { given, left, leftTotal, pinned } = difference
  const givenHeaps = useMemo(() => heapsOf(given), [given])
  const leftHeaps = useMemo(() => heapsOf(left), [left])
  const tokens = given.reduce((sum, block) => sum + block.tokens, 0)
  return (
    <>
      <section className="px-4 py-3">
        <h3 className="pb-1.5 text-sm font-medium">
          {t('given')}{' '}
          <span className="text-xs font-normal text-faint tabular">
            {t('amount', { blocks: given.length, tokens: format.number(tokens) })}
          </span>
        </h3>
        <HeapBar heaps={givenHeaps} room={tokens} />
        <HeapTable heaps={givenHeaps} />
      </section>
      {pinned.length > 0 && (
        <section className="border-t border-line px-4 py-3">
          <h3 className="pb-1.5 text-sm font-medium">{t('pinned')}</h3>
          <ul className="space-y-1">
            {pinned.map((itemId) => (
              <li key={itemId}>
                <button
                  type="button"
                  onClick={() => void store.go({ itemId }, { push: true })}
                  className="inline-flex items-center gap-1.5 rounded text-xs text-brand hover:underline"
                >
                  <Pin aria-hidden className="size-3" />
                  {t('pinnedItem', { id: itemId.slice(-8) })}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section className="border-t border-line py-3">
        <div className="px-4">
          <h3 className="pb-0.5 text-sm font-medium">
            {t('left')}{' '}
            <span className="text-xs font-normal text-faint tabular">
              {t('amount', { blocks: leftTotal.blocks, tokens: format.number(leftTotal.tokens) })}
            </span>
          </h3>
          <p className="pb-1.5 text-xs text-soft">
            {leftTotal.blocks === 0 ? t('leftNothing') : t('leftText')}
          </p>
          {left.length > 0 && <HeapBar heaps={leftHeaps} room={0} />}
        </div>
        <ul className="pt-2">
          {left.map((block) => (
            <LeftBlock key={block.idx} block={block} />
          ))}
        </ul>
        {leftTotal.blocks > left.length && (
          <p className="px-4 pt-1 text-xs text-faint">
            {t('leftMore', { count: leftTotal.blocks - left.length })}
          </p>
        )}
      </section>
    </>
  )
}
