import { createContext, useContext } from 'react'

/** Where tips, menus and popovers are put: inside a landmark, so that everything on a page is in one. */
export const overlaysId = 'overlays'

/**
 * The open dialog around what opens a menu; null = none. A dialog hides everything beside it from readers, so what opens
 * out of it stands in it.
 */
export const OverlayHost = createContext<HTMLElement | null>(null)

export function useOverlays(): HTMLElement | null {
  const host = useContext(OverlayHost)
  return host ?? (typeof document === 'undefined' ? null : document.getElementById(overlaysId))
}
