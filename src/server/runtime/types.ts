/**
 * What doors may ask of running threads: `WorkerApi` is the only way from trpc and the HTTP routes to a runner or a
 * sandbox. In one process it is a function call.
 */
import type { ThreadEvent } from '../../protocol/event.ts'
import type { HistoryItem, HistoryText, HistoryWindow, SearchAnswer } from '../../protocol/history.ts'
import type { NoteFile, NoteText } from '../../protocol/note.ts'
import type { OpReceipt, OpRequest } from '../../protocol/op.ts'
import type { ThreadSettings } from '../../protocol/settings.ts'
import type {
  Draft,
  EventPage,
  LiveMessage,
  ThreadListChange,
  ThreadProjection,
  WindowBlockRow,
} from '../../protocol/thread.ts'
import type { Actor } from '../access/types.ts'
import type { SearchRequest } from '../search/search.ts'
import type { EntryFilter } from '../store/types.ts'

type Page<T> = { entries: T[]; cursor: string | null }
type PageQuery = { limit: number; recentFirst: boolean; cursor?: string }

/** Looking things up, for a person. Ids that do not exist and those of other threads reject alike, with `not_found`. */
export type ReadingApi = {
  /** Newest versions, the ones written last come first; `after` = path of the last file of the page before. */
  noteList(
    threadId: string,
    query: { agentPath?: string; prefix: string; limit: number; after?: string },
  ): Promise<{ files: NoteFile[]; total: number }>
  noteRead(threadId: string, note: { agentPath?: string; path: string; version?: number }): Promise<NoteText>
  /** Newest first. */
  noteVersions(
    threadId: string,
    note: { agentPath?: string; path: string; before?: number; limit?: number },
  ): Promise<NoteFile[]>
  historyWindows(actor: Actor, threadId: string, page: PageQuery): Promise<Page<HistoryWindow>>
  historyItems(
    actor: Actor,
    threadId: string,
    filter: EntryFilter & PageQuery & { maxChars: number },
  ): Promise<Page<HistoryItem>>
  historyItem(
    actor: Actor,
    threadId: string,
    part: { itemId: string; offsetChars: number; limitChars: number },
  ): Promise<HistoryText>
  /** Within one thread, or in all that the person may read. */
  search(actor: Actor, query: Omit<SearchRequest, 'scope'> & { threadId?: string }): Promise<SearchAnswer>
}

export type CreateThread = {
  projectId: string
  actorId: string
  title?: string
  settings: Partial<ThreadSettings>
  /** "New thread from here": starts with that thread's workspace. */
  fromThreadId?: string
}

export type WorkerApi = ReadingApi & {
  /** Thread, lease and first event in one transaction. */
  createThread(input: CreateThread): Promise<ThreadProjection>
  /** Stores the op (committed when this resolves) and wakes the thread. The same id again gives the same receipt. */
  submit(request: OpRequest, actorId: string): Promise<OpReceipt>
  /** The waiting messages of a thread in order, with their whole content, for editing. */
  queue(threadId: string): Promise<{ opId: string; actorId: string; content: OpContent; queuedAt: number }[]>
  /** The newest page (or the one before a seq), at most `limit` events and 1 MB. */
  page(threadId: string, before: number | null, limit: number): Promise<EventPage>
  /** Events after a seq, then live; ends when the signal aborts. */
  subscribe(threadId: string, after: number, signal: AbortSignal): AsyncIterable<LiveMessage>
  drafts(threadId: string): Promise<Draft[]>
  /** Changes of the rows that `visible` lets through. */
  subscribeList(signal: AbortSignal): AsyncIterable<ThreadListChange>
  /** Bytes of a command's output by range, from the sandbox while it runs, from the blob afterwards. */
  commandOutput(
    threadId: string,
    commandId: string,
    from: number,
    limit: number,
  ): Promise<{ bytes: Uint8Array; from: number; total: number; done: boolean }>
  /** Unified diff of the thread's workspace between two trees of its checkpoints. */
  diff(threadId: string, from: string, to: string, path?: string): Promise<string>
  fileAt(threadId: string, tree: string, path: string): Promise<Uint8Array | null>
  /**
   * What fills a window, block by block, at most `limit` from `from` on; `next` = where to go on, null at the end. Fault
   * `not_found` when the window is not this thread's.
   */
  windowBlocks(
    threadId: string,
    windowId: string,
    from: number,
    limit: number,
  ): Promise<{ blocks: WindowBlockRow[]; next: number | null }>
  /** How each window of the thread, or the one named, was opened and closed, oldest first; by pages as in the log. */
  windows(
    threadId: string,
    wanted: { windowId: string | null; after: number },
  ): Promise<{ events: ThreadEvent[]; next: number | null }>
  /** Stops the sandbox and deletes container, volume and rows. */
  deleteThread(threadId: string, actorId: string): Promise<void>
  health(): Promise<{ database: boolean; engine: { ok: boolean; message: string }; threads: number }>
}

export type OpContent = Extract<OpRequest['op'], { type: 'turn.start' }>['content']
