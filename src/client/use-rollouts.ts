/** Hooks over all rollouts that one may read: the list by pages, and find in all of them. */
import {
  type InfiniteData,
  keepPreviousData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query'
import type { SearchAnswer, SearchMode } from '../protocol/history.ts'
import { api, type Inputs, type Outputs } from './api.ts'

export type RolloutListFilter = Omit<Inputs['rollout']['list'], 'cursor' | 'limit'>
type RolloutListPage = Outputs['rollout']['list']

const pageRollouts = 50
const pageHits = 40

export const useRollouts = (
  filter: RolloutListFilter,
): UseInfiniteQueryResult<InfiniteData<RolloutListPage>> =>
  useInfiniteQuery({
    queryKey: ['rollouts', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.rollout.list.query(
        { ...filter, limit: pageRollouts, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
        { signal },
      ),
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
    placeholderData: keepPreviousData,
  })

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
    placeholderData: keepPreviousData,
  })
