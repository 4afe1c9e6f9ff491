'use client'
import { CircleCheck, CircleDashed, CircleDot } from 'lucide-react'
import { useThread } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { PlanEntry } from '../../../protocol/item.ts'
import { cn } from '../../ui/cn.ts'
import { Shown } from '../../ui/shown.tsx'
import { Empty } from '../../ui/states.tsx'

const icons = {
  completed: <CircleCheck aria-hidden className="size-4 text-good" />,
  in_progress: <CircleDot aria-hidden className="size-4 text-brand" />,
  pending: <CircleDashed aria-hidden className="size-4 text-faint" />,
}

/** The plan as the agent last set it. */
export function Plan() {
  const t = useTranslations('plan')
  const item = useThread((state) => {
    const id = state.version >= 0 ? state.view.planItemId?.value : undefined
    return id === undefined ? undefined : state.view.items.get(id)?.item
  })
  if (item?.type !== 'plan' || item.entries.length === 0)
    return (
      <Empty title={t('none')}>
        <p>{t('noneText')}</p>
      </Empty>
    )
  const done = item.entries.filter((entry) => entry.status === 'completed').length
  return (
    <div className="p-4">
      <p className="pb-2 text-xs text-faint tabular">{t('done', { done, all: item.entries.length })}</p>
      {item.explanation !== undefined && <p className="pb-3 text-soft">{item.explanation}</p>}
      <ol className="space-y-1">
        {item.entries.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two steps of a plan may have the same words.
          <Entry key={`${index}:${entry.text}`} entry={entry} />
        ))}
      </ol>
    </div>
  )
}

function Entry({ entry }: { entry: PlanEntry }) {
  const t = useTranslations('plan')
  return (
    <li className="flex gap-2.5 py-1">
      <span className="mt-0.75">
        {icons[entry.status]}
        <span className="sr-only">{t(`status.${entry.status}`)}</span>
      </span>
      <span
        className={cn(
          'wrap-anywhere',
          entry.status === 'completed' && 'text-faint',
          entry.status === 'in_progress' && 'font-medium',
        )}
      >
        <Shown text={entry.text} />
      </span>
    </li>
  )
}
