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
import type { Store } from '../store/types.ts'
import type { HistoryPort } from '../tools/types.ts'
import type { ReadingApi } from './types.ts'

/** Asks the rule for threads as their rows are now; what was deleted is seen by nobody. */
const mayRead =
  (store: Pick<Store, 'threads'>, reader: Reader): MayRead =>
  async (threadIds) => {
    const rows = await store.threads.many(threadIds)
    const seen = rows.filter(({ id, ownerId }) =>
      mayReadThread(reader, { threadId: id, rootThreadId: id, ownerId }),
    )
    return new Set(seen.map(({ id }) => id))
  }

/** A name as another agent writes it: absolute, or relative to its own. */
export const agentNamed = (asked: string | undefined, self: string): string =>
  asked === undefined ? self : asked.startsWith('/') ? asked : `${self}/${asked}`

const noAgent = (name: string): Fault =>
  new Fault(
    'not_found',
    `There is no agent ${JSON.stringify(name.slice(0, 100))} in this thread.`,
    `Leave the name out to look into your own past; the main agent is ${rootAgent}.`,
  )

/** What an agent of the thread may look up. Agents have no threads of their own yet: there is one, the main agent. */
export const createHistory = (store: Store, threadId: string): HistoryPort => {
  const visible = mayRead(store, { type: 'agent', rootThreadId: threadId })
  const agentOf = (asked: string | undefined): string => {
    const agentPath = agentNamed(asked, rootAgent)
    if (agentPath !== rootAgent) throw noAgent(agentPath)
    return agentPath
  }
  return {
    windows: async ({ agentPath, ...page }) =>
      listWindows(store, visible, threadId, agentOf(agentPath), page),
    items: async ({ agentPath, ...filter }) =>
      listItems(store, visible, threadId, { ...filter, agentPath: agentOf(agentPath) }),
    read: async ({ agentPath, ...part }) =>
      readItem(store, visible, threadId, { ...part, agentPath: agentOf(agentPath) }),
    search: async ({ agentPath, query, ...filter }) =>
      search(store, visible, {
        ...filter,
        agentPath: agentOf(agentPath),
        text: query,
        scope: { type: 'thread', threadId },
      }),
  }
}

/** What doors may look up for a person. */
export const createReading = (store: Store): ReadingApi => {
  const visible = (actor: Actor): MayRead => mayRead(store, { type: 'person', actor })
  const notesOf = (threadId: string, agentPath = rootAgent) => ({ rootThreadId: threadId, agentPath })
  const noNote = (): Fault =>
    new Fault('not_found', 'There is no such note, or no such version of it.', 'Choose one from the list.')
  return {
    noteList: async (threadId, { agentPath, prefix, limit, after }) => {
      const order = { orderBy: 'updated_at', descending: true, limit } as const
      return store.notes.list(notesOf(threadId, agentPath), prefix, {
        ...order,
        ...(after === undefined ? {} : { after }),
      })
    },
    noteRead: async (threadId, { agentPath, path, version }) => {
      const found = await store.notes.read(notesOf(threadId, agentPath), path, version)
      if (!found) throw noNote()
      return found
    },
    noteVersions: (threadId, { agentPath, path }) => store.notes.versions(notesOf(threadId, agentPath), path),
    historyWindows: (actor, threadId, page) => listWindows(store, visible(actor), threadId, rootAgent, page),
    historyItems: (actor, threadId, filter) => listItems(store, visible(actor), threadId, filter),
    historyItem: (actor, threadId, part) => readItem(store, visible(actor), threadId, part),
    search: (actor, { threadId, ...request }) =>
      search(store, visible(actor), {
        ...request,
        scope:
          threadId === undefined ? { type: 'owner', ownerId: actor.userId } : { type: 'thread', threadId },
      }),
  }
}
