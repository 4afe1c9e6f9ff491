'use client'
import { ArrowDown } from 'lucide-react'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { factOf } from '../../../client/api.ts'
import {
  type Extent,
  isAtEnd,
  maxTop,
  rowsInView,
  scaleOf,
  toElement,
  topAfter,
  topFor,
} from '../../../client/rollout-scale.ts'
import { useRollout, useRolloutStore } from '../../../client/use-rollout.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Empty, Trouble } from '../../ui/states.tsx'
import { useWide } from '../../ui/use-wide.ts'
import { RowLine } from './row-line.tsx'

/** Rows beyond what is seen, on either side. */
const more = 6
/** Rows in the document at most, whatever the screen. */
const mostRows = 56
/** Rows are placed from a row nearby: browsers place nothing exactly that is millions of pixels away. */
const near = 1_000

/**
 * All rows of the filter, of which only those that are seen are in the document. The element that scrolls only stands for
 * the list: rows are drawn into a pane that stays, so places are exact however many there are and nothing jumps.
 */
export function RowList() {
  const t = useTranslations('rollout.list')
  const store = useRolloutStore()
  const threadId = useRollout((state) => state.threadId)
  const pages = useRollout((state) => state.pages)
  const selectedIdx = useRollout((state) => state.selected?.idx ?? null)
  const scroll = useRollout((state) => state.scroll)
  const seen = useRollout((state) => state.seen)
  const following = useRollout((state) => state.following)
  const error = useRollout((state) => (state.version >= 0 ? state.pages.error : null))
  // Read for its change: rows came, or there are more of them.
  const version = useRollout((state) => state.version)
  const known = useRollout((state) => state.skeleton?.rows ?? null)
  const whole = useRollout((state) => Object.keys(state.address.filter).length === 0)
  const rows = pages.total ?? (whole ? known : null) ?? 0

  const rowPx = useWide(768) ? 28 : 40
  const box = useRef<HTMLDivElement>(null)
  const pane = useRef<HTMLDivElement>(null)
  const [viewPx, setViewPx] = useState(600)
  const [sight, setSight] = useState({ first: 0, last: -1 })
  const base = useRef(0)
  const place = useRef({ top: 0, element: 0 })
  const extent = useRef<Extent>({ rows, rowPx, viewPx })
  extent.current = { rows, rowPx, viewPx }

  /** Puts the drawn rows where the list is; draws others when it has moved on. */
  const show = useCallback(() => {
    const { top } = place.current
    const seenRows = rowsInView(top, extent.current, more)
    seenRows.last = Math.min(seenRows.last, seenRows.first + mostRows - 1)
    setSight((before) =>
      before.first === seenRows.first && before.last === seenRows.last ? before : seenRows,
    )
    if (pane.current)
      pane.current.style.transform = `translateY(${base.current * extent.current.rowPx - top}px)`
    // An empty list has no end to stand at.
    if (extent.current.rows === 0) return
    const end = isAtEnd(top, extent.current)
    const state = store.getState()
    if (state.following !== end) {
      const total = state.pages.total ?? 0
      store.setState(end ? { following: true, seen: total } : { following: false, seen: total })
    }
  }, [store])

  const moveTo = useCallback(
    (top: number) => {
      const element = toElement(top, extent.current)
      place.current = { top: Math.max(0, Math.min(maxTop(extent.current), top)), element }
      if (box.current) {
        box.current.scrollTop = element
        place.current.element = box.current.scrollTop
      }
      show()
    },
    [show],
  )

  const scrolled = (): void => {
    const now = box.current?.scrollTop ?? 0
    const { top, element } = place.current
    place.current = { top: topAfter(top, element, now, extent.current), element: now }
    show()
  }

  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => setViewPx(element.clientHeight))
    observer.observe(element)
    // Beyond what an element can hold, the wheel moves the list itself: the scrollbar would skip rows.
    const wheel = (event: WheelEvent): void => {
      if (event.ctrlKey || scaleOf(extent.current).ratio === 1) return
      event.preventDefault()
      const unit =
        event.deltaMode === 1 ? extent.current.rowPx : event.deltaMode === 2 ? extent.current.viewPx : 1
      moveTo(place.current.top + event.deltaY * unit)
    }
    element.addEventListener('wheel', wheel, { passive: false })
    return () => {
      observer.disconnect()
      element.removeEventListener('wheel', wheel)
    }
  }, [moveTo])

  const drawnBase = sight.first - (sight.first % near)
  useLayoutEffect(() => {
    base.current = drawnBase
    if (pane.current)
      pane.current.style.transform = `translateY(${drawnBase * extent.current.rowPx - place.current.top}px)`
  }, [drawnBase])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another size or other rows are the reason to draw again.
  useLayoutEffect(() => {
    if (following && rows > 0) moveTo(maxTop(extent.current))
    else show()
  }, [rows, viewPx, rowPx, show])

  // Another filter begins at its start.
  const filtered = useRef(pages)
  useLayoutEffect(() => {
    if (filtered.current === pages) return
    filtered.current = pages
    moveTo(0)
  }, [pages, moveTo])

  const done = useRef(0)
  useLayoutEffect(() => {
    if (scroll === null || scroll.n === done.current || rows === 0) return
    done.current = scroll.n
    moveTo(topFor(scroll.place, place.current.top, extent.current, scroll.far))
  }, [scroll, rows, moveTo])

  // biome-ignore lint/correctness/useExhaustiveDependencies: what came may make room for what is still wanted.
  useEffect(() => {
    const { first, last } = rowsInView(place.current.top, extent.current, more)
    pages.want(first, Math.max(last, 0))
  }, [pages, sight, rows, version])

  if (error !== null && rows === 0)
    return (
      <div className="p-3">
        <Trouble title={t('failed')} fact={factOf(error)}>
          <Button small onClick={() => store.retry()}>
            {t('again')}
          </Button>
        </Trouble>
      </div>
    )
  const fresh = following || seen === null ? 0 : Math.max(0, rows - seen)
  const count = sight.last - sight.first + 1
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={box}
        role="listbox"
        aria-label={t('label')}
        tabIndex={0}
        aria-activedescendant={selectedIdx === null ? undefined : `row-${selectedIdx}`}
        onScroll={scrolled}
        data-testid="rollout-rows"
        className="h-full overflow-y-auto overscroll-contain [overflow-anchor:none] focus-visible:-outline-offset-2"
      >
        {pages.total === 0 && (
          <Empty title={whole ? t('none') : t('noneFit')}>
            {whole ? t('noneText') : <Button onClick={() => store.setFilter({})}>{t('clear')}</Button>}
          </Empty>
        )}
        <div role="presentation" style={{ height: scaleOf(extent.current).element }}>
          <div
            role="presentation"
            className="sticky top-0 overflow-hidden"
            style={{ height: Math.min(viewPx, rows * rowPx) }}
          >
            <div ref={pane} role="presentation" className="relative will-change-transform">
              {Array.from({ length: Math.max(0, count) }, (_, at) => {
                const index = sight.first + at
                const row = pages.row(index)
                const selected = row !== undefined && row.idx === selectedIdx
                return (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the list are those of the page.
                  // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the active row.
                  <div
                    key={index}
                    role="option"
                    id={row === undefined ? undefined : `row-${row.idx}`}
                    aria-selected={selected}
                    aria-setsize={rows}
                    aria-posinset={index + 1}
                    data-row={row?.kind ?? 'loading'}
                    data-idx={row?.idx}
                    onClick={() => row !== undefined && store.select(row, index)}
                    className={cn('absolute inset-x-0 top-0 cursor-pointer', !selected && 'row-hover')}
                    style={{ height: rowPx, transform: `translateY(${(index - drawnBase) * rowPx}px)` }}
                  >
                    {row === undefined ? (
                      <Placeholder index={index} />
                    ) : (
                      <RowLine threadId={threadId} row={row} selected={selected} />
                    )}
                  </div>
                )
              })}
            </div>
          </div>
        </div>
      </div>
      {fresh > 0 && (
        <button
          type="button"
          onClick={() => moveTo(maxTop(extent.current))}
          className="absolute bottom-3 left-1/2 inline-flex h-7 -translate-x-1/2 items-center gap-1.5 rounded-full border border-line-strong bg-raised px-3 text-xs tabular row-hover"
        >
          {t('fresh', { count: fresh })}
          <ArrowDown aria-hidden className="size-3.5" />
        </button>
      )}
    </div>
  )
}

const widths = ['w-3/5', 'w-2/5', 'w-1/2', 'w-2/3']

function Placeholder({ index }: { index: number }) {
  return (
    <div className="flex h-full items-center pl-13">
      <span aria-hidden className={cn('h-2.5 rounded bg-hover', widths[index % widths.length])} />
    </div>
  )
}
