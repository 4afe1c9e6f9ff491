/**
 * History and search as their readers get them: agents by their port, people by doors. Puts the rule of who may see what
 * in front of both. Knows no running thread.
 */
import { Fault } from '../../protocol/error.ts'
import { rootAgent } from '../../protocol/note.ts'
import { mayReadThread } from '../access/permission.ts'
import type { Actor, Reader } from '../access/types.ts'
import { listItems, listWindows, readItem } from '../search/history.ts'
import { type MayRead, search } from '../search/search.ts'
import type { Store, ThreadAgent } from '../store/types.ts'
import type { HistoryPort } from '../tools/types.ts'
import { findAgent } from './agents.ts'
import type { ReadingApi } from './types.ts'

/** Asks the rule for threads as their rows are now; what was deleted is seen by nobody. */
const mayRead =
  (store: Pick<Store, 'threads' | 'sharing'>, reader: Reader): MayRead =>
  async (threadIds) => {
    const rows =
      reader.type === 'agent'
        ? (await store.threads.agents(threadIds)).map((row) => ({ ...row, role: null }))
        : [...(await store.sharing.access(threadIds, reader.actor.userId)).values()]
    return new Set(rows.filter((row) => mayReadThread(reader, row)).map(({ threadId }) => threadId))
  }

/** What an agent may look up: its own past, and that of the others in its tree of threads by their names. */
export const createHistory = (store: Store, self: ThreadAgent): HistoryPort => {
  const visible = mayRead(store, { type: 'agent', rootThreadId: self.rootThreadId })
  const threadOf = (asked: string | undefined) => findAgent(store, self, asked)
  return {
    windows: async ({ agentPath: asked, ...page }) => {
      const { threadId, agentPath } = await threadOf(asked)
      return listWindows(store, visible, threadId, agentPath, page)
    },
    items: async ({ agentPath: asked, ...filter }) => {
      const { threadId, agentPath } = await threadOf(asked)
      return listItems(store, visible, threadId, { ...filter, agentPath })
    },
    read: async ({ agentPath: asked, ...part }) => {
      const { threadId, agentPath } = await threadOf(asked)
      return readItem(store, visible, threadId, { ...part, agentPath })
    },
    search: async ({ agentPath: asked, query, recentFirst, best, ...filter }) => {
      const { threadId } = await threadOf(asked)
      const order = best ? 'best' : recentFirst ? 'newest' : 'oldest'
      return search(store, visible, { ...filter, order, text: query, scope: { type: 'thread', threadId } })
    },
  }
}

/** What doors may look up for a person. */
export const createReading = (store: Store): ReadingApi => {
  const visible = (actor: Actor): MayRead => mayRead(store, { type: 'person', actor })
  const notesOf = async (threadId: string, asked?: string) => {
    const [self] = await store.threads.agents([threadId])
    return { rootThreadId: self?.rootThreadId ?? threadId, agentPath: asked ?? self?.agentPath ?? rootAgent }
  }
  const noNote = (): Fault =>
    new Fault('not_found', 'There is no such note, or no such version of it.', 'Choose one from the list.')
  return {
    noteList: async (threadId, { agentPath, prefix, limit, after }) => {
      const order = { orderBy: 'updated_at', descending: true, limit } as const
      return store.notes.list(await notesOf(threadId, agentPath), prefix, {
        ...order,
        ...(after === undefined ? {} : { after }),
      })
    },
    noteRead: async (threadId, { agentPath, path, version }) => {
      const found = await store.notes.read(await notesOf(threadId, agentPath), path, version)
      if (!found) throw noNote()
      return found
    },
    noteVersions: async (threadId, { agentPath, path, before, limit = 200 }) =>
      store.notes.versions(await notesOf(threadId, agentPath), path, {
        limit,
        ...(before === undefined ? {} : { before }),
      }),
    historyWindows: (actor, threadId, page) => listWindows(store, visible(actor), threadId, rootAgent, page),
    historyItems: (actor, threadId, filter) => listItems(store, visible(actor), threadId, filter),
    historyItem: (actor, threadId, part) => readItem(store, visible(actor), threadId, part),
    search: (actor, { threadId, ...request }) =>
      search(store, visible(actor), {
        ...request,
        scope:
          threadId === undefined ? { type: 'reader', userId: actor.userId } : { type: 'thread', threadId },
      }),
  }
}
