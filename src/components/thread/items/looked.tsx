'use client'
import { Eye } from 'lucide-react'
import { summarise } from '../../../client/tool-summary.ts'
import { useItem, useThread } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { useDuration } from '../../../i18n/units.ts'
import { Shown } from '../../ui/shown.tsx'
import { useOpened } from '../opened.tsx'
import { Line } from './line.tsx'
import { ToolCallItem } from './tool-call.tsx'

/** A run of reads, lists and searches as one line. */
export function Looked({ rowKey, itemIds }: { rowKey: string; itemIds: readonly string[] }) {
  const t = useTranslations('tools')
  const durationOf = useDuration()
  const [open, setOpen] = useOpened(rowKey)
  const first = useItem(itemIds[0] ?? '')?.item
  const totalMs = useThread((state) =>
    state.version < 0
      ? 0
      : itemIds.reduce((sum, id) => {
          const item = state.view.items.get(id)?.item
          return item?.type === 'tool_call' && item.state.status === 'succeeded'
            ? sum + item.state.endedAt - item.state.startedAt
            : sum
        }, 0),
  )
  const object =
    first?.type === 'tool_call' ? summarise(first, undefined, undefined).object || first.tool : ''
  return (
    <Line
      testId="looked"
      icon={<Eye aria-hidden />}
      open={open}
      onOpenChange={setOpen}
      aside={totalMs >= 100 ? durationOf(totalMs) : undefined}
      body={
        <div className="-ml-2">
          {itemIds.map((id) => (
            <LookedEntry key={id} itemId={id} />
          ))}
        </div>
      }
    >
      <span className="text-soft">{t('looked')}</span>
      <code className="min-w-0 truncate text-[12.5px]">
        <Shown text={object} />
      </code>
      <span className="shrink-0 text-faint">{t('more', { count: itemIds.length - 1 })}</span>
    </Line>
  )
}

function LookedEntry({ itemId }: { itemId: string }) {
  const item = useItem(itemId)?.item
  return item?.type === 'tool_call' ? <ToolCallItem item={item} /> : null
}
