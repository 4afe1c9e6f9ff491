'use client'
import { useEffect, useState } from 'react'
import { formatClock } from '../../lib/format.ts'

/** Milliseconds now, told anew every second while mounted. */
export function useTick(intervalMs = 1_000): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), intervalMs)
    return () => clearInterval(timer)
  }, [intervalMs])
  return now
}

/** Time since a moment, running. */
export function Clock({ since }: { since: number }) {
  const now = useTick()
  return <span className="tabular">{formatClock(now - since)}</span>
}
