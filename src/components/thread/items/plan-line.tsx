'use client'
import { ListChecks } from 'lucide-react'
import { openPanel } from '../../../client/ui-store.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { PlanItem } from '../../../protocol/item.ts'
import { Shown } from '../../ui/shown.tsx'

/** Where the plan stands now, as a line that leads to the whole plan. */
export function PlanLine({ item }: { item: PlanItem }) {
  const t = useTranslations('plan')
  const done = item.entries.filter((entry) => entry.status === 'completed').length
  const current = item.entries.find((entry) => entry.status === 'in_progress')
  return (
    <button
      type="button"
      data-item="plan"
      onClick={() => openPanel('plan')}
      className="flex h-7 w-full items-center gap-2 rounded-md px-1.5 text-left text-sm text-soft row-hover"
    >
      <ListChecks aria-hidden className="mx-px size-3.5 shrink-0 text-faint" />
      <span className="shrink-0">{t('line', { done, all: item.entries.length })}</span>
      <span className="min-w-0 flex-1 truncate text-faint">
        <Shown text={current?.text ?? ''} />
      </span>
    </button>
  )
}
