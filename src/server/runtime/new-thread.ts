/** A thread that has just begun: its first event, its state, and what its workspace starts from. */
import { noUsage, type ThreadEvent } from '../../protocol/event.ts'
import { newId } from '../../protocol/ids.ts'
import { defaultThreadSettings, type ThreadSettings } from '../../protocol/settings.ts'
import { noLandmarks, type ThreadProjection } from '../../protocol/thread.ts'
import type { Store, ThreadSeed, ThreadState } from '../store/types.ts'
import type { CreateThread } from './types.ts'
import { seedFrom } from './workspace.ts'

/** A thread that nobody has named yet. */
export const defaultTitle = 'New thread'

/** What the log says after its first event. */
export const firstState = (
  first: Pick<ThreadEvent, 'windowId' | 'seq' | 'at'>,
  settings: ThreadSettings,
): ThreadState => ({
  status: 'idle',
  sandbox: 'absent',
  settings,
  windowId: first.windowId,
  windowIndex: 0,
  turnId: null,
  turnStartedAt: null,
  head: first.seq,
  turns: 0,
  steps: 0,
  usage: noUsage,
  costMicros: 0,
  contextTokens: null,
  contextLimit: null,
  additions: 0,
  deletions: 0,
  filesChanged: 0,
  queued: 0,
  lastLine: '',
  lastError: null,
  pinnedItems: [],
  landmarks: noLandmarks,
  lockedModel: null,
  updatedAt: first.at,
})

/** Thread, lease and first event in one transaction. */
export const createThread = async (
  store: Store,
  ownerId: string,
  input: CreateThread,
): Promise<ThreadProjection> => {
  const project = await store.projects.get(input.projectId)
  const from = input.fromThreadId === undefined ? null : await store.threads.get(input.fromThreadId)
  const settings = {
    ...defaultThreadSettings,
    ...(project.defaults as Partial<ThreadSettings>),
    ...(from?.settings ?? {}),
    ...input.settings,
  }
  const upload = await store.projects.upload(project.id)
  const seed: ThreadSeed | null = from
    ? await seedFrom(store, from.id)
    : upload === null
      ? null
      : { type: 'upload', hash: upload }
  const threadId = newId('thr')
  const windowId = newId('win')
  const title = input.title ?? defaultTitle
  const first: ThreadEvent = {
    threadId,
    seq: 1,
    type: 'thread.created',
    windowId,
    actorId: input.actorId,
    at: Date.now(),
    body: {
      projectId: project.id,
      title,
      settings,
      ...(from === null ? {} : { fromThreadId: from.id }),
    },
  }
  await store.threads.create({
    threadId,
    projectId: project.id,
    ownerId: input.actorId,
    title,
    fromThreadId: from?.id ?? null,
    seed,
    lease: { ownerId },
    first,
    state: firstState(first, settings),
  })
  return store.threads.get(threadId)
}
