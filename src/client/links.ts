/** Public links as their makers, and whoever keeps the team, read and end them. */
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { LinkSettings } from '../protocol/link.ts'
import { api, type Inputs, type Outputs } from './api.ts'

const keys = {
  all: ['links'] as const,
  ofThread: (threadId: string) => ['links', 'thread', threadId] as const,
  list: (whose: Whose) => ['links', whose] as const,
  openings: (linkId: string) => ['links', 'openings', linkId] as const,
}

/** One's own, or those of the whole team. */
export type Whose = 'mine' | 'all'

export const useLinksOfThread = (threadId: string) =>
  useQuery({
    queryKey: keys.ofThread(threadId),
    queryFn: () => api.link.ofThread.query({ threadId }),
    staleTime: 0,
  })

export const useLinks = (whose: Whose, enabled = true) =>
  useInfiniteQuery({
    queryKey: keys.list(whose),
    queryFn: ({ pageParam }): Promise<Outputs['link']['all']> =>
      whose === 'mine'
        ? api.link.mine.query({ cursor: pageParam })
        : api.link.all.query({ cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.cursor,
    staleTime: 0,
    enabled,
  })

/** `threadId` null = as who keeps the team. */
export const useLinkOpenings = (linkId: string, threadId: string | null) =>
  useQuery({
    queryKey: keys.openings(linkId),
    queryFn: () =>
      threadId === null
        ? api.link.openingsOfAny.query({ linkId })
        : api.link.openings.query({ threadId, linkId }),
    staleTime: 0,
  })

/** Looks through the thread: takes its time with a long one. */
export const usePreviewLink = (threadId: string) =>
  useMutation({ mutationFn: (settings: LinkSettings) => api.link.preview.mutate({ threadId, settings }) })

export function useCreateLink(threadId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (input: Omit<Inputs['link']['create'], 'threadId'>) =>
      api.link.create.mutate({ threadId, ...input }),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.all }),
  })
}

/** As the owner of the thread, as its maker, or as who keeps the team. */
export type RevokeAs = { threadId: string } | 'maker' | 'keeper'

export function useRevokeLink(as: RevokeAs) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (linkId: string) =>
      as === 'maker'
        ? api.link.revokeMine.mutate({ linkId })
        : as === 'keeper'
          ? api.link.end.mutate({ linkId })
          : api.link.revoke.mutate({ threadId: as.threadId, linkId }),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.all }),
  })
}
