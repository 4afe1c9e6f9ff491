'use client'
import { Separator, useDefaultLayout } from 'react-resizable-panels'

/** Where nothing can be kept: while the server draws the page. */
const nowhere = { getItem: () => null, setItem: () => undefined }

/** Two panels side by side as the browser keeps them, under `baton.<name>`; for the `Group` that they stand in. */
export const useKeptLayout = (name: string, panelIds: string[]) =>
  useDefaultLayout({
    id: `baton.${name}`,
    panelIds,
    storage: typeof localStorage === 'undefined' ? nowhere : localStorage,
  })

/** What is drawn to make one of two panels wider. */
export function SplitHandle({ label }: { label: string }) {
  return (
    <Separator
      aria-label={label}
      className="relative w-px bg-line transition-colors duration-100 after:absolute after:inset-y-0 after:-inset-x-1 data-[separator=active]:bg-brand data-[separator=hover]:bg-brand"
    />
  )
}
