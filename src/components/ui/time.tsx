'use client'
import { useFormatter, useLocale, useNow } from 'next-intl'

/** "4 minutes ago", the exact time on hover. */
export function Ago({ at, className }: { at: number; className?: string }) {
  const format = useFormatter()
  const locale = useLocale()
  const now = useNow({ updateInterval: 30_000 })
  const date = new Date(at)
  return (
    <time
      dateTime={date.toISOString()}
      title={date.toLocaleString(locale)}
      className={className}
      suppressHydrationWarning
    >
      {format.relativeTime(date, { now: now.getTime() < at ? date : now, style: 'narrow' })}
    </time>
  )
}

/** The time of day, the whole date on hover. */
export function At({ at, className }: { at: number; className?: string }) {
  const locale = useLocale()
  const date = new Date(at)
  const today = new Date().toDateString() === date.toDateString()
  return (
    <time
      dateTime={date.toISOString()}
      title={date.toLocaleString(locale)}
      className={className}
      suppressHydrationWarning
    >
      {today
        ? date.toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' })
        : date.toLocaleString(locale, {
            month: 'short',
            day: 'numeric',
            hour: '2-digit',
            minute: '2-digit',
          })}
    </time>
  )
}
