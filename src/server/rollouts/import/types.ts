/**
 * What the parts of an import say to each other: bytes become records, a format's reader makes pieces of records, the
 * pieces are written. Readers are state machines without a clock, a database or a file.
 */
import type { NewEvent, ThreadEvent } from '../../../protocol/event.ts'
import type { ActorId } from '../../../protocol/ids.ts'
import type { ImportFormat } from '../../../protocol/import.ts'
import type { NoteVersion } from '../../store/note-types.ts'
import type { BlockRow, NewWindow, StepEndRow, StepRow } from '../../store/types.ts'
import type { Report } from './report.ts'

/** Bytes that are kept of a value that is too large, as its beginning. */
export const keptOfLarge = 65_536

/** One value of the file. `path`: where it stands in a document; empty for a line. */
export type FileRecord = {
  /** From 1: the line on which it begins. */
  line: number
  path: readonly (string | number)[]
  value: unknown
  raw: Uint8Array
}

/** What could not become a value; `raw` is its beginning when `cut`, and `blob` then names all of it. */
export type RawRecord = {
  line: number
  why: 'unreadable' | 'too_large'
  raw: Uint8Array
  bytes: number
  blob?: string
}

export type Piece =
  | { type: 'event'; event: NewEvent; at: number }
  | { type: 'blob'; hash: string; bytes: Uint8Array }
  /** A blob that is stored already and belongs to the thread. */
  | { type: 'ref'; hash: string }
  | { type: 'window'; window: NewWindow }
  | { type: 'block'; block: BlockRow }
  | { type: 'step'; step: StepRow }
  | { type: 'stepEnd'; end: StepEndRow }
  /** An event of a file of our own, as it is but for its ids; its seq is given when it is written. */
  | { type: 'whole'; event: ThreadEvent }
  /** A piece of a blob; `bytes` null = the blob is not what it says and is given up. */
  | { type: 'part'; hash: string; bytes: Uint8Array | null; isLast: boolean }
  | { type: 'note'; note: NoteVersion }

/** One rollout of the file. Title and program may become known while it is read. */
export type RolloutHead = {
  threadId: string
  /** The first window. */
  windowId: string
  title: string
  program: string | null
  firstAt: number | null
  /** Of a file of our own: what its ids were masked with. */
  idMask?: string
  /** All of its events are in the file: none is added. */
  isWhole?: boolean
}

export type Output = { head: RolloutHead; piece: Piece | { type: 'end' } }

export type Reader = {
  take(record: FileRecord): void
  /** A part of the file that is no value. */
  keep(record: RawRecord): void
  /** A text, number or the like within a document. */
  scalar?(path: readonly (string | number)[], value: unknown): void
  /** A container of a document that is descended into begins or ends. */
  enter?(path: readonly (string | number)[]): void
  leave?(path: readonly (string | number)[]): void
  /** The file is over: what is open is closed. */
  end(): void
}

export type ReaderContext = {
  fileName: string
  /** Whose words the file's person's are told as: the one who imports it. */
  actorId: ActorId
  /** What stands for a time when the file has none. */
  importedAt: number
  report: Report
  out: Output[]
  newId(prefix: 'thr' | 'win' | 'trn' | 'stp' | 'itm' | 'cmd'): string
  /** False once the file has made as many rollouts as one import may. */
  mayBegin(): boolean
}

export type Format = {
  name: ImportFormat
  /** Which containers of a document are descended into; absent = the file is lines, or a list of them. */
  descend?(path: readonly (string | number)[], kind: 'array' | 'object'): boolean
  /** Bytes of one value; absent = those of a line. */
  maxBytes?: number
  read(context: ReaderContext): Reader
}
