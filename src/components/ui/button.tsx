import type { ComponentProps, ReactNode } from 'react'
import { cn } from './cn.ts'
import { Tip } from './tip.tsx'

type Look = 'primary' | 'plain' | 'quiet' | 'danger'

const looks: Record<Look, string> = {
  primary: 'bg-brand text-on-brand border-transparent hover:bg-brand-strong',
  plain: 'bg-raised text-foreground border-line hover:bg-hover',
  quiet: 'bg-transparent text-soft border-transparent hover:bg-hover hover:text-foreground',
  danger: 'bg-raised text-bad border-line hover:bg-bad-soft',
}

type ButtonProps = ComponentProps<'button'> & { look?: Look; small?: boolean }

export function Button({ look = 'plain', small = false, className, type = 'button', ...props }: ButtonProps) {
  return (
    <button
      type={type}
      className={cn(
        'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap transition-colors duration-100 disabled:opacity-50',
        small ? 'h-7 px-2 text-xs' : 'h-8 px-3 text-sm',
        looks[look],
        className,
      )}
      {...props}
    />
  )
}

type IconButtonProps = Omit<ComponentProps<'button'>, 'aria-label'> & {
  label: string
  keys?: string
  look?: Look
  children: ReactNode
}

/** A button of one icon; its name is read out and shown on hover. */
export function IconButton({ label, keys, look = 'quiet', className, children, ...props }: IconButtonProps) {
  return (
    <Tip label={label} keys={keys}>
      <button
        type="button"
        aria-label={label}
        className={cn(
          'inline-flex size-7 shrink-0 items-center justify-center rounded-md border transition-colors duration-100 disabled:opacity-50 [&_svg]:size-4',
          looks[look],
          className,
        )}
        {...props}
      >
        {children}
      </button>
    </Tip>
  )
}
