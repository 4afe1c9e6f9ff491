'use client'
import type { Heap } from '../../../client/windows.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatCount } from '../../../lib/format.ts'
import { tints } from './heaps.tsx'

type AnyHeap = Pick<Heap<unknown>, 'group' | 'tokens' | 'share' | 'count'>

/** Groups of blocks with what they weigh, as a small table. */
export function HeapTable({ heaps }: { heaps: readonly AnyHeap[] }) {
  const t = useTranslations('windows')
  return (
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(180px,1fr))] gap-x-6 pt-2">
      {heaps.map((heap) => (
        <li key={heap.group} className="flex h-6 items-center gap-2 text-xs">
          <span
            aria-hidden
            className="size-2.5 shrink-0 rounded-xs"
            style={{ background: tints[heap.group] }}
          />
          <span className="min-w-0 flex-1 truncate">{t(`groups.${heap.group}`)}</span>
          {heap.count > 1 && <span className="text-faint tabular">{heap.count}</span>}
          <span className="w-12 text-right text-soft tabular">{formatCount(heap.tokens)}</span>
        </li>
      ))}
    </ul>
  )
}
