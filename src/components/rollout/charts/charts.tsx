'use client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../../client/api.ts'
import { differences, type Layer } from '../../../client/rollout-chart.ts'
import { nearestIn } from '../../../client/rollout-moves.ts'
import { useRollout, useRolloutStore } from '../../../client/use-rollout.ts'
import { type BlockGroup, blockGroups, groupOf } from '../../../client/windows.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { useDuration, usePercent } from '../../../i18n/units.ts'
import { formatCount, formatMoney } from '../../../lib/format.ts'
import type { RolloutSkeleton, WindowPicture } from '../../../protocol/rollout.ts'
import { tints } from '../../thread/window/heaps.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { Chart } from './chart.tsx'

/** What one would rather look at than read: the window, tokens and cost, time. Each point leads to its step. */
export function Charts({ skeleton }: { skeleton: RolloutSkeleton }) {
  const t = useTranslations('rollout.charts')
  if (skeleton.series.idx.length === 0) return <p className="text-sm text-soft">{t('none')}</p>
  return (
    <div className="space-y-6">
      <ContextChart skeleton={skeleton} />
      <TokensChart skeleton={skeleton} />
      <CostChart skeleton={skeleton} />
      <TimeSplit skeleton={skeleton} />
    </div>
  )
}

/** Kinds of blocks as groups, added up. */
function layersOf({ kinds, tokens, idx }: WindowPicture, nameOf: (group: BlockGroup) => string): Layer[] {
  const sums = new Map<BlockGroup, number[]>()
  kinds.forEach((kind, at) => {
    const group = groupOf({ kind, reason: '' })
    const sum = sums.get(group) ?? new Array<number>(idx.length).fill(0)
    tokens[at]?.forEach((count, point) => {
      sum[point] = (sum[point] ?? 0) + count
    })
    sums.set(group, sum)
  })
  return blockGroups.flatMap((group) => {
    const values = sums.get(group)
    return values?.some((value) => value > 0) ? [{ name: nameOf(group), colour: tints[group], values }] : []
  })
}

function useCurrent(column: readonly number[]): number | undefined {
  const idx = useRollout((state) => state.selected?.idx ?? null)
  return useMemo(() => {
    if (idx === null) return undefined
    const at = nearestIn(column, idx)
    return at < 0 ? undefined : at
  }, [column, idx])
}

/** Context over steps: by kind of block where blocks are stored, else as the provider counted it. */
export function ContextChart({ skeleton, height }: { skeleton: RolloutSkeleton; height?: number }) {
  const t = useTranslations('rollout.charts')
  const groupName = useTranslations('windows.groups')
  const store = useRolloutStore()
  const { threadId, series, totals } = skeleton
  const picture = useQuery({
    queryKey: ['rollout', threadId, 'picture', totals.steps],
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => api.rollout.picture.query({ threadId }, { signal }),
  })
  const stored = picture.data !== undefined && picture.data.idx.length > 0
  const layers = useMemo((): Layer[] => {
    if (picture.data !== undefined && picture.data.idx.length > 0)
      return layersOf(picture.data, (group) => groupName(group))
    return [
      {
        name: t('cached'),
        colour: 'color-mix(in oklab, var(--brand) 40%, var(--bg))',
        values: series.cached,
      },
      {
        name: t('fresh'),
        colour: 'var(--brand)',
        values: series.context.map((tokens, at) => Math.max(0, tokens - (series.cached[at] ?? 0))),
      },
    ]
  }, [picture.data, series, groupName, t])
  const column = stored ? picture.data.idx : series.idx
  const steps = stored ? picture.data.step : series.step
  const current = useCurrent(column)
  if (picture.isPending) return <Skeleton className="h-44" />
  return (
    <Chart
      title={t('context')}
      points={column.length}
      pointName={(at) => t('step', { number: steps[at] ?? 0 })}
      xMark={(at) => String(steps[at] ?? '')}
      layers={layers}
      stack
      {...(stored ? { limit: picture.data.limit } : {})}
      say={formatCount}
      {...(current === undefined ? {} : { current })}
      onPick={(at) => void store.go({ idx: column[at] ?? 0 }, { push: true })}
      {...(height === undefined ? {} : { height })}
    />
  )
}

export function TokensChart({ skeleton, height }: { skeleton: RolloutSkeleton; height?: number }) {
  const t = useTranslations('rollout.charts')
  const store = useRolloutStore()
  const { series } = skeleton
  const current = useCurrent(series.idx)
  const layers = useMemo(
    (): Layer[] => [
      {
        name: t('cached'),
        colour: 'color-mix(in oklab, var(--brand) 40%, var(--bg))',
        values: series.cachedSum,
      },
      {
        name: t('fresh'),
        colour: 'var(--brand)',
        values: series.inputSum.map((sum, at) => Math.max(0, sum - (series.cachedSum[at] ?? 0))),
      },
      {
        name: t('output'),
        colour: 'color-mix(in oklab, var(--good) 80%, var(--bg))',
        values: series.outputSum,
      },
    ],
    [series, t],
  )
  return (
    <Chart
      title={t('tokens')}
      points={series.idx.length}
      pointName={(at) => t('until', { number: series.step[at] ?? 0 })}
      xMark={(at) => String(series.step[at] ?? '')}
      layers={layers}
      stack
      say={formatCount}
      {...(current === undefined ? {} : { current })}
      onPick={(at) => void store.go({ idx: series.idx[at] ?? 0 }, { push: true })}
      {...(height === undefined ? {} : { height })}
    />
  )
}

export function CostChart({ skeleton, height }: { skeleton: RolloutSkeleton; height?: number }) {
  const t = useTranslations('rollout.charts')
  const store = useRolloutStore()
  const { series, totals } = skeleton
  const current = useCurrent(series.idx)
  const layers = useMemo(
    (): Layer[] => [{ name: t('costSum'), colour: 'var(--good)', values: series.costSum }],
    [series, t],
  )
  if (totals.costMicros === null || totals.costMicros === 0) return null
  return (
    <Chart
      title={t('cost')}
      points={series.idx.length}
      pointName={(at) => t('until', { number: series.step[at] ?? 0 })}
      xMark={(at) => String(series.step[at] ?? '')}
      layers={layers}
      stack={false}
      say={(micros) =>
        micros === 0 ? '0' : micros < 10_000 ? `$${(micros / 1e6).toFixed(4)}` : formatMoney(micros)
      }
      {...(current === undefined ? {} : { current })}
      onPick={(at) => void store.go({ idx: series.idx[at] ?? 0 }, { push: true })}
      {...(height === undefined ? {} : { height })}
    />
  )
}

/** Where the time went: as one bar, and per stretch of steps. */
export function TimeSplit({ skeleton, height }: { skeleton: RolloutSkeleton; height?: number }) {
  const t = useTranslations('rollout.charts')
  const durationOf = useDuration()
  const percent = usePercent()
  const store = useRolloutStore()
  const { totals, series } = skeleton
  const current = useCurrent(series.idx)
  const parts = [
    { name: t('model'), colour: 'var(--brand)', ms: totals.modelMs },
    { name: t('tools'), colour: 'color-mix(in oklab, var(--ansi-6) 80%, var(--bg))', ms: totals.toolMs },
    { name: t('waiting'), colour: 'var(--wait)', ms: totals.waitMs },
  ].filter(({ ms }) => ms > 0)
  const all = Math.max(
    1,
    parts.reduce((sum, { ms }) => sum + ms, 0),
  )
  const layers = useMemo(
    (): Layer[] => [
      { name: t('model'), colour: 'var(--brand)', values: differences(series.modelMsSum) },
      {
        name: t('tools'),
        colour: 'color-mix(in oklab, var(--ansi-6) 80%, var(--bg))',
        values: differences(series.toolMsSum),
      },
    ],
    [series, t],
  )
  return (
    <div className="space-y-3">
      <div>
        <p className="pb-1 text-xs font-medium">{t('time')}</p>
        <div aria-hidden className="flex h-3 gap-px overflow-hidden rounded-sm bg-line">
          {parts.map(({ name, colour, ms }) => (
            <span
              key={name}
              className="h-full"
              style={{ width: `${(ms / all) * 100}%`, background: colour }}
            />
          ))}
        </div>
        <ul className="flex flex-wrap gap-x-4 pt-1 text-xs text-soft tabular">
          {parts.map(({ name, colour, ms }) => (
            <li key={name} className="inline-flex items-center gap-1.5">
              <span aria-hidden className="size-2 rounded-xs" style={{ background: colour }} />
              {name} {durationOf(ms)}
              <span className="text-faint">{percent(ms, all)}</span>
            </li>
          ))}
        </ul>
      </div>
      <Chart
        title={t('timeOver')}
        points={series.idx.length}
        pointName={(at) => t('step', { number: series.step[at] ?? 0 })}
        xMark={(at) => String(series.step[at] ?? '')}
        layers={layers}
        stack
        say={durationOf}
        {...(current === undefined ? {} : { current })}
        onPick={(at) => void store.go({ idx: series.idx[at] ?? 0 }, { push: true })}
        {...(height === undefined ? {} : { height })}
      />
    </div>
  )
}
