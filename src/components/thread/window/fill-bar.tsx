import type { Fill } from '../../../client/windows.ts'
import { cn } from '../../ui/cn.ts'

/** How full a window is: what the provider had cached dark, the rest of what is used light, what remains empty. */
export function FillBar({ fill, className }: { fill: Fill; className?: string }) {
  const colour = fill.level === 'calm' ? 'bg-brand' : fill.level === 'near' ? 'bg-wait' : 'bg-bad'
  return (
    <span
      aria-hidden
      className={cn('relative inline-block h-1.5 shrink-0 overflow-hidden rounded-full bg-line', className)}
    >
      <span
        className={cn('absolute inset-y-0 left-0 opacity-45', colour)}
        style={{ width: `${fill.share * 100}%` }}
      />
      <span
        className={cn('absolute inset-y-0 left-0', colour)}
        style={{ width: `${fill.cachedShare * 100}%` }}
      />
    </span>
  )
}
