/**
 * What this tab shows and hides: palette, sheets, panel, theme. Small choices last in the browser; nothing here is about
 * a thread's content.
 */

import { create } from 'zustand'
import { type Locale, localeCookie } from '../i18n/locales.ts'

/** In the order in which they stand; `g` and the number opens one. */
export const panelTabs = ['changes', 'notes', 'plan', 'window'] as const
export type PanelTab = (typeof panelTabs)[number]
/** Which threads lists show: all, the reader's own, what others share. */
export const whoseThreads = ['all', 'mine', 'shared'] as const
export type Whose = (typeof whoseThreads)[number]
export type Theme = 'system' | 'light' | 'dark'
export type DiffStyle = 'unified' | 'split'

type UiState = {
  palette: boolean
  shortcuts: boolean
  /** The sidebar as a drawer, on narrow screens. */
  drawer: boolean
  /** The panel as a sheet, on narrow screens. */
  sheet: boolean
  panelOpen: boolean
  panelTab: PanelTab
  /** The window that the panel shows; null = the one that is open. */
  windowShown: string | null
  diffStyle: DiffStyle
  whose: Whose
  theme: Theme
  /** What the open thread offers to keys and palette. */
  stop: (() => void) | null
  newWindow: (() => void) | null
  share: (() => void) | null
}

const saved = ['panelOpen', 'panelTab', 'diffStyle', 'whose'] as const
const storageKey = 'baton.ui'

const readSaved = (): Partial<UiState> => {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<UiState>
  } catch {
    return {}
  }
}

export const useUi = create<UiState>(() => ({
  palette: false,
  shortcuts: false,
  drawer: false,
  sheet: false,
  panelOpen: true,
  panelTab: 'changes',
  windowShown: null,
  diffStyle: 'unified',
  whose: 'all',
  theme: 'system',
  stop: null,
  newWindow: null,
  share: null,
}))

/** Reads what was chosen before; called once when the page is alive, so that server and browser render the same. */
export function restoreUi(): void {
  const theme = document.documentElement.dataset.theme
  useUi.setState({ ...readSaved(), theme: theme === 'light' || theme === 'dark' ? theme : 'system' })
}

export function setUi(change: Partial<UiState>): void {
  useUi.setState(change)
  const state = useUi.getState()
  try {
    localStorage.setItem(
      storageKey,
      JSON.stringify(Object.fromEntries(saved.map((key) => [key, state[key]]))),
    )
  } catch {
    // A browser without storage forgets.
  }
}

/** Pixels from which on the panel stands beside the thread; below it is a sheet. */
export const panelBeside = 1_024

/** Shows a panel of the open thread, as the screen has it: beside the thread, or as a sheet. */
export function openPanel(panelTab: PanelTab, more: Pick<Partial<UiState>, 'windowShown'> = {}): void {
  const beside = window.matchMedia(`(min-width: ${panelBeside}px)`).matches
  setUi({ ...more, panelTab, ...(beside ? { panelOpen: true } : { sheet: true }) })
}

/** The theme is a cookie, so that the server paints the page right at once. */
export function chooseTheme(theme: Theme): void {
  setUi({ theme })
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in two of the large browsers.
  document.cookie = `baton-theme=${theme}; path=/; max-age=31536000; samesite=lax`
}

/** The language is a cookie, too: the server writes the page in it. The page is to be asked for anew. */
export function chooseLocale(locale: Locale): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in two of the large browsers.
  document.cookie = `${localeCookie}=${locale}; path=/; max-age=31536000; samesite=lax`
}
