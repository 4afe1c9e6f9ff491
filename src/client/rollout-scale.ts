/**
 * Coordinates of a list of rows of one height that no element could hold: browsers end an element at some 17 to 33
 * million pixels. Up to `maxElementPx` a pixel of the scrollbar is a pixel of the list; beyond it the scrollbar is
 * squeezed, while wheel and keys still move row by row. Pure numbers; it knows no element.
 */

/** Below the smallest limit of the large browsers (17.9 million, Firefox). */
export const maxElementPx = 15_000_000

export type Extent = { rows: number; rowPx: number; viewPx: number }

/** Pixels of the list, of the element that stands for it, and how many of the first one of the second is. */
export function scaleOf({ rows, rowPx, viewPx }: Extent): { list: number; element: number; ratio: number } {
  const list = rows * rowPx
  const element = Math.min(list, maxElementPx)
  const room = element - viewPx
  return { list, element, ratio: list > maxElementPx && room > 0 ? (list - viewPx) / room : 1 }
}

/** How far down the list can be scrolled. */
export const maxTop = ({ rows, rowPx, viewPx }: Extent): number => Math.max(0, rows * rowPx - viewPx)

const clampTop = (top: number, extent: Extent): number => Math.max(0, Math.min(maxTop(extent), top))

/** Where the element must stand for the list to be at `top`. */
export const toElement = (top: number, extent: Extent): number =>
  clampTop(top, extent) / scaleOf(extent).ratio

/**
 * Where the list is after the element was scrolled from `before` to `now`. A small move is one of wheel, finger or key
 * and counts pixel by pixel; a jump, or arriving at an end, is one of the scrollbar.
 */
export function topAfter(top: number, before: number, now: number, extent: Extent): number {
  const { element, ratio } = scaleOf(extent)
  if (ratio === 1) return clampTop(now, extent)
  const end = element - extent.viewPx
  const small = Math.abs(now - before) < extent.viewPx
  if (small && now > 0.5 && now < end - 0.5) return clampTop(top + now - before, extent)
  return clampTop(now * ratio, extent)
}

/** Rows to draw: those that are seen and `more` on either side; `last` is included, -1 when there are none. */
export function rowsInView(top: number, { rows, rowPx, viewPx }: Extent, more: number) {
  const first = Math.max(0, Math.floor(top / rowPx) - more)
  const last = Math.min(rows - 1, Math.floor((top + viewPx - 1) / rowPx) + more)
  return { first, last }
}

/** Rows that stay between a row that is moved to and the edge, so that one sees what comes. */
const marginRows = 2

/** Where to scroll so that a row is seen: not at all when it is, else to a third of the view (`far`) or just in. */
export function topFor(place: number, top: number, extent: Extent, far: boolean): number {
  const { rowPx, viewPx } = extent
  const margin = Math.min(marginRows * rowPx, viewPx / 4)
  const [from, to] = [place * rowPx - margin, (place + 1) * rowPx + margin]
  if (from >= top && to <= top + viewPx) return top
  if (far) return clampTop(from - viewPx / 3, extent)
  return clampTop(from < top ? from : to - viewPx, extent)
}

/** Whether the end of the list is seen, within 30 pixels. */
export const isAtEnd = (top: number, extent: Extent): boolean => top >= maxTop(extent) - 30
