/** Where tips, menus and popovers are put: inside a landmark, so that everything on a page is in one. */
export const overlaysId = 'overlays'

export const overlays = (): HTMLElement | null =>
  typeof document === 'undefined' ? null : document.getElementById(overlaysId)
