/**
 * History: the thread's log as agents and people look things up in it. Read models only; the log itself is events.
 */
import type { ActorId } from './ids.ts'
import type { Item, WindowReason } from './item.ts'

export const historyRoles = ['user', 'assistant', 'tool', 'system'] as const
/** Who an item comes from: a person, the model, a tool call with its result, the server. */
export type HistoryRole = (typeof historyRoles)[number]

export type HistoryWindow = {
  windowId: string
  index: number
  agentPath: string
  /** Why it was opened. */
  reason: WindowReason
  openedAt: number
  /** Null while it is the current one. */
  closedAt: number | null
  /** Completed items whose events bear this window. */
  items: number
}

/** An item without its text. */
export type HistoryEntry = {
  threadId: string
  itemId: string
  seq: number
  windowId: string
  agentPath: string
  at: number
  actorId: ActorId
  role: HistoryRole
  kind: Item['type']
  /** Name of the tool, for calls. */
  tool: string | null
  /** How a call ended. */
  status: string | null
}

/** An item with the beginning of its text. */
export type HistoryItem = HistoryEntry & {
  text: string
  /** True when the text goes on: read the item by its id. */
  more: boolean
}

/** A part of an item's whole text: message, reasoning, or arguments and whole output of a call. */
export type HistoryText = HistoryEntry & {
  text: string
  /** Where `text` begins; counts UTF-16 units of the whole text, as all offsets here. */
  offset: number
  /** Where to read on; null at the end. */
  nextOffset: number | null
  /** Known when the end was reached. */
  totalChars: number | null
}

export type SearchHit = HistoryEntry & {
  /** The words around the first place in the item that fits. */
  snippet: string
  /** Place of the match in the item's whole text. */
  offset: number
}

/** `literal`: these characters, in this case. `words`: all of these words, whole, in any order and case; "in quotes": a phrase. */
export type SearchMode = 'literal' | 'words'

/** Characters of a query. */
export const maxQueryChars = 1_000
/** A literal shorter than this is looked for in one thread only. */
export const shortLiteral = 3
