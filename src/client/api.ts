/**
 * The one WebSocket of a tab and the calls over it. It knows the procedures' names and shapes, no screen and no state
 * but the socket's own.
 */
import { createTRPCClient, createWSClient, isTRPCClientError, wsLink } from '@trpc/client'
import type { AnyTRPCRouter } from '@trpc/server'
import { type ErrorFact, ErrorFact as ErrorFactSchema } from '../protocol/error.ts'
import { heartbeatMs, watchdogMs } from '../protocol/heartbeat.ts'
import type { ContentPart } from '../protocol/item.ts'
import type { OpReceipt, OpRequest } from '../protocol/op.ts'
import type { ModelInfo, Project, Provider, ProviderKind, ThreadSettings } from '../protocol/settings.ts'
import type { Draft, EventPage, LiveMessage, ThreadListChange, ThreadProjection } from '../protocol/thread.ts'

type Query<I, O> = { query(input: I, options?: { signal?: AbortSignal }): Promise<O> }
type Mutation<I, O> = { mutate(input: I): Promise<O> }
type Handlers<O> = {
  onStarted?: () => void
  onData: (data: O) => void
  onError?: (error: unknown) => void
  onComplete?: () => void
}
type Subscription<I, O> = { subscribe(input: I, handlers: Handlers<O>): { unsubscribe(): void } }

export type Me = {
  user: { id: string; name: string; email: string; role: string } | null
  setupNeeded: boolean
  version: string
}
export type ThreadFilter = { projectId?: string; search?: string; archived?: boolean; limit: number }
export type ThreadPage = { threads: ThreadProjection[]; cursor: string | null }
export type QueuedMessage = { opId: string; actorId: string; content: ContentPart[]; queuedAt: number }
export type CommandOutput = { base64: string; from: number; total: number; done: boolean }
export type ProviderTest = { ok: boolean; models: { id: string; label: string }[]; error?: ErrorFact }

type Id = { threadId: string }
type Api = {
  session: { me: Query<undefined, Me> }
  thread: {
    list: Query<ThreadFilter & { cursor?: string }, ThreadPage>
    listChanges: Subscription<undefined, ThreadListChange>
    create: Mutation<
      { projectId: string; settings?: Partial<ThreadSettings>; title?: string; fromThreadId?: string },
      ThreadProjection
    >
    get: Query<Id, ThreadProjection>
    page: Query<Id & { before: number | null; limit: number }, EventPage>
    live: Subscription<Id & { after: number }, LiveMessage | { id: string; data: LiveMessage }>
    submit: Mutation<OpRequest, OpReceipt>
    queue: Query<Id, QueuedMessage[]>
    rename: Mutation<Id & { title: string }, unknown>
    pin: Mutation<Id & { pinned: boolean }, unknown>
    archive: Mutation<Id & { archived: boolean }, unknown>
    delete: Mutation<Id, unknown>
    commandOutput: Query<Id & { commandId: string; from: number; limit: number }, CommandOutput>
    diff: Query<Id & { from: string; to: string; path?: string }, { diff: string }>
    drafts: Query<Id, Draft[]>
  }
  provider: {
    list: Query<undefined, Provider[]>
    save: Mutation<
      {
        id?: string
        name: string
        kind: ProviderKind
        baseUrl: string | null
        key?: string
        models: ModelInfo[]
      },
      Provider
    >
    delete: Mutation<{ id: string }, unknown>
    test: Mutation<{ kind: ProviderKind; baseUrl: string | null; key?: string; id?: string }, ProviderTest>
    catalogue: Query<{ kind: ProviderKind }, ModelInfo[]>
  }
  project: {
    list: Query<undefined, Project[]>
    create: Mutation<{ name: string; instructions?: string; defaults?: Partial<ThreadSettings> }, Project>
    update: Mutation<
      { id: string; name?: string; instructions?: string; defaults?: Partial<ThreadSettings> },
      Project
    >
    delete: Mutation<{ id: string }, unknown>
  }
  member: { names: Query<{ ids: string[] }, { id: string; name: string }[]> }
}

const socketUrl = (): string => {
  const { protocol, host } = window.location
  return `${protocol === 'https:' ? 'wss' : 'ws'}://${host}/ws`
}

const client = createWSClient({
  url: socketUrl,
  lazy: { enabled: true, closeMs: 3_600_000 },
  keepAlive: { enabled: true, intervalMs: heartbeatMs, pongTimeoutMs: watchdogMs - heartbeatMs },
  retryDelayMs: (attempt) => Math.min(5_000, 100 * 2 ** attempt),
})

/** The socket's state as it changes: `idle`, `connecting` (with the error of the last try) or `pending` (open). */
export const socketState = client.connectionState

export const api = createTRPCClient<AnyTRPCRouter>({
  links: [wsLink({ client })],
}) as unknown as Api

/** The fact behind a failed call. What the server did not explain is a lost connection. */
export function factOf(error: unknown): ErrorFact {
  if (isTRPCClientError(error)) {
    const data: unknown = error.data
    const found = ErrorFactSchema.safeParse((data as { fact?: unknown } | null | undefined)?.fact)
    if (found.success) return found.data
  }
  return {
    code: 'internal',
    message: error instanceof Error ? error.message.slice(0, 500) : 'The call failed.',
    next: 'Try again.',
  }
}
