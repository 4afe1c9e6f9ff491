'use client'
import type { ReactNode } from 'react'
import { Chevron } from '../../ui/chevron.tsx'
import { cn } from '../../ui/cn.ts'

type LineProps = {
  icon: ReactNode
  children: ReactNode
  /** Outcome and time, at the right. */
  aside?: ReactNode
  open: boolean
  onOpenChange: (open: boolean) => void
  /** Nothing to open. */
  bare?: boolean
  body?: ReactNode
  testId?: string
}

/** One line of work: icon, verb, object, outcome, time; opens to what is behind it. */
export function Line({ icon, children, aside, open, onOpenChange, bare = false, body, testId }: LineProps) {
  const inner = (
    <>
      <span className="flex size-4 shrink-0 items-center justify-center text-faint [&_svg]:size-3.5">
        {icon}
      </span>
      <span className="flex min-w-0 flex-1 items-baseline gap-1.5 truncate text-left">{children}</span>
      {aside !== undefined && (
        <span className="flex shrink-0 items-center gap-2 text-xs text-faint tabular">{aside}</span>
      )}
      {!bare && <Chevron open={open} />}
    </>
  )
  const lineClass = 'flex h-7 w-full items-center gap-2 rounded-md px-1.5 text-sm'
  return (
    <div data-item={testId}>
      {bare ? (
        <div className={lineClass}>{inner}</div>
      ) : (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => onOpenChange(!open)}
          className={cn(lineClass, 'row-hover')}
        >
          {inner}
        </button>
      )}
      {open && !bare && <div className="ml-6 pt-1 pb-2">{body}</div>}
    </div>
  )
}
