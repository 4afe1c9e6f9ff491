/** Hooks over the windows of the open thread: how each was opened, what fills it, what is pinned, how full it is. */
import { type QueryClient, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { ThreadEvent } from '../protocol/event.ts'
import { foldPage } from '../protocol/fold.ts'
import { windowNumber } from '../protocol/item.ts'
import type { WindowBlockRow } from '../protocol/thread.ts'
import type { WindowView } from '../protocol/view.ts'
import { api, type Outputs } from './api.ts'
import { useThread, useThreadStore } from './use-thread.ts'
import { type Fill, fillOf, lastStepOf, type StepFigures } from './windows.ts'

/** Blocks of one answer, and the most that are read of one window. */
const pageBlocks = 1_000
const mostBlocks = 10_000

/** How full the open window is; null before the first step, and in threads that never had one. */
export function useFill(): Fill | null {
  const used = useThread(
    (state) => state.view.context?.value.contextTokens ?? state.projection?.contextTokens ?? null,
  )
  const limit = useThread(
    (state) => state.view.context?.value.contextLimit ?? state.projection?.contextLimit ?? null,
  )
  const cached = useThread((state) => state.view.context?.value.cachedInput ?? 0)
  return used === null || limit === null ? null : fillOf(used, limit, cached)
}

/** Figures of the newest counted step of the events that are here. */
export function useLastStep(): StepFigures | null {
  const store = useThreadStore()
  const seq = useThread((state) => state.view.context?.seq ?? 0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is changed in place; the step's seq says when.
  return useMemo(() => lastStepOf(store.getState().view.steps.values()), [store, seq])
}

/** Number of the open window as people count: from 1. */
export const useWindowNumber = (): number | null =>
  useThread((state) => {
    const index = state.view.window?.value.index ?? state.projection?.windowIndex ?? null
    return index === null ? null : windowNumber(index)
  })

/**
 * Every window of the thread, oldest first. Those that the loaded events tell of are there at once; the others come from
 * the server.
 */
export function useWindows(): { windows: WindowView[]; isPending: boolean; error: unknown; again(): void } {
  const store = useThreadStore()
  const threadId = useThread((state) => state.threadId)
  const version = useThread((state) => state.version)
  const head = useThread((state) => state.view.window?.seq ?? 0)
  const open = useThread((state) => state.phase === 'open')
  const hasOlder = useThread((state) => state.before !== null)
  const stored = useQuery({
    queryKey: ['windows', threadId, head],
    enabled: open && hasOlder,
    queryFn: async () => {
      const events: ThreadEvent[] = []
      for (let after: number | null = 0; after !== null; ) {
        const page: Outputs['thread']['windows'] = await api.thread.windows.query({ threadId, after })
        events.push(...page.events)
        after = page.next
      }
      return joinWindows(events)
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is changed in place; its version says when.
  const windows = useMemo(() => {
    const all = new Map(stored.data?.map((window) => [window.windowId, window]))
    for (const window of store.getState().view.windows.values()) all.set(window.windowId, window)
    return [...all.values()].sort((a, b) => a.index - b.index)
  }, [store, version, stored.data])
  return {
    windows,
    isPending: !open || (hasOlder && stored.isPending),
    error: stored.error,
    again: () => void stored.refetch(),
  }
}

/** Events of windows alone have holes between their seqs, which a fold of pages would stop at. */
function joinWindows(events: readonly ThreadEvent[]): WindowView[] {
  const windows = new Map<string, WindowView>()
  for (const event of events) {
    const opened = foldPage([event]).windows.get(event.windowId)
    if (opened !== undefined) windows.set(event.windowId, opened)
    const known = windows.get(event.windowId)
    if (event.type === 'window.closed' && known !== undefined)
      windows.set(event.windowId, { ...known, closed: { ...event.body, at: event.at } })
  }
  return [...windows.values()]
}

async function readBlocks(
  queries: QueryClient,
  key: readonly unknown[],
  threadId: string,
  windowId: string,
  signal: AbortSignal,
): Promise<WindowBlockRow[]> {
  // A window only grows: what is known need not be asked for again.
  const blocks = [...(queries.getQueryData<WindowBlockRow[]>(key) ?? [])]
  let from: number | null = blocks.length
  while (from !== null && blocks.length < mostBlocks) {
    const page: { blocks: WindowBlockRow[]; next: number | null } = await api.thread.windowBlocks.query(
      { threadId, windowId, from, limit: pageBlocks },
      { signal },
    )
    blocks.push(...page.blocks)
    from = page.next
  }
  return blocks
}

/** What fills a window, in its order; read on as the open window grows. */
export function useWindowBlocks(windowId: string | undefined): UseQueryResult<WindowBlockRow[]> {
  const queries = useQueryClient()
  const threadId = useThread((state) => state.threadId)
  const grown = useThread((state) =>
    state.view.window?.value.id === windowId ? (state.view.context?.seq ?? 0) : 0,
  )
  const key = useMemo(() => ['window-blocks', threadId, windowId], [threadId, windowId])
  const query = useQuery({
    queryKey: key,
    enabled: windowId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => readBlocks(queries, key, threadId, windowId ?? '', signal),
  })
  useEffect(() => {
    if (grown > 0) void queries.invalidateQueries({ queryKey: key })
  }, [queries, key, grown])
  return query
}

/** Items that come along into every new window, oldest pin first. */
export function usePinned(): string[] {
  const store = useThreadStore()
  const version = useThread((state) => state.version)
  const stored = useThread((state) => state.projection?.pinnedItems)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is changed in place; its version says when.
  return useMemo(() => {
    const pinned = new Set(stored)
    for (const [itemId, { value }] of store.getState().view.pins)
      if (value) pinned.add(itemId)
      else pinned.delete(itemId)
    return [...pinned]
  }, [store, version, stored])
}
