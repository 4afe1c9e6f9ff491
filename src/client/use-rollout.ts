/** Hooks over an open rollout: one store per mounted page, handed down by context, its address kept in the browser's. */
import { createContext, useContext, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { sayAddress } from './address-bar.ts'
import { api } from './api.ts'
import { parseAddress, writeAddress } from './rollout-address.ts'
import { createRolloutStore, type RolloutState, type RolloutStore } from './rollout-store.ts'

const RolloutContext = createContext<RolloutStore | null>(null)
export const RolloutProvider = RolloutContext.Provider

/** Moves by key come faster than browsers take changes of the address. */
const writeAfterMs = 120

function createStore(threadId: string, first: string): RolloutStore {
  let timer: ReturnType<typeof setTimeout> | undefined
  return createRolloutStore(threadId, parseAddress(new URLSearchParams(first)), (next, push) => {
    clearTimeout(timer)
    const path = window.location.pathname
    const say = (how: 'pushState' | 'replaceState'): void => {
      if (window.location.pathname === path) sayAddress(how, path + writeAddress(next))
    }
    if (push) say('pushState')
    else timer = setTimeout(() => say('replaceState'), writeAfterMs)
  })
}

/**
 * Opens a rollout for as long as the component is mounted; follows "back" and its growth. `first` is what the address says
 * as it is mounted: the browser's own is changed only after that.
 */
export function useOpenRollout(threadId: string, first: string): RolloutStore {
  const [store] = useState(() => createStore(threadId, first))
  useEffect(() => store.open(), [store])
  useEffect(() => {
    const back = (): void => store.follow(parseAddress(new URLSearchParams(window.location.search)))
    window.addEventListener('popstate', back)
    return () => window.removeEventListener('popstate', back)
  }, [store])
  useGrowth(store)
  return store
}

/** Listens to the thread from where the skeleton ended; what comes is only counted. */
function useGrowth(store: RolloutStore): void {
  const head = useStore(store, ({ skeleton }) => (skeleton === null ? null : 0))
  useEffect(() => {
    if (head === null) return
    const { threadId, skeleton } = store.getState()
    const subscription = api.thread.live.subscribe(
      { threadId, after: skeleton?.head ?? 0 },
      {
        onData: (message) => {
          const data = 'data' in message ? message.data : message
          if (data.type === 'events') store.grown(data.events.at(-1)?.seq ?? 0)
          if (data.type === 'ready') store.grown(data.head)
        },
      },
    )
    return () => subscription.unsubscribe()
  }, [store, head])
}

export function useRolloutStore(): RolloutStore {
  const store = useContext(RolloutContext)
  if (store === null) throw new Error('outside of a rollout')
  return store
}

export const useRollout = <T>(select: (state: RolloutState) => T): T => useStore(useRolloutStore(), select)
