/** The notes of the open thread: lists, texts and versions, read again when one is written; and a person's edit. */
import {
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ErrorFact } from '../protocol/error.ts'
import { type NoteFile, type NoteText, notePath, rootAgent } from '../protocol/note.ts'
import { api, factOf } from './api.ts'
import { useThread, useThreadStore } from './use-thread.ts'

/** Files, or versions of one. */
const pageFiles = 200

export type NoteList = { files: NoteFile[]; total: number }
/** A file by agent and path. */
export type NoteKey = Pick<NoteFile, 'agentPath' | 'path'>

/** Keeps lists and newest texts fresh while a screen shows them. */
export function useNotesChanges(): void {
  const queries = useQueryClient()
  const threadId = useThread((state) => state.threadId)
  const written = useThread((state) => (state.version >= 0 ? state.view.note?.seq : undefined) ?? 0)
  useEffect(() => {
    if (written > 0) void queries.invalidateQueries({ queryKey: ['notes', threadId] })
  }, [queries, threadId, written])
}

/** Files of the main agent, the ones written last first. */
export function useNoteList(): UseInfiniteQueryResult<NoteList> {
  const threadId = useThread((state) => state.threadId)
  return useInfiniteQuery({
    queryKey: ['notes', threadId, 'list'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.note.list.query(
        { threadId, limit: pageFiles, ...(pageParam === undefined ? {} : { after: pageParam }) },
        { signal },
      ),
    getNextPageParam: (page) => (page.files.length < pageFiles ? undefined : page.files.at(-1)?.path),
    select: ({ pages }) => ({
      files: pages.flatMap(({ files }) => files),
      total: pages[0]?.total ?? 0,
    }),
  })
}

/** The newest version, or the one asked for, which never changes. */
export function useNote({ agentPath, path }: NoteKey, version?: number): UseQueryResult<NoteText> {
  const threadId = useThread((state) => state.threadId)
  return useQuery({
    queryKey:
      version === undefined
        ? ['notes', threadId, 'newest', agentPath, path]
        : ['note-version', threadId, agentPath, path, version],
    ...(version === undefined ? {} : { staleTime: Number.POSITIVE_INFINITY }),
    queryFn: ({ signal }) =>
      api.note.read.query(
        { threadId, agentPath, path, ...(version === undefined ? {} : { version }) },
        { signal },
      ),
  })
}

/** Newest first. */
export function useNoteVersions({ agentPath, path }: NoteKey): UseInfiniteQueryResult<NoteFile[]> {
  const threadId = useThread((state) => state.threadId)
  return useInfiniteQuery({
    queryKey: ['notes', threadId, 'versions', agentPath, path],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.note.versions.query(
        {
          ...{ threadId, agentPath, path, limit: pageFiles },
          ...(pageParam === undefined ? {} : { before: pageParam }),
        },
        { signal },
      ),
    getNextPageParam: (page) => {
      const last = page.at(-1)?.version ?? 1
      return last > 1 ? last : undefined
    },
    select: ({ pages }) => pages.flat(),
  })
}

export type Saved = { ok: true; conflict: ErrorFact | null } | { ok: false; error: ErrorFact }

/** Writes a note as a person. `baseVersion`: the version that was edited, 0 for a new file. */
export function useSaveNote(): (note: NoteKey, text: string, baseVersion: number) => Promise<Saved> {
  const store = useThreadStore()
  return async (note, text, baseVersion) => {
    try {
      const path = notePath(note, rootAgent)
      const receipt = await store.submit({ type: 'note.write', path, text, baseVersion })
      if (receipt === null || receipt.status === 'refused')
        return { ok: false, error: receipt?.error ?? factOf(null) }
      return { ok: true, conflict: receipt.error ?? null }
    } catch (error) {
      return { ok: false, error: factOf(error) }
    }
  }
}
