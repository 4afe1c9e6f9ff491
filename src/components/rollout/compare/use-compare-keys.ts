'use client'
import { useEffect } from 'react'

const inField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

const isElsewhere = (): boolean => document.querySelector('[role=dialog], [role=menu]') !== null

/** Keys that mean the same as a letter. */
const sameAs: Record<string, string> = { ArrowDown: 'j', ArrowUp: 'k', Enter: 'o', Escape: 'q' }

export type CompareKeys = {
  step: (by: 1 | -1) => void
  move: (by: 1 | -1) => void
  toggle: () => void
  swap: () => void
  open: () => void
  close: () => void
}

/** n p differences, j k lines, d differences alone, x swaps, Enter and Escape open and close what a line says. */
export function useCompareKeys({ step, move, toggle, swap, open, close }: CompareKeys): void {
  useEffect(() => {
    let afterG = 0
    const actions: Record<string, () => void> = {
      n: () => step(1),
      p: () => step(-1),
      j: () => move(1),
      k: () => move(-1),
      d: toggle,
      x: swap,
      o: open,
      q: close,
    }
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.metaKey || event.ctrlKey || event.altKey)
        return
      if (inField(event.target) || isElsewhere()) return
      if (event.key === 'g') {
        afterG = Date.now()
        return
      }
      if (Date.now() - afterG < 1_000) return
      const action = actions[sameAs[event.key] ?? event.key]
      const onButton = event.target instanceof HTMLElement && event.target.closest('a, button') !== null
      if (action === undefined || (event.key === 'Enter' && onButton)) return
      event.preventDefault()
      event.stopImmediatePropagation()
      action()
    }
    window.addEventListener('keydown', onKey, { capture: true })
    return () => window.removeEventListener('keydown', onKey, { capture: true })
  })
}
