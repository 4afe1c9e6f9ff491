import { Tooltip } from 'radix-ui'
import type { ReactNode } from 'react'
import { Kbd } from './kbd.tsx'
import { useOverlays } from './overlays.ts'

type TipProps = {
  label: ReactNode
  keys?: string | undefined
  side?: 'top' | 'bottom' | 'right'
  children: ReactNode
}

export function Tip({ label, keys, side = 'top', children }: TipProps) {
  const overlays = useOverlays()
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal container={overlays}>
        <Tooltip.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 flex max-w-80 items-center gap-2 rounded-md border border-line bg-raised px-2 py-1 text-xs text-foreground animate-appear"
        >
          {label}
          {keys !== undefined && <Kbd keys={keys} />}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}
