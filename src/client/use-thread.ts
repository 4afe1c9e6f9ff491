/** Hooks over an open thread: one store per mounted thread page, handed down by context. */
import { createContext, useContext, useEffect, useMemo, useState } from 'react'
import { useStore } from 'zustand'
import type { DeltaPart } from '../protocol/item.ts'
import { type LivePiece, liveKey } from '../protocol/live-text.ts'
import type { ItemView } from '../protocol/view.ts'
import { deriveRows, type Row } from './rows.ts'
import { createThreadStore, type ThreadState, type ThreadStore } from './thread-store.ts'

const ThreadContext = createContext<ThreadStore | null>(null)
export const ThreadProvider = ThreadContext.Provider

/** Opens a thread for as long as the component is mounted. */
export function useOpenThread(threadId: string): ThreadStore {
  const [store, setStore] = useState(() => createThreadStore(threadId))
  const current = store.getState().threadId === threadId ? store : null
  useEffect(() => {
    if (current === null) setStore(createThreadStore(threadId))
    else return current.open()
  }, [current, threadId])
  return store
}

export function useThreadStore(): ThreadStore {
  const store = useContext(ThreadContext)
  if (store === null) throw new Error('outside of a thread')
  return store
}

export const useThread = <T>(select: (state: ThreadState) => T): T => useStore(useThreadStore(), select)

export const useItem = (itemId: string): ItemView | undefined =>
  // The version makes the selector run; the entry itself is compared.
  useThread((state) => (state.version >= 0 ? state.view.items.get(itemId) : undefined))

/** Text in flight of one part of an item. */
export const useLive = (itemId: string, part: DeltaPart): LivePiece | undefined =>
  useThread((state) => state.live.get(liveKey(itemId, part)))

/** Rows of the thread's list, made again when durable events came or a turn was folded or unfolded. */
export function useRows(unfolded: ReadonlySet<string>): Row[] {
  const version = useThread((state) => state.version)
  const pending = useThread((state) => state.pending)
  const before = useThread((state) => state.before)
  const store = useThreadStore()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is changed in place; its version says when.
  return useMemo(
    () => deriveRows(store.getState().view, { unfolded, pending, hasOlder: before !== null }),
    [store, version, pending, before, unfolded],
  )
}
