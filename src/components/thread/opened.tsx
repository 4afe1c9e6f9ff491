'use client'
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import { createStore, type StoreApi, useStore } from 'zustand'

type Opened = { keys: ReadonlyMap<string, boolean> }

const OpenedContext = createContext<StoreApi<Opened> | null>(null)

/** What a person has opened and closed in this thread; rows forget it when they leave the screen, this does not. */
export function OpenedProvider({ children }: { children: ReactNode }) {
  const [store] = useState(() => createStore<Opened>(() => ({ keys: new Map() })))
  return <OpenedContext.Provider value={store}>{children}</OpenedContext.Provider>
}

const useOpenedStore = (): StoreApi<Opened> => {
  const store = useContext(OpenedContext)
  if (store === null) throw new Error('outside of a thread')
  return store
}

/** Whether something is open: what the person chose, else `fallback`. */
export function useOpened(key: string, fallback = false): [boolean, (open: boolean) => void] {
  const store = useOpenedStore()
  const chosen = useStore(store, (state) => state.keys.get(key))
  const set = (open: boolean): void => store.setState(({ keys }) => ({ keys: new Map(keys).set(key, open) }))
  return [chosen ?? fallback, set]
}

/** Ids of the finished turns whose work is shown. */
export function useUnfolded(): ReadonlySet<string> {
  const keys = useStore(useOpenedStore(), (state) => state.keys)
  return useMemo(
    () =>
      new Set(
        [...keys]
          .filter(([key, open]) => open && key.startsWith('turn:'))
          .map(([key]) => key.slice('turn:'.length)),
      ),
    [keys],
  )
}
