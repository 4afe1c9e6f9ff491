'use client'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Row } from '../../client/rows.ts'
import { useRows, useThread, useThreadStore } from '../../client/use-thread.ts'
import { useUnfolded } from './opened.tsx'
import { RowView } from './row-view.tsx'

/** Distance from the end, in pixels, within which the view follows what comes. */
const endDistance = 48
/** Long enough for what was opened to be measured. */
const holdMs = 600
/** Distance from the top, in pixels, within which earlier pages are read. */
const topDistance = 600
/** Pages that are read without a person doing anything: a fold may hide all of them. */
const pagesByItself = 3
const userScrolls = ['wheel', 'touchmove', 'pointerdown'] as const

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

/** Keeps an element where it is on the screen while rows around it get their sizes; a scrolling person ends it. */
function keepInPlace(box: HTMLElement | null, target: Element, onEnd: () => void): () => void {
  const { top } = target.getBoundingClientRect()
  const until = performance.now() + holdMs
  let frame = 0
  const end = (): void => {
    cancelAnimationFrame(frame)
    for (const type of userScrolls) box?.removeEventListener(type, end)
    onEnd()
  }
  const step = (): void => {
    if (!box || !target.isConnected || performance.now() > until) {
      end()
      return
    }
    const moved = target.getBoundingClientRect().top - top
    if (Math.abs(moved) >= 1) box.scrollTop += moved
    frame = requestAnimationFrame(step)
  }
  for (const type of userScrolls) box?.addEventListener(type, end, { passive: true })
  frame = requestAnimationFrame(step)
  return end
}

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
  const box = useRef<HTMLDivElement>(null)
  const [atEnd, setAtEnd] = useState(true)
  // For a moment after something was opened or closed the view stays where it is, even at the end.
  const [holding, setHolding] = useState(false)
  const releaseHold = useRef<() => void>(undefined)
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
    followOnAppend: !holding,
    scrollEndThreshold: endDistance,
  })

  // Not by the list's own command, which stays pending when everything fits and then moves what was opened.
  const toEnd = useCallback(() => {
    const element = box.current
    if (element) element.scrollTop = element.scrollHeight
  }, [])
  const placed = useRef(false)
  useEffect(() => {
    if (placed.current || rows.length === 0) return
    placed.current = true
    toEnd()
  }, [rows.length, toEnd])

  const last = rows.at(-1)?.key
  const lastItem = rows.findLast((row) => row.kind === 'item' || row.kind === 'group')?.key
  useEffect(() => {
    if (atEnd) setSeenKey(lastItem ?? null)
  }, [atEnd, lastItem])

  // Who sends something wants to see it, wherever they were reading.
  const sent = useThread((state) => state.pending.at(-1)?.clientId)
  useEffect(() => {
    if (sent === undefined || !placed.current) return
    releaseHold.current?.()
    toEnd()
    requestAnimationFrame(toEnd)
  }, [sent, toEnd])

  const hold = (target: Element): void => {
    setHolding(true)
    releaseHold.current?.()
    releaseHold.current = keepInPlace(box.current, target, () => setHolding(false))
  }
  useEffect(() => () => releaseHold.current?.(), [])

  const pages = useRef(pagesByItself)
  const loadEarlier = useCallback(() => {
    const near = placed.current && (box.current?.scrollTop ?? topDistance) < topDistance
    if (near && before !== null && !loadingOlder) void store.loadOlder()
  }, [before, loadingOlder, store])
  // A list that does not fill the screen cannot be scrolled, and nothing would ask for what is before it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that came or were unfolded are the reason to look.
  useEffect(() => {
    if (before === null || loadingOlder || pages.current === 0) return
    const frame = requestAnimationFrame(() => {
      pages.current -= 1
      loadEarlier()
    })
    return () => cancelAnimationFrame(frame)
  }, [rows, before, loadingOlder, loadEarlier])

  const onScroll = (): void => {
    const element = box.current
    if (!element) return
    const end = element.scrollHeight - element.scrollTop - element.clientHeight < endDistance
    if (end !== atEnd) setAtEnd(end)
    pages.current = pagesByItself
    loadEarlier()
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
        onScroll={onScroll}
        onWheel={({ deltaY }) => {
          if (deltaY < 0) loadEarlier()
        }}
        onClickCapture={(event) => {
          const opener = event.target instanceof Element ? event.target.closest('[aria-expanded]') : null
          if (!opener) return
          pages.current = pagesByItself
          hold(opener)
        }}
        className="h-full overflow-y-auto overscroll-contain [overflow-anchor:none] focus-visible:-outline-offset-2"
        data-testid="thread-list"
      >
        <div className="relative mx-auto w-full max-w-[860px]" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((entry) => {
            const row = rows[entry.index]
            return (
              row !== undefined && (
                <div
                  key={entry.key}
                  ref={virtual.measureElement}
                  data-index={entry.index}
                  data-row={row.kind}
                  className="absolute top-0 left-0 w-full px-3 md:px-6"
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
