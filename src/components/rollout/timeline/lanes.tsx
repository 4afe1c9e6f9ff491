'use client'
import { type PointerEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import {
  type Axis,
  axisOf,
  panned,
  type Sight,
  sightOn,
  spanAt,
  toMs,
  toX,
  wholeSight,
  zoomed,
} from '../../../client/rollout-axis.ts'
import { type LaneName, laneNames } from '../../../client/rollout-store.ts'
import { useUi } from '../../../client/ui-store.ts'
import { useRollout, useRolloutStore } from '../../../client/use-rollout.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { useUnit } from '../../../i18n/units.ts'
import type { RolloutSkeleton } from '../../../protocol/rollout.ts'
import { cn } from '../../ui/cn.ts'
import { axisHeight, drawLanes, laneHeight, type Paint, readPaint, timeOfIdx } from './draw-lanes.ts'
import { LaneTip } from './lane-tip.tsx'
import { Zoom } from './zoom.tsx'

export type Hover = { lane: LaneName; at: number; x: number; y: number }

/** Lanes that have something to show; windows, steps and marks always stand. */
const shownLanes = (skeleton: RolloutSkeleton): LaneName[] =>
  laneNames.filter((lane) =>
    lane === 'windows' || lane === 'steps'
      ? true
      : lane === 'marks'
        ? skeleton.notable.length > 0
        : skeleton.lanes[lane].idx.length > 0,
  )

/** The rollout over time: what ran when, in lanes. Drawn from the skeleton alone. */
export function Lanes({ skeleton }: { skeleton: RolloutSkeleton }) {
  const t = useTranslations('rollout.timeline')
  const unitWord = useUnit()
  const store = useRolloutStore()
  const selected = useRollout((state) => state.selected)
  const lane = useRollout((state) => state.lane)
  const theme = useUi((ui) => ui.theme)
  const dark = useDark()
  const [fold, setFold] = useState(true)
  const axis = useMemo(() => axisOf(skeleton, fold), [skeleton, fold])
  const lanes = useMemo(() => shownLanes(skeleton), [skeleton])
  const [sight, setSight] = useState<Sight>(wholeSight)
  const [hover, setHover] = useState<Hover | null>(null)
  const [width, setWidth] = useState(0)
  const [paint, setPaint] = useState<Paint | null>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const probe = useRef<HTMLSpanElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const height = axisHeight + lanes.length * laneHeight

  const range = useMemo(() => {
    if (selected === null) return null
    const fromMs = Math.max(0, selected.at - skeleton.firstAt)
    return { fromMs, toMs: fromMs + (selected.durationMs ?? 0) }
  }, [selected, skeleton.firstAt])

  useEffect(() => {
    if (range !== null) setSight((now) => sightOn(now, toX(axis, range.fromMs)))
  }, [range, axis])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme is the reason to read the colours again.
  useLayoutEffect(() => {
    if (probe.current) setPaint(readPaint(probe.current))
  }, [theme, dark])

  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  useEffect(() => {
    const element = box.current
    if (element === null) return
    // Nearer with Ctrl or pinch, sideways with Shift or a sideways wheel; up and down stays the page's.
    const wheel = (event: WheelEvent): void => {
      const { left, width: wide } = element.getBoundingClientRect()
      const share = (event.clientX - left) / Math.max(1, wide)
      if (event.ctrlKey || event.metaKey || event.altKey) {
        event.preventDefault()
        setSight((now) =>
          zoomed(
            now,
            now.from + share * (now.to - now.from),
            Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 120),
          ),
        )
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault()
        const delta = event.deltaX === 0 ? event.deltaY : event.deltaX
        setSight((now) => panned(now, (delta / Math.max(1, wide)) * (now.to - now.from)))
      }
    }
    element.addEventListener('wheel', wheel, { passive: false })
    return () => element.removeEventListener('wheel', wheel)
  }, [])

  useEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d')
    if (!element || !context || paint === null || width === 0) return
    const frame = requestAnimationFrame(() => {
      const ratio = window.devicePixelRatio
      const [wide, tall] = [Math.round(width * ratio), Math.round(height * ratio)]
      if (element.width !== wide || element.height !== tall) {
        element.width = wide
        element.height = tall
      }
      context.setTransform(ratio, 0, 0, ratio, 0, 0)
      const font = `11px ${getComputedStyle(document.body).fontFamily}`
      const windowWord = (number: number): string => t('window', { number })
      drawLanes(context, {
        skeleton,
        lanes,
        axis,
        sight,
        width,
        paint,
        font,
        selected: range,
        lane,
        hover,
        windowWord,
        unitWord,
      })
    })
    return () => cancelAnimationFrame(frame)
  }, [skeleton, lanes, axis, sight, width, height, paint, range, lane, hover, t, unitWord])

  const find = useCallback(
    (event: { clientX: number; clientY: number }): Hover | null => {
      const element = canvas.current
      if (element === null) return null
      const { left, top, width: wide } = element.getBoundingClientRect()
      const [x, y] = [event.clientX - left, event.clientY - top]
      const name = lanes[Math.floor((y - axisHeight) / laneHeight)]
      if (name === undefined || y < axisHeight) return null
      const perPx = (sight.to - sight.from) / Math.max(1, wide)
      const at = entryAt(skeleton, axis, name, sight.from + x * perPx, perPx * 6)
      return at < 0 ? null : { lane: name, at, x, y: axisHeight + (lanes.indexOf(name) + 1) * laneHeight }
    },
    [skeleton, axis, lanes, sight],
  )

  const drag = useRef<{ x: number; sight: Sight; moved: boolean } | null>(null)
  const pressed = (event: PointerEvent): void => {
    if (event.button !== 0) return
    drag.current = { x: event.clientX, sight, moved: false }
    event.currentTarget.setPointerCapture(event.pointerId)
  }
  const moved = (event: PointerEvent): void => {
    const held = drag.current
    if (held === null) {
      setHover(find(event))
      return
    }
    if (Math.abs(event.clientX - held.x) > 3) held.moved = true
    if (held.moved && width > 0) {
      setHover(null)
      setSight(panned(held.sight, ((held.x - event.clientX) / width) * (held.sight.to - held.sight.from)))
    }
  }
  const released = (event: PointerEvent): void => {
    const held = drag.current
    drag.current = null
    if (held === null || held.moved) return
    const hit = find(event)
    if (hit === null) return
    store.setState({ lane: hit.lane })
    void store.go({ idx: idxOf(skeleton, hit.lane, hit.at) }, { push: true })
  }

  return (
    <section aria-label={t('label')} className="relative flex shrink-0 border-b border-line select-none">
      <ul
        className="relative w-18 shrink-0 border-r border-line max-md:w-14"
        style={{ paddingTop: axisHeight }}
      >
        {lanes.map((name) => (
          <li key={name}>
            <button
              type="button"
              aria-pressed={name === lane}
              onClick={() => store.setState({ lane: name })}
              style={{ height: laneHeight }}
              className={cn(
                'flex w-full items-center truncate pl-2 text-left text-2xs',
                name === lane ? 'bg-subtle font-medium text-foreground' : 'text-faint hover:text-foreground',
              )}
            >
              {t(`lanes.${name}`)}
            </button>
          </li>
        ))}
      </ul>
      <div ref={box} className="relative min-w-0 flex-1" style={{ height }}>
        <span ref={probe} aria-hidden className="hidden" />
        <canvas
          ref={canvas}
          role="img"
          aria-label={t('described', {
            turns: skeleton.totals.turns,
            steps: skeleton.totals.steps,
            windows: skeleton.windows.length,
          })}
          className={cn(
            'absolute inset-0 size-full touch-pan-y',
            hover === null ? 'cursor-grab' : 'cursor-pointer',
          )}
          onPointerDown={pressed}
          onPointerMove={moved}
          onPointerUp={released}
          onPointerLeave={() => setHover(null)}
          onDoubleClick={(event) => {
            const hit = find(event)
            if (hit !== null) setSight(sightOf(skeleton, axis, hit))
          }}
        />
        {hover !== null && <LaneTip skeleton={skeleton} hover={hover} width={width} />}
      </div>
      <Zoom
        sight={sight}
        setSight={setSight}
        fold={fold}
        folds={axis.pieces.some(({ folded }) => folded) || !fold}
        setFold={setFold}
      />
    </section>
  )
}

/** Which entry of a lane is at a place of the line; -1 when there is none near. */
function entryAt(skeleton: RolloutSkeleton, axis: Axis, lane: LaneName, x: number, slack: number): number {
  const ms = toMs(axis, x)
  const slackMs = Math.max(toMs(axis, x + slack) - ms, ms - toMs(axis, x - slack), 1)
  if (lane === 'windows') return skeleton.windows.findLastIndex(({ startMs }) => startMs <= ms)
  if (lane !== 'marks') return spanAt(skeleton.lanes[lane], ms, slackMs)
  let [best, distance] = [-1, slack]
  skeleton.notable.forEach((mark, at) => {
    const away = Math.abs(toX(axis, timeOfIdx(skeleton, mark.idx)) - x)
    if (away <= distance) [best, distance] = [at, away]
  })
  return best
}

export function idxOf(skeleton: RolloutSkeleton, lane: LaneName, at: number): number {
  if (lane === 'windows') return skeleton.windows[at]?.idx ?? 0
  if (lane === 'marks') return skeleton.notable[at]?.idx ?? 0
  return skeleton.lanes[lane].idx[at] ?? 0
}

/** A double click looks at one span, with some room around it. */
function sightOf(skeleton: RolloutSkeleton, axis: Axis, { lane, at }: Hover): Sight {
  const next = skeleton.windows[at + 1]?.startMs ?? axis.lastMs
  const [fromMs, toMs_] =
    lane === 'windows'
      ? [skeleton.windows[at]?.startMs ?? 0, next]
      : lane === 'marks'
        ? [
            timeOfIdx(skeleton, idxOf(skeleton, lane, at)),
            timeOfIdx(skeleton, idxOf(skeleton, lane, at)) + 1_000,
          ]
        : [
            skeleton.lanes[lane].startMs[at] ?? 0,
            (skeleton.lanes[lane].startMs[at] ?? 0) + (skeleton.lanes[lane].durationMs[at] ?? 0),
          ]
  const [from, to] = [toX(axis, fromMs), toX(axis, toMs_)]
  const room = Math.max((to - from) * 0.25, 0.0005)
  return { from: Math.max(0, from - room), to: Math.min(1, to + room) }
}

/** Whether the system's own scheme is dark; a change of it repaints. */
function useDark(): boolean {
  const [dark, setDark] = useState(false)
  useEffect(() => {
    const query = window.matchMedia('(prefers-color-scheme: dark)')
    const read = (): void => setDark(query.matches)
    read()
    query.addEventListener('change', read)
    return () => query.removeEventListener('change', read)
  }, [])
  return dark
}
