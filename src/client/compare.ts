/**
 * Two rollouts side by side as a tab reads them: the figures once, lines by page, what a line says when it is opened.
 */
import { keepPreviousData, type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query'
import type { CompareDetail, CompareLine, DifferenceField, RolloutComparison } from '../protocol/compare.ts'
import type { RequestDifference } from '../protocol/rollout.ts'
import { api } from './api.ts'

const pageLines = 100

export const useComparison = (a: string, b: string): UseQueryResult<RolloutComparison> =>
  useQuery({
    queryKey: ['compare', a, b],
    enabled: a !== '' && b !== '',
    staleTime: Number.POSITIVE_INFINITY,
    // What was compared is compared anew when one comes back to it: rollouts go on.
    refetchOnMount: 'always',
    queryFn: ({ signal }) => api.compare.get.query({ a, b }, { signal }),
  })

type Heads = { a: string; b: string; headA: number; headB: number }

export const headsOf = ({ a, b }: RolloutComparison): Heads => ({
  a: a.threadId,
  b: b.threadId,
  headA: a.head,
  headB: b.head,
})

/**
 * Lines around those that are visible, by their place in the list; `total` is that of the list. A page that is not here
 * yet leaves its places empty.
 */
export function useCompareLines(
  heads: Heads,
  only: readonly DifferenceField[],
  first: number,
  last: number,
): { at: (place: number) => CompareLine | undefined; total: number | undefined; error: unknown } {
  const from = Math.max(0, Math.floor(first / pageLines))
  const to = Math.max(from, Math.floor(last / pageLines))
  const pages = Array.from({ length: to - from + 1 }, (_, n) => from + n)
  const found = useQueries({
    queries: pages.map((page) => ({
      queryKey: ['compare-lines', heads, only, page],
      staleTime: Number.POSITIVE_INFINITY,
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.compare.lines.query(
          {
            ...heads,
            from: page * pageLines,
            limit: pageLines,
            ...(only.length === 0 ? {} : { only: [...only] }),
          },
          { signal },
        ),
    })),
  })
  return {
    at: (place) => found[Math.floor(place / pageLines) - from]?.data?.lines[place % pageLines],
    total: found.find(({ data }) => data !== undefined)?.data?.total,
    error: found.find(({ error }) => error !== null)?.error ?? null,
  }
}

export const useCompareDetail = (heads: Heads, line: number | null): UseQueryResult<CompareDetail> =>
  useQuery({
    queryKey: ['compare-detail', heads, line],
    enabled: line !== null,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => api.compare.detail.query({ ...heads, line: line ?? 0 }, { signal }),
  })

/** Which blocks the request of one step had that the other's had not. */
export const useWindowsApart = (
  a: string,
  b: string,
  stepA: string | null,
  stepB: string | null,
): UseQueryResult<RequestDifference> =>
  useQuery({
    queryKey: ['compare-windows', a, b, stepA, stepB],
    enabled: stepA !== null && stepB !== null,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      api.compare.windows.query({ a, b, stepA: stepA ?? '', stepB: stepB ?? '' }, { signal }),
  })

/** The difference before or behind a line; null when there is none. `lines` ascend. */
export function nextDifference(lines: readonly number[], line: number, by: 1 | -1): number | null {
  let low = 0
  let high = lines.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((lines[middle] ?? 0) < (by > 0 ? line + 1 : line)) low = middle + 1
    else high = middle
  }
  return lines[by > 0 ? low : low - 1] ?? null
}
