'use client'
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import { areaPath, type Layer, linePath, roundMarks, stacked } from '../../../client/rollout-chart.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { cn } from '../../ui/cn.ts'

type ChartProps = {
  title: string
  /** What a point is called, for its tip and for who cannot see: "step 41". */
  pointName: (at: number) => string
  points: number
  /** Marks of the horizontal axis. */
  xMark: (at: number) => string
  layers: readonly Layer[]
  /** One on top of the other, or each for itself. */
  stack: boolean
  /** A line that says how high it may go. */
  limit?: readonly number[]
  say: (value: number) => string
  /** The point that is selected. */
  current?: number
  onPick: (at: number) => void
  height?: number
}

const left = 44
const bottom = 18
const top = 6

/** A chart over the steps of a rollout: readable axes, a tip under the pointer, a click leads to the step. */
export function Chart({
  title,
  pointName,
  points,
  xMark,
  layers,
  stack,
  limit,
  say,
  current,
  onPick,
  height = 150,
}: ChartProps) {
  const t = useTranslations('rollout.charts')
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const [hover, setHover] = useState<number | null>(null)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const drawn = useMemo(() => {
    const bands = stack
      ? stacked(layers, points)
      : layers.map(({ values }) => ({ from: [], to: [...values] }))
    const most = bands.reduce((high, { to }) => to.reduce((max, value) => Math.max(max, value), high), 0)
    const limitTop = limit === undefined ? 0 : limit.reduce((max, value) => Math.max(max, value), 0)
    // A limit far above what was used would press the picture flat.
    const scale = roundMarks(limitTop > 0 && limitTop < most * 3 ? Math.max(most, limitTop) : most)
    return { bands, ...scale }
  }, [layers, points, stack, limit])

  const inner = Math.max(1, width - left - 8)
  const tall = height - bottom - top
  const x = (at: number): number => left + (points <= 1 ? inner / 2 : (at / (points - 1)) * inner)
  const y = (value: number): number => top + tall - (Math.min(value, drawn.top) / drawn.top) * tall
  const place = { x, y }
  const pointAt = (event: PointerEvent): number => {
    const { left: from } = event.currentTarget.getBoundingClientRect()
    const share = (event.clientX - from - left) / inner
    return Math.max(0, Math.min(points - 1, Math.round(share * (points - 1))))
  }
  const key = (event: KeyboardEvent): void => {
    const now = hover ?? current ?? 0
    const to =
      event.key === 'ArrowRight'
        ? now + 1
        : event.key === 'ArrowLeft'
          ? now - 1
          : event.key === 'Home'
            ? 0
            : event.key === 'End'
              ? points - 1
              : null
    if (to !== null) {
      event.preventDefault()
      event.stopPropagation()
      setHover(Math.max(0, Math.min(points - 1, to)))
    } else if (event.key === 'Enter' && hover !== null) {
      event.preventDefault()
      onPick(hover)
    }
  }
  const shown = hover ?? current
  const xMarks = useMemo(() => {
    const count = Math.max(1, Math.min(points, Math.floor(inner / 90) + 1))
    return Array.from({ length: count }, (_, at) =>
      count === 1 ? 0 : Math.round((at / (count - 1)) * (points - 1)),
    )
  }, [points, inner])
  return (
    <figure className="min-w-0">
      <figcaption className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 pb-1 text-xs">
        <span className="font-medium">{title}</span>
        <Legend layers={layers} />
      </figcaption>
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label={t('chart', { title })}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, points - 1)}
        aria-valuenow={shown ?? 0}
        aria-valuetext={
          shown === undefined
            ? title
            : `${pointName(shown)}: ${layers.map(({ name, values }) => `${name} ${say(values[shown] ?? 0)}`).join(', ')}`
        }
        onKeyDown={key}
        onBlur={() => setHover(null)}
        onPointerMove={(event) => setHover(pointAt(event))}
        onPointerLeave={() => setHover(null)}
        onClick={() => hover !== null && onPick(hover)}
        className="relative cursor-pointer touch-pan-y rounded"
        style={{ height }}
      >
        <svg aria-hidden width={width} height={height} className="absolute inset-0 overflow-visible">
          {drawn.marks.map((mark) => (
            <g key={mark}>
              <line
                x1={left}
                x2={left + inner}
                y1={y(mark)}
                y2={y(mark)}
                stroke="var(--line)"
                strokeWidth={1}
              />
              <text
                x={left - 6}
                y={y(mark) + 3.5}
                textAnchor="end"
                fontSize={10.5}
                fill="var(--text-3)"
                className="tabular"
              >
                {say(mark)}
              </text>
            </g>
          ))}
          {xMarks.map((at, index) => (
            <text
              key={at}
              x={x(at)}
              y={height - 4}
              textAnchor={index === 0 ? 'start' : index === xMarks.length - 1 ? 'end' : 'middle'}
              fontSize={10.5}
              fill="var(--text-3)"
              className="tabular"
            >
              {xMark(at)}
            </text>
          ))}
          {drawn.bands.map(({ from, to }, at) => {
            const layer = layers[at]
            if (layer === undefined) return null
            return stack ? (
              points === 1 ? (
                <rect
                  key={layer.name}
                  x={x(0) - 14}
                  width={28}
                  y={y(to[0] ?? 0)}
                  height={Math.max(0, y(from[0] ?? 0) - y(to[0] ?? 0))}
                  fill={layer.colour}
                />
              ) : (
                <path key={layer.name} d={areaPath(from, to, place)} fill={layer.colour} />
              )
            ) : (
              <path
                key={layer.name}
                d={linePath(to, place)}
                fill="none"
                stroke={layer.colour}
                strokeWidth={1.6}
                strokeLinejoin="round"
              />
            )
          })}
          {limit !== undefined && (
            <path
              d={linePath(limit, place)}
              fill="none"
              stroke="var(--wait)"
              strokeWidth={1.2}
              strokeDasharray="4 3"
            />
          )}
          {current !== undefined && (
            <line
              x1={x(current)}
              x2={x(current)}
              y1={top}
              y2={top + tall}
              stroke="var(--brand)"
              strokeWidth={1.5}
            />
          )}
          {hover !== null && (
            <line
              x1={x(hover)}
              x2={x(hover)}
              y1={top}
              y2={top + tall}
              stroke="var(--text-2)"
              strokeWidth={1}
            />
          )}
        </svg>
        {hover !== null && (
          <div
            role="presentation"
            className={cn(
              'pointer-events-none absolute top-1 z-20 min-w-36 rounded-md border border-line bg-raised px-2 py-1 text-xs tabular',
            )}
            style={x(hover) > width / 2 ? { right: width - x(hover) + 8 } : { left: x(hover) + 8 }}
          >
            <p className="font-medium">{pointName(hover)}</p>
            {[...layers].reverse().map(({ name, colour, values }) =>
              (values[hover] ?? 0) === 0 && stack ? null : (
                <p key={name} className="flex items-center gap-1.5 text-soft">
                  <span aria-hidden className="size-2 rounded-xs" style={{ background: colour }} />
                  <span className="flex-1">{name}</span>
                  <span>{say(values[hover] ?? 0)}</span>
                </p>
              ),
            )}
            {limit !== undefined && (
              <p className="flex items-center gap-1.5 text-soft">
                <span aria-hidden className="h-px w-2 border-t border-dashed border-wait" />
                <span className="flex-1">{t('limit')}</span>
                <span>{say(limit[hover] ?? 0)}</span>
              </p>
            )}
          </div>
        )}
      </div>
    </figure>
  )
}

function Legend({ layers }: { layers: readonly Layer[] }) {
  return (
    <span className="flex flex-wrap gap-x-2.5 text-2xs text-faint">
      {layers.map(({ name, colour }) => (
        <span key={name} className="inline-flex items-center gap-1">
          <span aria-hidden className="size-2 rounded-xs" style={{ background: colour }} />
          {name}
        </span>
      ))}
    </span>
  )
}
