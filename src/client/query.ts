/**
 * Lists and other things that are read whole: sessions, threads, projects, providers, names. A thread that is open on the
 * screen is not here; it has a store of its own.
 */
import {
  keepPreviousData,
  QueryClient,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ThreadRole } from '../protocol/access.ts'
import type { Project, Provider } from '../protocol/settings.ts'
import type { ThreadListChange, ThreadProjection } from '../protocol/thread.ts'
import { api, type Inputs, type Me } from './api.ts'
import { readAgain, whenRead } from './read-again.ts'

export type ThreadFilter = Inputs['thread']['list']
/** `roles`: the reader's on each thread that is not their own. */
type ThreadPage = { threads: ThreadProjection[]; roles: Record<string, ThreadRole | null> }

export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: { staleTime: 30_000, retry: 1, refetchOnWindowFocus: false, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  })

export const keys = {
  me: ['me'] as const,
  threads: ['threads'] as const,
  projects: ['projects'] as const,
  providers: ['providers'] as const,
}

export const useMe = (): UseQueryResult<Me> =>
  useQuery({ queryKey: keys.me, queryFn: () => api.session.me.query(), staleTime: 60_000 })

export const useThreads = (filter: ThreadFilter): UseQueryResult<ThreadPage> =>
  useQuery({
    queryKey: [...keys.threads, filter],
    queryFn: ({ signal }) => api.thread.list.query(filter, { signal }),
    placeholderData: keepPreviousData,
  })

export const useProjects = (): UseQueryResult<Project[]> =>
  useQuery({ queryKey: keys.projects, queryFn: () => api.project.list.query() })

export const useProviders = (): UseQueryResult<Provider[]> =>
  useQuery({ queryKey: keys.providers, queryFn: () => api.provider.list.query() })

/** Names of people by id; ids that are no user's (`agent`, `system`) are left out. */
export function useNames(ids: readonly string[]): Map<string, string> {
  const asked = [...new Set(ids)].filter((id) => id.startsWith('usr_')).sort()
  const { data } = useQuery({
    queryKey: ['names', asked],
    queryFn: () => api.member.names.query({ ids: asked }),
    enabled: asked.length > 0,
    staleTime: 300_000,
    placeholderData: keepPreviousData,
  })
  return new Map(data?.map(({ id, name }) => [id, name]))
}

function changeList(page: ThreadPage, filter: ThreadFilter, change: ThreadListChange): ThreadPage {
  const id = change.type === 'removed' ? change.threadId : change.projection.id
  const others = page.threads.filter((thread) => thread.id !== id)
  if (change.type === 'removed') return { ...page, threads: others }
  const { projection } = change
  const fits =
    projection.archived === (filter.archived ?? false) &&
    (filter.projectId === undefined || filter.projectId === projection.projectId) &&
    // Whether it fits a search only the server knows: a row that is shown is kept fresh, others are not added.
    (filter.search === undefined || others.length < page.threads.length)
  if (!fits) return { ...page, threads: others }
  const threads = [projection, ...others].sort((a, b) => b.updatedAt - a.updatedAt)
  return { ...page, threads }
}

/** Keeps every cached list of threads fresh while mounted; once per tab. */
export function useListChanges(enabled: boolean): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (!enabled) return
    const late: ThreadListChange[] = []
    const asked = new Set<string>()
    /** What somebody shared comes without the reader's role on it: the lists are read again, once for each thread. */
    const askRole = (change: ThreadListChange): void => {
      if (change.type === 'removed') return void asked.delete(change.threadId)
      const { id, ownerId } = change.projection
      const pages = queries.getQueriesData<ThreadPage>({ queryKey: keys.threads })
      const isKnown =
        ownerId === queries.getQueryData<Me>(keys.me)?.user?.id ||
        pages.some(([, page]) => page?.roles[id] !== undefined)
      if (isKnown || asked.has(id)) return
      asked.add(id)
      void readAgain(queries, keys.threads)
    }
    const apply = (change: ThreadListChange): void => {
      askRole(change)
      for (const [key, page] of queries.getQueriesData<ThreadPage>({ queryKey: keys.threads })) {
        const filter = key[1] as ThreadFilter | undefined
        if (page && filter) queries.setQueryData(key, changeList(page, filter, change))
      }
    }
    const subscription = api.thread.listChanges.subscribe(undefined, {
      // What changed while nobody listened is in no message; the first time, too: a list is read before it is listened for.
      onStarted: () => void readAgain(queries, keys.threads),
      onData: (change) => {
        apply(change)
        // A list that is on its way may be older, and takes the place of what was changed here.
        const read = whenRead(queries, keys.threads)
        if (read === null) return
        late.push(change)
        if (late.length === 1) void read.then(() => late.splice(0).forEach(apply))
      },
    })
    return () => subscription.unsubscribe()
  }, [enabled, queries])
}

type ThreadChange =
  | { type: 'rename'; threadId: string; title: string }
  | { type: 'pin'; threadId: string; pinned: boolean }
  | { type: 'archive'; threadId: string; archived: boolean }
  | { type: 'delete'; threadId: string }
  /** The reader leaves a thread that somebody shared. */
  | { type: 'leave'; threadId: string }

const send = (change: ThreadChange): Promise<unknown> => {
  switch (change.type) {
    case 'rename':
      return api.thread.rename.mutate({ threadId: change.threadId, title: change.title })
    case 'pin':
      return api.thread.pin.mutate({ threadId: change.threadId, pinned: change.pinned })
    case 'archive':
      return api.thread.archive.mutate({ threadId: change.threadId, archived: change.archived })
    case 'delete':
      return api.thread.delete.mutate({ threadId: change.threadId })
    case 'leave':
      return api.sharing.leave.mutate({ threadId: change.threadId })
  }
}

/** Renames, pins, archives or deletes a thread; lists are read again afterwards. */
export function useChangeThread() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: send,
    onMutate: (change) => {
      queries.setQueriesData<ThreadPage>({ queryKey: keys.threads }, (page) => {
        if (!page) return page
        const changed = (thread: ThreadProjection): ThreadProjection => {
          if (thread.id !== change.threadId) return thread
          if (change.type === 'rename') return { ...thread, title: change.title }
          if (change.type === 'pin') return { ...thread, pinned: change.pinned }
          return thread
        }
        const gone = change.type === 'delete' || change.type === 'archive'
        const kept = gone ? page.threads.filter((thread) => thread.id !== change.threadId) : page.threads
        return { ...page, threads: kept.map(changed) }
      })
    },
    onSettled: () => queries.invalidateQueries({ queryKey: keys.threads }),
  })
}
