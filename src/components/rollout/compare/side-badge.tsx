import { cn } from '../../ui/cn.ts'

/** Which of the two: a letter, and a fill that is told apart without colour. */
export function SideBadge({ side }: { side: 'a' | 'b' }) {
  return (
    <span
      className={cn(
        'inline-flex size-4.5 shrink-0 items-center justify-center rounded text-2xs font-semibold',
        side === 'a' ? 'bg-brand text-on-brand' : 'border border-brand text-brand',
      )}
    >
      {side.toUpperCase()}
    </span>
  )
}
