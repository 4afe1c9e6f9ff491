import { Popover as Radix } from 'radix-ui'
import type { ComponentProps } from 'react'
import { cn } from './cn.ts'
import { useOverlays } from './overlays.ts'

export const Popover = Radix.Root
export const PopoverTrigger = Radix.Trigger

/** Something small to fill in beside what opened it. */
export function PopoverContent({ className, ...props }: ComponentProps<typeof Radix.Content>) {
  const overlays = useOverlays()
  return (
    <Radix.Portal container={overlays}>
      <Radix.Content
        sideOffset={6}
        collisionPadding={8}
        align="end"
        className={cn(
          'z-30 max-h-(--radix-popover-content-available-height) w-[min(360px,calc(100vw-16px))] overflow-y-auto rounded-xl border border-line-strong bg-raised animate-appear focus:outline-none',
          className,
        )}
        {...props}
      />
    </Radix.Portal>
  )
}
