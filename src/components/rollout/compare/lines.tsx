'use client'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { factOf } from '../../../client/api.ts'
import { headsOf, useCompareLines } from '../../../client/compare.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { type DifferenceField, differenceFields, type RolloutComparison } from '../../../protocol/compare.ts'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Skeleton, Trouble } from '../../ui/states.tsx'
import { LineView } from './line-view.tsx'

const lineHeight = 44
/** Lists longer than browsers can be tall are cut; what lies behind is reached by its differences. */
const mostLines = 350_000

type LinesProps = {
  data: RolloutComparison
  only: boolean
  /** The line that is looked at, among all lines. */
  line: number | null
  /** Its place in the list. */
  place: number | null
  onSelect: (line: number) => void
}

/** Both rollouts, line by line; only what is visible is there. */
export function Lines({ data, only, line, place, onSelect }: LinesProps) {
  const t = useTranslations('compare')
  const box = useRef<HTMLDivElement>(null)
  const count = Math.min(mostLines, only ? data.differences.total : data.lines)
  const rows = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => lineHeight,
    overscan: 8,
  })
  const visible = rows.getVirtualItems()
  const fields: readonly DifferenceField[] = only ? differenceFields : []
  const found = useCompareLines(
    headsOf(data),
    fields,
    visible[0]?.index ?? place ?? 0,
    visible.at(-1)?.index ?? place ?? 0,
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list moves when the place does, not when it is drawn.
  useEffect(() => {
    if (place === null || place >= count) return
    const shown = rows.range
    const inside = shown !== null && place > shown.startIndex + 1 && place < shown.endIndex - 1
    if (!inside) rows.scrollToIndex(place, { align: 'center' })
  }, [place, only])

  if (found.error !== null)
    return (
      <div className="p-4">
        <Trouble title={t('failed')} fact={factOf(found.error)} />
      </div>
    )
  return (
    <ScrollBox ref={box} label={t('linesLabel')} className="min-h-0 flex-1" data-testid="compare-lines">
      <div className="relative" style={{ height: rows.getTotalSize() }}>
        {visible.map(({ index, start }) => {
          const each = found.at(index)
          return (
            <div
              key={index}
              className="absolute inset-x-0"
              style={{ height: lineHeight, transform: `translateY(${start}px)` }}
            >
              {each === undefined ? (
                <div className="flex h-full items-center gap-3 px-3">
                  <Skeleton className="h-4 flex-1" />
                  <Skeleton className="h-4 flex-1" />
                </div>
              ) : (
                <LineView line={each} selected={each.line === line} onSelect={onSelect} />
              )}
            </div>
          )
        })}
      </div>
    </ScrollBox>
  )
}
