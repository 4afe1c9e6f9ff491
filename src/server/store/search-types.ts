/** What the rest of the server may ask of history: the items of a thread by place, and the search index over all. */
import type { EventBody } from '../../protocol/event.ts'
import type { HistoryRole, HistoryWindow, SearchMode } from '../../protocol/history.ts'
import type { Item } from '../../protocol/item.ts'

export type EntryFilter = {
  agentPath?: string
  windowId?: string
  role?: HistoryRole
  tool?: string
  status?: string
}

/** An item as its newest event tells it. */
export type ItemRow = {
  threadId: string
  seq: number
  windowId: string
  actorId: string
  at: number
  done: boolean
  item: Item
}

export type HistoryStore = {
  /** Every window of the thread, oldest first. */
  windows(threadId: string): Promise<Omit<HistoryWindow, 'agentPath'>[]>
  /** Completed items, at most `limit`, on the far side of the cursor (a seq). */
  items(
    threadId: string,
    filter: EntryFilter,
    page: { limit: number; recentFirst: boolean; cursor: number | null },
  ): Promise<ItemRow[]>
  /** Null when the thread has no such item. */
  item(threadId: string, itemId: string): Promise<ItemRow | null>
  /** The newest call of one of the tools among the last events, whatever became of it. */
  lastCall(threadId: string, tools: string[]): Promise<ItemRow | null>
  /** How the command of a call ended, and where in the log. */
  exit(threadId: string, itemId: string): Promise<{ seq: number; body: EventBody<'command.exited'> } | null>
}

/** A row of `SearchDoc`. */
export type SearchDoc = {
  threadId: string
  seq: number
  part: number
  itemId: string
  windowId: string
  agentPath: string
  role: HistoryRole
  kind: Item['type']
  tool: string | null
  status: string | null
  actorId: string
  at: number
  offset: number
  text: string
}

/** One thread, or all that somebody sees: their own, those shared with them, those shared with the team. */
export type SearchScope = { type: 'thread'; threadId: string } | { type: 'reader'; userId: string }

export type SearchQuery = EntryFilter & {
  scope: SearchScope
  mode: SearchMode
  text: string
  limit: number
  recentFirst: boolean
  /** What `SearchPlace` says of the last hit of the page before. */
  after: SearchPlace | null
}
export type SearchPlace = { at: number; threadId: string; seq: number }

/** What an event's row and its thread's say of it now. */
export type EventPlace = {
  threadTitle: string
  agentPath: string
  turnId: string | null
  stepId: string | null
}

export type SearchStore = {
  /** Everything up to this seq is indexed; 0 at first. */
  mark(threadId: string): Promise<number>
  /** Threads whose log is ahead of their mark; those somebody sees, or all; the ones changed last come first. */
  behind(userId?: string): Promise<{ threadId: string; mark: number }[]>
  /**
   * Stores the documents and moves the mark from `from` to `to` (the same for the first documents of an event whose
   * others follow); false when somebody else moved it meanwhile.
   */
  add(threadId: string, from: number, to: number, docs: SearchDoc[]): Promise<boolean>
  /**
   * One document per event, in order of place; with `stoppedAt` the search cost what one may, and goes on from there. A
   * literal of one or two characters needs a scope of one thread, Fault `bad_input` otherwise.
   */
  find(query: SearchQuery): Promise<{ docs: SearchDoc[]; stoppedAt: SearchPlace | null }>
  /** Events that fit by thread, up to `most` in all, of threads in `marks` only those up to there. */
  count(
    query: SearchQuery,
    most: number,
    marks: Map<string, number>,
  ): Promise<{ threads: Map<string, number>; more: boolean }>
  /** The documents in the order of how well they fit the words. */
  rank(words: string, docs: SearchDoc[]): Promise<SearchDoc[]>
  /** By `<thread id> <seq>`; events of threads that are gone are absent. */
  events(places: { threadId: string; seq: number }[]): Promise<Map<string, EventPlace>>
  /** Which of the texts, not indexed yet, hold the words: the same rule as for those that are. */
  matches(words: string, texts: string[]): Promise<boolean[]>
}
