'use client'
import { useRollout } from '../../../client/use-rollout.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { useDuration } from '../../../i18n/units.ts'
import { formatCount } from '../../../lib/format.ts'
import type { RolloutSkeleton } from '../../../protocol/rollout.ts'
import { Shown } from '../../ui/shown.tsx'
import { At } from '../../ui/time.tsx'
import type { Hover } from './lanes.tsx'

/** What is under the pointer, in words. */
export function LaneTip({
  skeleton,
  hover,
  width,
}: {
  skeleton: RolloutSkeleton
  hover: Hover
  width: number
}) {
  const t = useTranslations('rollout.timeline')
  const durationOf = useDuration()
  const reasons = useTranslations('rollout.reasons')
  const pages = useRollout((state) => state.pages)
  const { lane, at } = hover
  const content = ((): { title: string; more: string[]; ms: number } | null => {
    if (lane === 'windows') {
      const window = skeleton.windows[at]
      if (window === undefined) return null
      return {
        title: t('window', { number: window.index + 1 }),
        more: [
          reasons(window.reason),
          t('began', { tokens: formatCount(window.tokens) }),
          ...(window.endTokens === null ? [] : [t('ended', { tokens: formatCount(window.endTokens) })]),
          t('steps', { count: window.steps }),
        ],
        ms: window.startMs,
      }
    }
    if (lane === 'marks') {
      const mark = skeleton.notable[at]
      return mark === undefined ? null : { title: t(`marks.${mark.type}`), more: [mark.label], ms: -1 }
    }
    const spans = skeleton.lanes[lane]
    const [count, durationMs, flag] = [spans.count[at] ?? 1, spans.durationMs[at] ?? 0, spans.flag[at] ?? 0]
    const place = count === 1 ? pages.placeOf(spans.idx[at] ?? -1) : undefined
    const row = place === undefined ? undefined : pages.row(place)
    return {
      title: row?.label ?? (count > 1 ? t(`many.${lane}`, { count }) : t(`one.${lane}`)),
      more: [
        ...(row?.step != null ? [t('stepNumber', { number: row.step })] : []),
        durationOf(durationMs),
        ...(flag === 1 ? [t('failed')] : flag === 2 ? [t('running')] : []),
      ],
      ms: spans.startMs[at] ?? 0,
    }
  })()
  if (content === null) return null
  const left = Math.min(Math.max(4, hover.x + 10), Math.max(4, width - 250))
  return (
    <div
      role="presentation"
      className="pointer-events-none absolute z-20 max-w-60 rounded-md border border-line bg-raised px-2 py-1 text-xs text-foreground"
      style={{ left, top: hover.y + 4 }}
    >
      <p className="line-clamp-2 font-medium wrap-anywhere">
        <Shown text={content.title} />
      </p>
      <p className="text-faint tabular wrap-anywhere">
        <Shown text={content.more.filter(Boolean).join(' · ')} />
      </p>
      {content.ms >= 0 && <At at={skeleton.firstAt + content.ms} className="text-2xs text-faint" />}
    </div>
  )
}
