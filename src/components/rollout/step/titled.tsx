import type { ReactNode } from 'react'

/** A text under a small title. */
export function Titled({
  title,
  aside,
  children,
}: {
  title: string
  aside?: ReactNode
  children: ReactNode
}) {
  return (
    <div className="min-w-0">
      <p className="flex items-center gap-2 pb-0.5 text-2xs text-faint">
        {title}
        {aside}
      </p>
      {children}
    </div>
  )
}
