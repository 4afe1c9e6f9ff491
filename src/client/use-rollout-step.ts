/** Hooks over one step of the open rollout: its blocks by range, the rules of its window, other steps by number. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { RequestBlock, RolloutRow, RolloutStep } from '../protocol/rollout.ts'
import { api } from './api.ts'
import type { RuleFile } from './rollout-rules.ts'
import { useRollout } from './use-rollout.ts'

const pageBlocks = 200
/** Up to so many blocks all of them are read, so that shares can be told. */
const wholeBlocks = 1_200

export type BlockPages = {
  get(idx: number): RequestBlock | undefined
  /** All blocks, once they are here; null while they are not, and of very long requests. */
  all: RequestBlock[] | null
}

/** Blocks of a step's request: those in range, and all of them when they are not many. */
export function useBlockPages(step: RolloutStep, range: { first: number; last: number }): BlockPages {
  const threadId = useRollout((state) => state.threadId)
  const { blockCount } = step
  const stepId = step.row.stepId ?? ''
  const lastPage = Math.max(0, Math.ceil(blockCount / pageBlocks) - 1)
  const pages = useMemo(() => {
    const [first, last] =
      blockCount <= wholeBlocks
        ? [0, lastPage]
        : [Math.floor(range.first / pageBlocks), Math.min(lastPage, Math.floor(range.last / pageBlocks))]
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  }, [blockCount, lastPage, range.first, range.last])
  return useQueries({
    queries: pages.map((page) => ({
      queryKey: ['rollout', threadId, 'blocks', stepId, page],
      staleTime: Number.POSITIVE_INFINITY,
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.rollout.blocks.query(
          { threadId, stepId, from: page * pageBlocks, limit: pageBlocks },
          { signal },
        ),
    })),
    combine: (answers) => {
      const known = new Map<number, RequestBlock>()
      for (const { data } of answers) for (const block of data?.blocks ?? []) known.set(block.idx, block)
      return {
        get: (idx: number) => known.get(idx),
        all: known.size === blockCount ? [...known.values()].sort((a, b) => a.idx - b.idx) : null,
      }
    },
  })
}

/** Files of rules with the hashes that were recorded when a window was opened. */
export function useRulesOfWindow(windowId: string): RuleFile[] {
  const threadId = useRollout((state) => state.threadId)
  const opened = useQuery({
    queryKey: ['rollout', threadId, 'window', windowId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await api.thread.windows.query({ threadId, windowId })).events,
  })
  return useMemo(() => {
    for (const event of opened.data ?? []) if (event.type === 'window.opened') return event.body.rules ?? []
    return []
  }, [opened.data])
}

/** The row of a step by its number in the rollout; undefined while it is not known or when there is none. */
export function useStepByNumber(number: number): RolloutRow | undefined {
  const threadId = useRollout((state) => state.threadId)
  const { data } = useQuery({
    queryKey: ['rollout', threadId, 'step-number', number],
    enabled: number >= 1,
    queryFn: async () =>
      (await api.rollout.rows.query({ threadId, filter: { kinds: ['step'] }, from: number - 1, limit: 1 }))
        .rows[0] ?? null,
  })
  return data ?? undefined
}
