/**
 * An agent's notes, as the loop and its tools see them.
 */
import { Fault } from '../../protocol/error.ts'
import { rootAgent } from '../../protocol/note.ts'
import type { HistoryPort, NotesPort } from '../tools/types.ts'

const missing = async (): Promise<never> => {
  throw new Fault('not_found', 'There is nothing of this name.', 'List what there is.')
}

export const createNotes = (): NotesPort => ({
  agentPath: rootAgent,
  list: async () => ({ entries: [], cursor: null, total: 0 }),
  read: missing,
  search: async () => ({ files: [], more: false }),
  write: missing,
  append: missing,
  lastFailure: async () => null,
  index: async () => ({ files: [], total: 0 }),
})

export const createHistory = (): HistoryPort => ({
  windows: async () => ({ entries: [], cursor: null }),
  items: async () => ({ entries: [], cursor: null }),
  read: missing,
  search: async () => ({ entries: [], cursor: null }),
})
