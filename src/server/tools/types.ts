/**
 * What a tool is and what it is given. A tool is a processor: a zod schema for its input, a computation with a signal
 * and a progress sink, a result. It knows the type `Sandbox`, never Docker, and neither the log nor the database.
 */
import type { z } from 'zod'
import type { ErrorFact } from '../../protocol/error.ts'
import type {
  HistoryItem,
  HistoryRole,
  HistoryText,
  HistoryWindow,
  SearchAnswer,
  SearchMode,
} from '../../protocol/history.ts'
import type { Answers, PlanEntry, Question, ToolDetail } from '../../protocol/item.ts'
import type { NoteFile, NoteText, NoteWritten } from '../../protocol/note.ts'
import type { ThreadSettings } from '../../protocol/settings.ts'
import type { CommandEnd, Sandbox } from '../sandbox/types.ts'

/** What the model is told about a tool. `parameters` is a JSON schema whose keys keep one order. */
export type ToolSpec = { name: string; description: string; parameters: Record<string, unknown> }

/** What happened so far, told while a call runs. None of it throws. */
export type ToolProgress = {
  /**
   * A command was accepted by the sandbox: `command.started`. It may outlive the call (`ToolOutcome.ended` is then
   * absent): whoever gets this watches `sandbox.wait` and records the end.
   */
  commandStarted(command: { commandId: string; command: string; cwd: string; tty: boolean }): void
  /** Live terminal output, escape sequences included. Byte offsets within the command's whole output. */
  output(commandId: string, offset: number, text: string, nextOffset: number): void
  /** The plan as it is from now on; becomes a `plan` item. */
  plan(entries: PlanEntry[], explanation: string | null): void
}

/** A command that went on after its call, by its id. Kept by the runner for the thread, across turns. */
export type CommandSession = {
  tty: boolean
  /** Bytes of its output that the model was given. */
  nextOffset: number
}

/** One page of an answer and where the next one begins; null = there is no more. */
export type Page<T> = { entries: T[]; cursor: string | null }

export type NotesQuery = {
  /** Beginning of the path; `/agent/notes/…` for another agent's files. Absent = all of one's own. */
  prefix?: string
  limit: number
  orderBy: 'name' | 'created_at' | 'updated_at'
  descending: boolean
  cursor?: string
}

export type NoteMatches = {
  file: NoteFile
  /** Lines from 1, the text of each cut around the match. */
  lines: { line: number; text: string }[]
  /** True when the file has more lines that match. */
  more: boolean
}

/**
 * The notes of one agent and, to read and write, of the others in its thread. Every call sees every write that was
 * answered before. Rejects with `note_rejected` (path, size, number of files) and `not_found`.
 */
export type NotesPort = {
  /** The agent's own name, for example `/root`. */
  readonly agentPath: string
  list(query: NotesQuery): Promise<Page<NoteFile> & { total: number }>
  /** The newest version, or the one asked for. */
  read(path: string, version?: number): Promise<NoteText>
  /** Literal, in this case, in the newest versions. */
  search(query: {
    query: string
    prefix?: string
    maxFiles: number
    maxMatchesPerFile: number
    recentFirst: boolean
  }): Promise<{ files: NoteMatches[]; more: boolean }>
  /** `itemId` is the call that writes. Nothing is overwritten: see `NoteWritten.over`. */
  write(itemId: string, note: { path: string; text: string; baseVersion?: number }): Promise<NoteWritten>
  append(itemId: string, note: { path: string; text: string }): Promise<NoteWritten>
  /** A call was refused before its tool saw it; when the tool writes notes, a write has failed. */
  refused(tool: string, error: ErrorFact): void
  /** Why this agent's last write failed; null when it succeeded, or there was none. Survives a restart. */
  lastFailure(): Promise<ErrorFact | null>
  /** For the hint: how many files there are, and the ones written last, newest first. One cheap query. */
  index(limit: number): Promise<{ files: NoteFile[]; total: number }>
}

export type HistoryFilter = {
  /** Another agent of the thread by its path; absent = oneself. */
  agentPath?: string
  windowId?: string
  role?: HistoryRole
  /** Only calls of this tool. */
  tool?: string
  /** Only calls that ended like this, for example `failed`. */
  status?: string
  limit: number
  recentFirst: boolean
  cursor?: string
}

/**
 * The thread's log, all windows of it, as it stands now. An id that does not exist and one of another thread reject
 * alike, with `not_found`. Nothing comes back that the reader may not see at the time of reading.
 */
export type HistoryPort = {
  windows(
    query: Pick<HistoryFilter, 'agentPath' | 'limit' | 'recentFirst' | 'cursor'>,
  ): Promise<Page<HistoryWindow>>
  items(filter: HistoryFilter & { maxChars: number }): Promise<Page<HistoryItem>>
  /** A negative offset counts from the end. */
  read(part: {
    itemId: string
    agentPath?: string
    windowId?: string
    offsetChars: number
    limitChars: number
  }): Promise<HistoryText>
  /** `best`: the best of the newest that fit, in place of an order by time. */
  search(filter: HistoryFilter & { query: string; mode: SearchMode; best?: boolean }): Promise<SearchAnswer>
}

/** What a call may know and ask of the window that it was made in. */
export type WindowPort = {
  /** As of the last answer of the model and what came after it; `remainingTokens` before a new window is asked for. */
  budget(): { index: number; usedTokens: number; remainingTokens: number }
  /** Asks for a new window, which is opened once the results of all calls of this step are recorded. */
  renew(): void
}

export type ToolContext = {
  /**
   * The item of this call (`itm_…`). Its command has the same id with the prefix `cmd_`, so a call that is run again
   * after a restart finds the command it started instead of starting a second one.
   */
  itemId: string
  sandbox: Sandbox
  settings: ThreadSettings
  /** Absolute folder that relative paths start from. */
  cwd: string
  sessions: Map<string, CommandSession>
  window: WindowPort
  clock: { now(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> }
  progress: ToolProgress
  notes: NotesPort
  history: HistoryPort
  /** Durable question to a person; null when it was withdrawn. Asked in `prepare` only. */
  ask(questions: Question[], signal: AbortSignal): Promise<Answers | null>
  /** Durable approval; absent where nobody can answer, which counts as refused. Asked in `prepare` only. */
  approve?(
    request: { action: string; reason: string },
    signal: AbortSignal,
  ): Promise<{ allowed: boolean; words?: string }>
  /** Aborted when a person stops the turn: a running command is killed with its whole tree. */
  signal: AbortSignal
}

/** What a tool's `invoke` gives: text of any length, which the pipeline cuts for the model. */
export type ToolAnswer = {
  /** False when the work was done and failed, for example a patch that does not fit. */
  ok: boolean
  text: string
  detail: ToolDetail
  error?: ErrorFact
  /** What the model is given instead of `text` when the tool has cut it itself (it knows where the middle is). */
  forModel?: string
  /** True when a stop ended the work before it was done. */
  cut?: boolean
  ended?: EndedCommand
}

/** A command that ended within its call. */
export type EndedCommand = {
  commandId: string
  end: CommandEnd
  /** The raw bytes, at most 50 MB; from memory when the call saw all of them, else from the sandbox's spool. */
  readOutput(): Promise<Uint8Array>
}

/** A refusal is words for the model and no defect: what was wrong and what to do instead. */
export type ToolRefusal = { error: ErrorFact; text?: string }

/**
 * `I` is the parsed input, `P` what `prepare` made of it. The four stages: resolve (by name, in the registry), validate
 * (the schema, then `validate`), prepare (permission, and everything a person is asked), invoke.
 * `validate` and `prepare` refuse by returning `{ refused }`. `invoke` throws only `Fault`s (told to the model) or
 * defects (which end the turn).
 */
export type ToolDefinition<I, P> = {
  name: string
  /** Prose for the model, from the file beside the tool. */
  description: string
  input: z.ZodType<I>
  /** May run beside other calls of the same step. */
  parallelSafe: boolean
  /** Running it once more changes nothing: after a death it is run again. Default: false. */
  repeatable?: boolean
  /** The input when the model wrote plain text where JSON was asked for; null when it cannot be that. */
  fromText?(text: string): unknown
  validate?(input: I, context: Pick<ToolContext, 'cwd' | 'settings'>): { refused: ToolRefusal } | null
  prepare(input: I, context: ToolContext): Promise<{ prepared: P } | { refused: ToolRefusal }>
  invoke(prepared: P, context: ToolContext): Promise<ToolAnswer>
}

/** A tool whose input type is its own affair, as registries hold it. */
export type Tool = Pick<ToolDefinition<never, never>, 'name' | 'description' | 'parallelSafe'> & {
  readonly input: z.ZodType
  readonly repeatable: boolean
  readonly fromText: ((text: string) => unknown) | null
  /** All stages after the schema; the pipeline's business alone. */
  run(input: unknown, context: ToolContext): Promise<{ refused: ToolRefusal } | { answer: ToolAnswer }>
  check(input: unknown, context: Pick<ToolContext, 'cwd' | 'settings'>): { refused: ToolRefusal } | null
}

/** The tools of one window: frozen, so that the tools that were advertised are the tools that answer. */
export type ToolSet = {
  readonly specs: readonly ToolSpec[]
  find(name: string): Tool | null
}

/** A call as the model wrote it. */
export type ProposedCall = { name: string; argumentsText: string }

/** After resolve and validate: a call that can be run, or its refusal. */
export type ResolvedCall =
  | { ok: true; tool: Tool; input: unknown; parallelSafe: boolean }
  | { ok: false; outcome: ToolOutcome }

/** The end of a call, ready to be recorded. */
export type ToolOutcome = {
  status: 'succeeded' | 'failed' | 'refused' | 'interrupted'
  /** What the model is given. */
  text: string
  /** The whole text (at most 50 MB) when `text` is not it. */
  fullText?: string
  detail?: ToolDetail
  error?: ErrorFact
  /** Why a call was interrupted. */
  reason?: string
  ended?: EndedCommand
}
