/** The audit log as its page reads it: newest first, page by page. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { api, type Inputs, type Outputs } from './api.ts'

export type AuditFilter = Pick<Inputs['audit']['list'], 'actorId' | 'action' | 'from' | 'to'>
type Page = Outputs['audit']['list']

export const useAudit = (filter: AuditFilter) =>
  useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }): Promise<Page> =>
      api.audit.list.query({ ...filter, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.cursor,
    staleTime: 0,
  })
