import { CircleCheck, CircleDashed, CircleX, Wrench } from 'lucide-react'
import type { Verdict } from '../../../protocol/review.ts'
import { cn } from '../../ui/cn.ts'

/** A verdict's shape and colour; its word stands beside it or is read out. */
export function VerdictIcon({ verdict, className }: { verdict: Verdict | null; className?: string }) {
  const size = cn('size-3.5 shrink-0', className)
  switch (verdict) {
    case 'accepted':
      return <CircleCheck aria-hidden className={cn(size, 'text-good')} />
    case 'needs_work':
      return <Wrench aria-hidden className={cn(size, 'text-wait')} />
    case 'rejected':
      return <CircleX aria-hidden className={cn(size, 'text-bad')} />
    default:
      return <CircleDashed aria-hidden className={cn(size, 'text-faint')} />
  }
}
