import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

/** What scrolls in itself: it has a name, and is reached and moved by keyboard. Takes what a `div` takes. */
export function ScrollBox({ label, className, ...rest }: ComponentProps<'div'> & { label: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div
      {...rest}
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
      className={cn('overflow-y-auto focus-visible:-outline-offset-2', className)}
    />
  )
}
