/**
 * Writes of the address that no page is loaded for. The router takes each of them as the newest wish and drops a page that
 * is still on its way, so they rest from the moment that another page was asked for.
 */
let leaving: { from: string; to: string } | null = null

/** The router begins to go to `url`; called for every navigation. */
export function noteTransition(url: string): void {
  leaving = { from: window.location.pathname, to: new URL(url, window.location.href).pathname }
}

/** True while another page is on its way and this one is still shown. */
export const isLeaving = (): boolean =>
  leaving !== null && leaving.to !== leaving.from && window.location.pathname === leaving.from

/** Shows `url` in the address bar, with a new entry of the history or in place of the newest. */
export function sayAddress(how: 'pushState' | 'replaceState', url: string): void {
  if (!isLeaving()) window.history[how](null, '', url)
}
