import { ChevronRight } from 'lucide-react'
import { cn } from './cn.ts'

/** The mark of a line that unfolds. */
export function Chevron({ open, className }: { open: boolean; className?: string }) {
  return (
    <ChevronRight
      aria-hidden
      className={cn(
        'size-3.5 shrink-0 text-faint transition-transform duration-100',
        open && 'rotate-90',
        className,
      )}
    />
  )
}
