import { CircleAlert, CircleCheck, CircleDashed, CircleDot, CircleHelp, CircleX, Clock } from 'lucide-react'
import { useTranslations } from '../../i18n/translations.ts'
import type { ThreadProjection } from '../../protocol/thread.ts'
import { cn } from '../ui/cn.ts'

/** What a thread's state looks like: a shape and a colour, and words for those who see neither. */
export function ThreadStateIcon({ thread, className }: { thread: ThreadProjection; className?: string }) {
  const t = useTranslations('threadStatus')
  const size = cn('size-3.5 shrink-0', className)
  const label = t(thread.status)
  const icon = (() => {
    switch (thread.status) {
      case 'working':
        return <CircleDot aria-hidden className={cn(size, 'animate-breathe text-brand')} />
      case 'queued':
        return <Clock aria-hidden className={cn(size, 'text-brand')} />
      case 'stopping':
        return <CircleX aria-hidden className={cn(size, 'animate-breathe text-soft')} />
      case 'waiting_for_person':
        return <CircleHelp aria-hidden className={cn(size, 'text-wait')} />
      case 'failed':
        return <CircleAlert aria-hidden className={cn(size, 'text-bad')} />
      case 'closed':
        return <CircleDashed aria-hidden className={cn(size, 'text-faint')} />
      default:
        return thread.turns > 0 ? (
          <CircleCheck aria-hidden className={cn(size, 'text-faint')} />
        ) : (
          <CircleDashed aria-hidden className={cn(size, 'text-faint')} />
        )
    }
  })()
  return (
    <span title={label} className="inline-flex">
      {icon}
      <span className="sr-only">{label}</span>
    </span>
  )
}
