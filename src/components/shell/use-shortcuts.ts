'use client'
import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { openPanel, panelTabs, setUi, useUi } from '../../client/ui-store.ts'

const inField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Keys that work on every screen. `g` waits a second for what follows. */
export function useShortcuts(): void {
  const router = useRouter()
  useEffect(() => {
    let afterG = 0
    const onKey = (event: KeyboardEvent): undefined => {
      if (event.defaultPrevented || event.isComposing) return
      const mod = event.metaKey || event.ctrlKey
      const key = event.key.toLowerCase()
      const run = (action: () => void): undefined => {
        event.preventDefault()
        action()
      }
      if (mod && !event.shiftKey && !event.altKey) {
        if (key === 'k') run(() => setUi({ palette: !useUi.getState().palette }))
        else if (key === '.') run(() => useUi.getState().stop?.())
        return
      }
      if (event.altKey && key === 'n') return run(() => router.push('/new'))
      if (mod || event.altKey || inField(event.target)) return
      if (Date.now() - afterG < 1_000) {
        afterG = 0
        if (key === 't') return run(() => router.push('/'))
        if (key === 'r') return run(() => router.push('/rollouts'))
        if (key === 'v') return run(() => router.push('/reviews'))
        if (key === 's') return run(() => router.push('/settings'))
        const panel = panelTabs[Number(key) - 1]
        if (panel !== undefined) return run(() => openPanel(panel))
      }
      if (key === 'g') afterG = Date.now()
      else if (key === 'c') run(() => router.push('/new'))
      else if (key === ']') run(() => setUi({ panelOpen: !useUi.getState().panelOpen }))
      else if (event.key === '?') run(() => setUi({ shortcuts: true }))
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [router])
}
