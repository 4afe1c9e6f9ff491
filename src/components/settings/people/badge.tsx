import type { ReactNode } from 'react'
import { cn } from '../../ui/cn.ts'

const looks = {
  quiet: 'border-line text-soft',
  good: 'border-transparent bg-good-soft text-good',
  wait: 'border-transparent bg-wait-soft text-wait',
  bad: 'border-transparent bg-bad-soft text-bad',
}

/** A state in a word. */
export function Badge({ look = 'quiet', children }: { look?: keyof typeof looks; children: ReactNode }) {
  return (
    <span
      className={cn(
        'inline-flex h-5 shrink-0 items-center rounded-full border px-2 text-2xs font-medium',
        looks[look],
      )}
    >
      {children}
    </span>
  )
}
