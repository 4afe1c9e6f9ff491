/** Notes and history in memory, for tools and the loop: the same answers as the real ones for what one agent does. */
import { Fault } from '../../src/protocol/error.ts'
import type { NoteText } from '../../src/protocol/note.ts'
import { noteBytes, parseNotePath, rootAgent } from '../../src/protocol/note.ts'
import type { HistoryPort, NotesPort } from '../../src/server/tools/types.ts'

export type MemoryNotes = NotesPort & {
  /** Every version by path, oldest first. */
  files: Map<string, NoteText[]>
  /** What the next writes reject with. */
  fail: Fault | null
}

const missing = (what: string): Fault => new Fault('not_found', `There is no ${what}.`, 'List what there is.')

export const memoryNotes = (): MemoryNotes => {
  const files = new Map<string, NoteText[]>()
  let now = 0
  let failure: Fault | null = null
  const newest = (): NoteText[] => [...files.values()].map((versions) => versions.at(-1) as NoteText)
  const put = async (asked: string, textOf: (before: string) => string) => {
    try {
      if (notes.fail) throw notes.fail
      const { agentPath, path } = parseNotePath(asked, rootAgent)
      const versions = files.get(path) ?? []
      const text = textOf(versions.at(-1)?.text ?? '')
      now += 1
      const createdAt = versions[0]?.createdAt ?? now
      const version = versions.length + 1
      const file: NoteText = {
        agentPath,
        path,
        version,
        bytes: noteBytes(text).length,
        actorId: 'agent',
        createdAt,
        updatedAt: now,
        text,
      }
      files.set(path, [...versions, file])
      failure = null
      return { file, over: null, unchanged: false }
    } catch (error) {
      failure = error as Fault
      throw error
    }
  }
  const notes: MemoryNotes = {
    agentPath: rootAgent,
    files,
    fail: null,
    list: async ({ prefix = '', limit }) => {
      const all = newest().filter(({ path }) => path.startsWith(prefix))
      return { entries: all.slice(0, limit), cursor: null, total: all.length }
    },
    read: async (asked, version) => {
      const versions = files.get(parseNotePath(asked, rootAgent).path)
      const found = version === undefined ? versions?.at(-1) : versions?.[version - 1]
      if (!found) throw missing('such note')
      return found
    },
    search: async ({ query, maxFiles }) => {
      const found = newest().flatMap((file) => {
        const lines = file.text.split('\n').flatMap((text, index) => {
          return text.includes(query) ? [{ line: index + 1, text }] : []
        })
        return lines.length === 0 ? [] : [{ file, lines, more: false }]
      })
      return { files: found.slice(0, maxFiles), more: found.length > maxFiles }
    },
    write: (_itemId, { path, text }) => put(path, () => text),
    append: (_itemId, { path, text }) => put(path, (before) => before + text),
    refused: (tool, { code, message, next }) => {
      if (tool === 'notes_write' || tool === 'notes_append') failure = new Fault(code, message, next)
    },
    lastFailure: async () => failure?.toFact() ?? null,
    index: async (limit) => ({
      files: newest()
        .sort((a, b) => b.updatedAt - a.updatedAt)
        .slice(0, limit),
      total: files.size,
    }),
  }
  return notes
}

/** A thread without a past. */
export const emptyHistory = (): HistoryPort => ({
  windows: async () => ({ entries: [], cursor: null }),
  items: async () => ({ entries: [], cursor: null }),
  read: async () => {
    throw missing('such item')
  },
  search: async () => ({ entries: [], cursor: null, count: null, incomplete: null }),
})
