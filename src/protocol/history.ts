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

/** A part of a text, `to` excluded; UTF-16 units. */
export type TextRange = { from: number; to: number }

/** An event that holds what was searched for, with what a list of results shows of it. Text is data, never markup. */
export type SearchHit = HistoryEntry & {
  threadTitle: string
  /** Of the event; null when it stands outside of any. */
  turnId: string | null
  stepId: string | null
  /** The words around the first place in the item that fits, on one line. */
  snippet: string
  /** Where in `snippet` the query, or words of it, stand; in order, without overlap. */
  matches: TextRange[]
  /** Place of the match in the item's whole text. */
  offset: number
}

/** How many events fit, counted up to `maxSearchCount`; `more`: there are more than that, or some were not looked at. */
export type SearchCount = { events: number; more: boolean }

/**
 * What an answer lacks. `indexing`: newest events of so many threads are not in the index yet; ask again in a few
 * seconds. `limit`: the search looked at as much as one answer may cost, back (or up) to the time `at`; its cursor goes
 * on from there, even after a page without entries.
 */
export type SearchGap = { reason: 'indexing'; threads: number } | { reason: 'limit'; at: number }

/**
 * A page of a search. Without a gap it is complete: what is not in it and behind its cursor does not exist, or may not be
 * seen by the reader. A page can be short, since what the reader may not see is taken out when it is read.
 */
export type SearchAnswer = {
  entries: SearchHit[]
  /** Where to go on; null at the end, and with the order `best`, which has one page. */
  cursor: string | null
  /** Null unless it was asked for. */
  count: SearchCount | null
  incomplete: SearchGap | null
}

/** `literal`: these characters, in this case. `words`: all of these words, whole, in any order and case; "in quotes": a phrase. */
export const searchModes = ['literal', 'words'] as const
export type SearchMode = (typeof searchModes)[number]

/** `best`: of the newest `rankedEvents` that fit, those where the words stand most often and closest; one page. */
export const searchOrders = ['newest', 'oldest', 'best'] as const
export type SearchOrder = (typeof searchOrders)[number]

/** Characters of a query. */
export const maxQueryChars = 1_000
/** A literal shorter than this is looked for in one thread only. */
export const shortLiteral = 3
/** Events that fit are counted up to this; a list says "20 of 1,000+". */
export const maxSearchCount = 1_000
/** Newest events that fit, of which the order `best` chooses. */
export const rankedEvents = 200
