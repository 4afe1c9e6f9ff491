'use client'
import { useSyncExternalStore } from 'react'

/** Whether the window is at least so many pixels wide; true on the server. */
export function useWide(pixels: number): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = window.matchMedia(`(min-width: ${pixels}px)`)
      query.addEventListener('change', changed)
      return () => query.removeEventListener('change', changed)
    },
    () => window.matchMedia(`(min-width: ${pixels}px)`).matches,
    () => true,
  )
}
