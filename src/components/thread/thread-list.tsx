'use client'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Row } from '../../client/rows.ts'
import { useRows, useThread, useThreadStore } from '../../client/use-thread.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { useFind } from '../rollout/find/use-find.ts'
import { cn } from '../ui/cn.ts'
import { useHighlights } from '../ui/use-highlights.ts'
import { useSought, useUnfolded } from './opened.tsx'
import { RowView } from './row-view.tsx'
import { endDistance, useFollow } from './use-follow.ts'

/** Older pages that are loaded unasked while the list does not fill the window: long turns fold to three rows. */
const unaskedPages = 6

const estimate = (row: Row | undefined): number => {
  switch (row?.kind) {
    case 'item':
    case 'pending':
      return 56
    case 'turn':
      return 36
    default:
      return 32
  }
}

/** Whether a row shows an item, alone or among others. */
const holds = (row: Row, itemId: string): boolean =>
  (row.kind === 'item' && row.itemId === itemId) || (row.kind === 'group' && row.itemIds.includes(itemId))

/**
 * The thread as a virtual list: at most some 60 rows are in the document. It follows only when it is at the end; when
 * older rows come in front, what is read stays where it is.
 */
export function ThreadList() {
  const t = useTranslations('thread')
  const store = useThreadStore()
  const rows = useRows(useUnfolded())
  const before = useThread((state) => state.before)
  const loadingOlder = useThread((state) => state.loadingOlder)
  const { box, inner, atEnd, holding, toEnd, leave, hold, onScroll } = useFollow()
  const [seenKey, setSeenKey] = useState<string | null>(null)

  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => estimate(rows[index]),
    getItemKey: useCallback((index: number) => rows[index]?.key ?? index, [rows]),
    overscan: 6,
    paddingStart: 16,
    paddingEnd: 16,
    anchorTo: holding ? 'start' : 'end',
    scrollEndThreshold: endDistance,
  })

  const last = rows.at(-1)?.key
  const lastItem = rows.findLast((row) => row.kind === 'item' || row.kind === 'group')?.key
  useEffect(() => {
    if (atEnd) setSeenKey(lastItem ?? null)
  }, [atEnd, lastItem])

  // Who sends something wants to see it, wherever they were reading.
  const sent = useThread((state) => state.pending.at(-1)?.clientId)
  useEffect(() => {
    if (sent !== undefined) toEnd()
  }, [sent, toEnd])

  const { query, words } = useFind()
  useHighlights(box, query, words)
  const sought = useSought()
  const shown = useRef(0)
  useEffect(() => {
    if (sought === null || shown.current === sought.n) return
    const index = rows.findIndex((row) => holds(row, sought.itemId))
    if (index < 0) return
    shown.current = sought.n
    leave()
    virtual.scrollToIndex(index, { align: 'center' })
  }, [sought, rows, virtual, leave])

  const unasked = useRef(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page that came may call for one more.
  useEffect(() => {
    const element = box.current
    if (!element || before === null || loadingOlder || unasked.current >= unaskedPages) return
    if (element.scrollHeight > element.clientHeight * 2) return
    unasked.current += 1
    void store.loadOlder()
  }, [store, box, before, loadingOlder, rows.length])

  const scrolled = (): void => {
    onScroll()
    if ((box.current?.scrollTop ?? 0) < 600 && before !== null && !loadingOlder) void store.loadOlder()
  }

  const seenAt = atEnd ? -1 : rows.findLastIndex((row) => row.key === seenKey)
  const fresh =
    seenAt === -1
      ? 0
      : rows.slice(seenAt + 1).filter((row) => row.kind === 'item' || row.kind === 'group').length
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={box}
        aria-label={t('log')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        onScroll={scrolled}
        onWheel={({ deltaY }) => {
          // A list that does not fill the window cannot be scrolled, but asked for more.
          if (deltaY < 0 && (box.current?.scrollTop ?? 0) < 600) void store.loadOlder()
        }}
        onClickCapture={(event) => {
          const opener = event.target instanceof Element ? event.target.closest('[aria-expanded]') : null
          if (opener) hold(opener)
        }}
        className="h-full overflow-y-auto overscroll-contain [overflow-anchor:none] focus-visible:-outline-offset-2"
        data-testid="thread-list"
      >
        <div
          ref={inner}
          className="relative mx-auto w-full max-w-[860px]"
          style={{ height: virtual.getTotalSize() }}
        >
          {virtual.getVirtualItems().map((entry) => {
            const row = rows[entry.index]
            return (
              row !== undefined && (
                <div
                  key={entry.key}
                  ref={virtual.measureElement}
                  data-index={entry.index}
                  data-row={row.kind}
                  className={cn(
                    'absolute top-0 left-0 w-full px-3 md:px-6',
                    sought !== null && query !== '' && holds(row, sought.itemId) && 'bg-brand-soft/60',
                  )}
                  style={{ transform: `translateY(${entry.start}px)` }}
                >
                  <RowView row={row} last={row.key === last} />
                </div>
              )
            )
          })}
        </div>
      </section>
      {!atEnd && (
        <button
          type="button"
          onClick={toEnd}
          className="absolute bottom-3 left-1/2 inline-flex h-7 -translate-x-1/2 items-center gap-1.5 rounded-full border border-line-strong bg-raised px-3 text-xs tabular row-hover"
        >
          {fresh > 0 ? t('fresh', { count: fresh }) : t('toEnd')}
          <ArrowDown aria-hidden className="size-3.5" />
        </button>
      )}
    </div>
  )
}
