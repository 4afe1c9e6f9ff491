/** What the rest of the server may ask of the database about notes. */
import type { NoteFile, NoteText, NoteWritten } from '../../protocol/note.ts'

/** Whose notes: an agent of the thread at the root of its tree. */
export type NotesOf = { rootThreadId: string; agentPath: string }

/** One version of a file as it is stored: its text is the blob of that hash. */
export type NoteVersion = {
  agentPath: string
  path: string
  version: number
  hash: string
  bytes: number
  actorId: string
  writer: string
  createdAt: number
  at: number
}

export type NoteOrder = {
  orderBy: 'name' | 'created_at' | 'updated_at'
  descending: boolean
  limit: number
  /** Path of the last file of the page before. */
  after?: string
}

export type NoteStore = {
  /** Newest versions whose path begins with the prefix; `total` counts all of them. */
  list(of: NotesOf, prefix: string, order: NoteOrder): Promise<{ files: NoteFile[]; total: number }>
  /** The newest version, or the one asked for; null when there is none. */
  read(of: NotesOf, path: string, version?: number): Promise<NoteText | null>
  /** Newest first. */
  /** Newest first; `before` is a version, those below it follow. */
  versions(of: NotesOf, path: string, page: { before?: number; limit: number }): Promise<NoteFile[]>
  /** Newest versions that hold the literal, with their texts. */
  find(
    of: NotesOf,
    query: { literal: string; prefix: string; limit: number; recentFirst: boolean },
  ): Promise<NoteText[]>
  /**
   * A new version on top. `writer` is the agent's path or the user's id, `seen` the version it knew. Fault
   * `note_rejected` for size and number of files.
   */
  write(
    of: NotesOf,
    note: {
      path: string
      text: string
      mode: 'write' | 'append'
      actorId: string
      writer: string
      seen: number
    },
  ): Promise<NoteWritten>
}
