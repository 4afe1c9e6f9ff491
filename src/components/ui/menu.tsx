import { Check } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'
import { cn } from './cn.ts'
import { Kbd } from './kbd.tsx'
import { useOverlays } from './overlays.ts'

/** Not modal: what is behind a menu stays readable to everybody. */
export function Menu(props: ComponentProps<typeof DropdownMenu.Root>) {
  return <DropdownMenu.Root modal={false} {...props} />
}
export const MenuTrigger = DropdownMenu.Trigger

const itemClass =
  'flex cursor-default items-center gap-2 rounded-md px-2 py-1 text-sm outline-none select-none data-[disabled]:opacity-50 data-[highlighted]:bg-hover [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-soft'

export function MenuContent({ className, ...props }: ComponentProps<typeof DropdownMenu.Content>) {
  const overlays = useOverlays()
  return (
    <DropdownMenu.Portal container={overlays}>
      <DropdownMenu.Content
        sideOffset={4}
        // A long menu scrolls, and what scrolls must be reachable by keyboard.
        tabIndex={0}
        collisionPadding={8}
        className={cn(
          'z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 overflow-y-auto rounded-lg border border-line-strong bg-raised p-1 animate-appear',
          className,
        )}
        {...props}
      />
    </DropdownMenu.Portal>
  )
}

type MenuItemProps = ComponentProps<typeof DropdownMenu.Item> & { keys?: string; danger?: boolean }

export function MenuItem({ keys, danger = false, className, children, ...props }: MenuItemProps) {
  return (
    <DropdownMenu.Item className={cn(itemClass, danger && 'text-bad [&>svg]:text-bad', className)} {...props}>
      {children}
      {keys !== undefined && (
        <span className="ml-auto pl-4">
          <Kbd keys={keys} />
        </span>
      )}
    </DropdownMenu.Item>
  )
}

type ChoiceProps = { value: string; label: ReactNode; hint?: ReactNode; disabled?: boolean }

export function MenuChoice({ value, label, hint, disabled = false }: ChoiceProps) {
  return (
    <DropdownMenu.RadioItem value={value} disabled={disabled} className={cn(itemClass, 'items-start')}>
      <span className="flex size-4 items-center justify-center pt-1">
        <DropdownMenu.ItemIndicator>
          <Check aria-hidden className="size-3.5 text-brand" />
        </DropdownMenu.ItemIndicator>
      </span>
      <span className="min-w-0">
        <span className="block truncate">{label}</span>
        {hint !== undefined && <span className="block max-w-72 text-xs text-soft">{hint}</span>}
      </span>
    </DropdownMenu.RadioItem>
  )
}

export const MenuChoices = DropdownMenu.RadioGroup

export function MenuLabel({ children }: { children: ReactNode }) {
  return <DropdownMenu.Label className="px-2 pt-1.5 pb-1 text-xs text-faint">{children}</DropdownMenu.Label>
}

export function MenuLine() {
  return <DropdownMenu.Separator className="my-1 h-px bg-line" />
}
