/** Lines by which notes and items are shown to a model: one way for all the tools that name them. */
import type { HistoryEntry, HistoryWindow, SearchGap } from '../../protocol/history.ts'
import type { ActorId } from '../../protocol/ids.ts'
import { windowNumber } from '../../protocol/item.ts'
import { type NoteFile, notePath } from '../../protocol/note.ts'

const when = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`

export const writerWords = (actorId: ActorId): string => (actorId === 'agent' ? 'an agent' : 'a person')

export const noteLine = (file: NoteFile, self: string): string =>
  `${notePath(file, self)} · version ${file.version} · ${file.bytes} bytes · ${when(file.updatedAt)} by ${writerWords(file.actorId)}`

export const windowLine = (window: HistoryWindow): string =>
  `${window.windowId} · window ${windowNumber(window.index)}${window.closedAt === null ? ' (this one)' : ''} · opened ${when(window.openedAt)} because: ${window.reason} · ${window.items} items`

export const entryLine = (entry: HistoryEntry): string => {
  const call =
    entry.tool === null ? '' : ` ${entry.tool}${entry.status === 'succeeded' ? '' : ` (${entry.status})`}`
  const kind = entry.kind === 'tool_call' ? '' : ` ${entry.kind}`
  return `[${entry.itemId}] in ${entry.windowId} · ${when(entry.at)} · ${entry.role}${kind}${call}`
}

/** How to go on, when there is more. */
export const cursorLine = (cursor: string | null): string =>
  cursor === null ? '' : `\n\n[There is more: call again with cursor ${JSON.stringify(cursor)}.]`

/** What a search did not look at, and how to have it looked at. */
export const gapLine = (gap: SearchGap | null): string => {
  if (gap === null) return ''
  if (gap.reason === 'limit')
    return `\n\n[Only looked as far as ${when(gap.at)}: rarer words are found sooner, or go on with the cursor.]`
  return '\n\n[The newest items are not all in the index yet: search again in a few seconds.]'
}
