'use client'
import { CircleAlert, Info, TriangleAlert } from 'lucide-react'
import { useTranslations } from '../../../i18n/translations.ts'
import { isPlainKey } from '../../../lib/own.ts'
import type { Notice } from '../../../protocol/item.ts'
import { cn } from '../../ui/cn.ts'
import { Shown } from '../../ui/shown.tsx'
import { ErrorHelp } from '../error-help.tsx'

const icons = { info: Info, warning: TriangleAlert, error: CircleAlert }

/** Something the server says in the thread, in the reader's language where the kind is known. */
export function NoticeItem({ item }: { item: Notice }) {
  const t = useTranslations('notices')
  const key = item.kind as Parameters<typeof t.has>[0]
  const isKnown = isPlainKey(item.kind) && t.has(key)
  const text = isKnown ? t(key, (item.values ?? {}) as never) : item.text
  if (item.error)
    return (
      <div className="py-1.5" data-item="notice">
        <ErrorHelp fact={item.error} {...(isKnown ? { title: text } : {})} />
      </div>
    )
  const Icon = icons[item.level]
  return (
    <p
      data-item="notice"
      className={cn('flex gap-2 px-1.5 py-1 text-sm text-soft', item.level === 'error' && 'text-bad')}
    >
      <Icon aria-hidden className={cn('mt-1 size-3.5 shrink-0', item.level === 'warning' && 'text-wait')} />
      <span className="wrap-anywhere">
        <Shown text={text} />
      </span>
    </p>
  )
}
