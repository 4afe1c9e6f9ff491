/**
 * What the rest of the server may ask of the database about imported rollouts.
 */
import type { ErrorFact } from '../../protocol/error.ts'
import type { ImportFormat, ImportReport, ImportState } from '../../protocol/import.ts'
import type { NoteVersion } from './note-types.ts'

/** A rollout that was read from a file. */
export type ThreadOrigin = {
  importId: string
  format: ImportFormat
  fileName: string
  program: string | null
}

export type ImportRow = Omit<ImportState, 'waitsFor'> & { ownerId: string; projectId: string; worker: string }

export type ImportChange = {
  readBytes?: number
  status?: ImportState['status']
  threadIds?: string[]
  report?: ImportReport | null
  error?: ErrorFact | null
}

export type ImportStore = {
  /** Fault `conflict` when the id is known. */
  begin(row: Omit<ImportRow, 'report' | 'error' | 'readBytes' | 'threadIds' | 'createdAt'>): Promise<void>
  save(importId: string, change: ImportChange): Promise<void>
  /** Done, and its threads show, in one statement. */
  finish(
    importId: string,
    result: { readBytes: number; threadIds: string[]; report: ImportReport },
  ): Promise<void>
  /** Versions of notes as they were written elsewhere. */
  addNotes(threadId: string, notes: NoteVersion[]): Promise<void>
  get(importId: string): Promise<ImportRow | null>
  /** Newest first. */
  list(ownerId: string, limit: number): Promise<ImportRow[]>
  /** Imports that run by their row, but whose process is gone. */
  abandoned(): Promise<ImportRow[]>
  /** Threads of an import that show nowhere yet. */
  hidden(importId: string): Promise<string[]>
}
