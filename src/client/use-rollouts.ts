/** Hooks over all rollouts that one may read: find in all of them. */
import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query'
import type { SearchAnswer, SearchMode } from '../protocol/history.ts'
import { api } from './api.ts'

const pageHits = 40

/** Hits in every rollout that the reader may see, newest first. */
export const useFindAll = (
  text: string,
  mode: SearchMode,
): UseInfiniteQueryResult<InfiniteData<SearchAnswer>> =>
  useInfiniteQuery({
    queryKey: ['find-all', text, mode],
    enabled: text.trim() !== '',
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.history.searchAll.query(
        {
          text,
          mode,
          limit: pageHits,
          count: pageParam === undefined,
          ...(pageParam === undefined ? {} : { cursor: pageParam }),
        },
        { signal },
      ),
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
    placeholderData: (before) => before,
  })
