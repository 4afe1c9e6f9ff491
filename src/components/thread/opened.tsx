'use client'
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
import { createStore, type StoreApi, useStore } from 'zustand'

/** `sought`: an item to be brought into view; `n` makes each wish a new one. */
type Opened = { keys: ReadonlyMap<string, boolean>; sought: { itemId: string; n: number } | null }

const OpenedContext = createContext<StoreApi<Opened> | null>(null)

/** What a person has opened and closed in this thread; rows forget it when they leave the screen, this does not. */
export function OpenedProvider({ children }: { children: ReactNode }) {
  const [store] = useState(() => createStore<Opened>(() => ({ keys: new Map(), sought: null })))
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

/** The item that find has led to. */
export const useSought = (): Opened['sought'] => useStore(useOpenedStore(), (state) => state.sought)

/** Brings an item into view: opens it, and the turn that it is folded into. */
export function useSeek(): (itemId: string, turnId: string | null) => void {
  const store = useOpenedStore()
  return useCallback(
    (itemId, turnId) =>
      store.setState(({ keys, sought }) => {
        const opened = new Map(keys).set(itemId, true)
        if (turnId !== null) opened.set(`turn:${turnId}`, true)
        return { keys: opened, sought: { itemId, n: (sought?.n ?? 0) + 1 } }
      }),
    [store],
  )
}
