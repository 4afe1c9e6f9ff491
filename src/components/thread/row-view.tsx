'use client'
import { memo } from 'react'
import type { Row } from '../../client/rows.ts'
import { useItem, useThreadStore } from '../../client/use-thread.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { AgentMessageItem } from './items/agent-message.tsx'
import { HandOverItem } from './items/hand-over.tsx'
import { Looked } from './items/looked.tsx'
import { Marker } from './items/marker.tsx'
import { NoticeItem } from './items/notice.tsx'
import { Pending } from './items/pending.tsx'
import { PlanLine } from './items/plan-line.tsx'
import { QuestionView } from './items/question.tsx'
import { ReasoningItem } from './items/reasoning.tsx'
import { ToolCallItem } from './items/tool-call.tsx'
import { TurnEnd, TurnFold } from './items/turn.tsx'
import { UserMessageItem } from './items/user-message.tsx'
import { Working } from './items/working.tsx'

export const RowView = memo(function RowView({ row, last }: { row: Row; last: boolean }) {
  switch (row.kind) {
    case 'older':
      return <Older />
    case 'item':
      return <ItemRow itemId={row.itemId} />
    case 'group':
      return <Looked rowKey={row.key} itemIds={row.itemIds} />
    case 'marker':
      return <Marker marker={row.marker} />
    case 'turn':
      return <TurnFold turnId={row.turnId} foldable={row.foldable} open={row.open} />
    case 'end':
      return <TurnEnd turnId={row.turnId} last={last} />
    case 'working':
      return <Working turnId={row.turnId} />
    case 'pending':
      return <Pending op={row.op} />
  }
}, sameRow)

function sameRow(before: { row: Row; last: boolean }, after: { row: Row; last: boolean }): boolean {
  const [a, b] = [before.row, after.row]
  if (before.last !== after.last || a.key !== b.key || a.kind !== b.kind) return false
  if (a.kind === 'group' && b.kind === 'group') return a.itemIds.join() === b.itemIds.join()
  if (a.kind === 'turn' && b.kind === 'turn') return a.open === b.open && a.foldable === b.foldable
  if (a.kind === 'pending' && b.kind === 'pending') return a.op === b.op
  return true
}

function ItemRow({ itemId }: { itemId: string }) {
  const view = useItem(itemId)
  if (view === undefined) return null
  const { item } = view
  switch (item.type) {
    case 'user_message':
      return <UserMessageItem item={item} at={view.at} />
    case 'agent_message':
      return <AgentMessageItem item={item} done={view.completedAt !== undefined} />
    case 'reasoning':
      return <ReasoningItem view={view} item={item} />
    case 'tool_call':
      return <ToolCallItem item={item} />
    case 'plan':
      return <PlanLine item={item} />
    case 'question':
      return <QuestionView item={item} />
    case 'notice':
      return <NoticeItem item={item} />
    case 'hand_over':
      return <HandOverItem item={item} at={view.at} />
  }
}

function Older() {
  const t = useTranslations('thread')
  const store = useThreadStore()
  return (
    <button
      type="button"
      onClick={() => void store.loadOlder()}
      className="flex h-9 w-full items-center justify-center text-xs text-faint hover:text-foreground"
    >
      {t('older')}
    </button>
  )
}
