'use client'
import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import { type FindState, type FindStore, noFind } from '../../../client/thread-find.ts'

const FindContext = createContext<FindStore | null>(null)
export const FindProvider = FindContext.Provider

const nothing = createStore<FindState>(() => noFind)

export function useFindStore(): FindStore {
  const store = useContext(FindContext)
  if (store === null) throw new Error('outside of find')
  return store
}

/** What is looked for on this page; nothing where there is no find. */
export function useFind(): { query: string; words: boolean } {
  const store = useContext(FindContext)
  const query = useStore(store ?? nothing, (state) => (state.open ? state.query : ''))
  const words = useStore(store ?? nothing, (state) => state.mode === 'words')
  return { query, words }
}
