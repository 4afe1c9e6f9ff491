/**
 * A store on a migrated database of its own, and the few rows that a test of the log needs.
 */
import { randomBytes } from 'node:crypto'
import { newId } from '../../src/protocol/ids.ts'
import { defaultThreadSettings } from '../../src/protocol/settings.ts'
import { firstState } from '../../src/server/runtime/new-thread.ts'
import { migrate } from '../../src/server/store/migrate.ts'
import { createStore } from '../../src/server/store/store.ts'
import type { NewThread, Store, ThreadState } from '../../src/server/store/types.ts'
import { emptyDatabase } from './postgres.ts'

export type TestStore = { store: Store; url: string; secretKey: Uint8Array; close(): Promise<void> }

/** Opens a store on a new, migrated database, which `close` removes, or on the migrated one of `databaseUrl`. */
export const openTestStore = async (databaseUrl?: string): Promise<TestStore> => {
  const database = databaseUrl === undefined ? await emptyDatabase() : null
  const url = database?.url ?? databaseUrl ?? ''
  if (database) await migrate(url)
  const secretKey = randomBytes(32)
  const store = createStore({ databaseUrl: url, secretKey })
  return {
    store,
    url,
    secretKey,
    close: async () => {
      await store.close()
      await database?.drop()
    },
  }
}

/** The state of a thread that has one event, `thread.created`. */
export const freshState = (windowId: string): ThreadState =>
  firstState({ windowId, seq: 1, at: Date.now() }, defaultThreadSettings)

/** A thread in a new project, with its lease at `leaseOwner` (which is registered). */
export const makeThread = async (
  store: Store,
  leaseOwner: string,
  ownerId: string = newId('usr'),
): Promise<NewThread> => {
  const project = await store.projects.create({ name: 'Sample' }, ownerId)
  const threadId = newId('thr')
  const windowId = newId('win')
  const thread: NewThread = {
    threadId,
    projectId: project.id,
    ownerId,
    title: 'A thread',
    fromThreadId: null,
    seed: null,
    lease: { ownerId: leaseOwner },
    first: {
      threadId,
      seq: 1,
      type: 'thread.created',
      windowId,
      actorId: ownerId,
      at: Date.now(),
      body: { projectId: project.id, title: 'A thread', settings: defaultThreadSettings },
    },
    state: freshState(windowId),
  }
  await store.threads.create(thread)
  return thread
}
