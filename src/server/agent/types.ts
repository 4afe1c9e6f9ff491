/**
 * What the loop is given: everything from outside arrives through `AgentPorts`. The loop knows no database, container,
 * SDK, environment or clock of its own.
 */
import type { ErrorFact } from '../../protocol/error.ts'
import type { NewEvent, Usage } from '../../protocol/event.ts'
import type { Answers, ContentPart, DeltaPart, Item, LongText, Question } from '../../protocol/item.ts'
import type { ModelRef, ThreadSettings } from '../../protocol/settings.ts'
import type { Recall } from '../context/recall.ts'
import type { NewBlock, WindowFrozen, WindowState } from '../context/types.ts'
import type { ModelInfo, Provider, WindowTraits } from '../providers/types.ts'
import type { Sandbox } from '../sandbox/types.ts'
import type { CommandSession, HistoryPort, NotesPort, ToolSet } from '../tools/types.ts'

/** What `emit` gives back: the event's place, and the commit to wait for at the four points. */
export type Emitted = { seq: number; committed: Promise<void> }

export type Clock = {
  now(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  random(): number
}

/** A new row of `Window`. `frozen` is JSON; it comes back in `WindowState` when the thread is loaded again. */
export type NewWindow = { windowId: string; index: number; frozen: WindowFrozen }

export type NewStep = {
  stepId: string
  windowId: string
  turnId: string
  index: number
  blockCount: number
  /** JSON text around the blocks (model, instructions, tools, parameters). */
  envelope: Uint8Array
  cacheMarks: number[]
  bodySha256: string
  model: string
}

export type StepEnd = {
  stepId: string
  status: 'completed' | 'cut' | 'failed'
  usage: Usage
  costMicros: number | null
  firstTokenMs: number | null
  totalMs: number
  retries: number
  providerRequestId: string | null
  stopReason: string
  rawResponse: Uint8Array | null
}

/** A window that begins: its row with what is frozen for its whole life, its first blocks, and what is told of it. */
export type WindowOpening = {
  window: NewWindow
  blocks: NewBlock[]
  /** `window.opened`. */
  event: NewEvent
  /** The end of the window before it, with the blocks that it gained last. */
  closed?: { event: NewEvent; blocks: NewBlock[] }
  /** Events after it: the item that shows the hand-over. */
  after: NewEvent[]
}

/** The thread's log as the loop writes it. Order of calls is order of events. */
export type Recorder = {
  /**
   * Resolves when the event has its seq and a place in the bounded append queue. `blocks` (what the window gained) go
   * into the same append, so that a model's output and the call it led to are stored together or not at all.
   */
  emit(event: NewEvent, blocks?: NewBlock[]): Promise<Emitted>
  /** Text in flight: goes to the bus at once, kept as a draft, never in the log. Must not throw. */
  delta(itemId: string, part: DeltaPart, offset: number, text: string, nextOffset?: number): void
  /** Blocks, the step's row and its event in one append; resolves after the commit: then the request may leave. */
  startStep(step: NewStep, blocks: NewBlock[], event: NewEvent): Promise<void>
  endStep(step: StepEnd, event: NewEvent, blocks?: NewBlock[]): Promise<Emitted>
  /** All of it in one append: after a death the thread is in the window before or in the new one, never between. */
  openWindow(opening: WindowOpening): Promise<Emitted>
  /** Resolves when everything written so far is stored. */
  flush(): Promise<void>
  /** Keeps a text of any length: small ones as they are, long ones as a blob with a preview. */
  long(text: string): Promise<LongText>
  blob(bytes: Uint8Array): Promise<string>
  readBlob(hash: string): Promise<Uint8Array>
}

/** Input that arrives while a turn runs. */
export type SteerInput = { opId: string; actorId: string; content: ContentPart[] }

export type TurnControl = {
  /** Aborted when a person stops the turn, the lease is lost or the server shuts down; `reason` is a `StopReason`. */
  signal: AbortSignal
  /** Steer messages that wait for the next request; taking them removes them and marks their ops applied. */
  takeSteers(): Promise<SteerInput[]>
  /**
   * Waits for the answers to a question that the loop has put into the log (`input.requested` of this item); null when it
   * was withdrawn. The loop writes `input.resolved` and the item's end. Rejects when the signal aborts.
   */
  ask(itemId: string, questions: Question[], signal: AbortSignal): Promise<Answers | null>
  settings(): ThreadSettings
  /** A new window that a person asked for; asked until a window is opened for that reason. */
  takeWindow(): { focus?: string } | null
  /** A hand-over document is written in this step: its signal aborts when a person does not want to wait for it. */
  documentBegins(stepId: string): { signal: AbortSignal; ended(): void }
}

export type StopReason = { type: 'person'; actorId: string } | { type: 'shutdown' } | { type: 'lease_lost' }

export type TurnOutcome =
  | { status: 'completed' }
  | { status: 'interrupted'; reason: string }
  | { status: 'failed'; error: ErrorFact }
  | { status: 'limited'; error: ErrorFact }
  /** Nothing is written: another runner, or the next start, goes on from the log. */
  | { status: 'abandoned' }

/** The seam for hooks: functions around a turn, a step, a tool call and a window, outermost first. */
export type Interceptors = {
  turn?: (context: { turnId: string }, next: () => Promise<TurnOutcome>) => Promise<TurnOutcome>
  step?: <T>(context: { turnId: string; index: number }, next: () => Promise<T>) => Promise<T>
  tool?: <T>(context: { itemId: string; tool: string }, next: () => Promise<T>) => Promise<T>
  window?: <T>(context: { windowId: string; reason: string }, next: () => Promise<T>) => Promise<T>
}

/**
 * A turn that a dead process left behind, as the log knows it. The loop closes what is open (step, texts, calls without
 * a result), writes `server.restarted` with what became of it, and goes on. A call that only looks, waits for
 * a person, or whose command the sandbox still knows is taken up again under its ids; the others are answered as interrupted.
 * Commands of open calls are the loop's; what it leaves comes back through `commandLeft`.
 */
export type Resume = {
  startedAt: number
  steps: number
  usage: Usage
  costMicros: number | null
  /**
   * The last state of every item of the turn, in log order. `done` = its last event was `item.completed`; open texts
   * carry what their draft held.
   */
  items: { item: Item; done: boolean }[]
  /** Commands whose `command.started` is in the log: it is not said twice. */
  commands: string[]
  /** `step.started` without an end. */
  openStep: { stepId: string; startedAt: number } | null
}

export type TurnInput = {
  threadId: string
  /** Empty for a window that is opened between turns. */
  turnId: string
  /** Who asked. */
  actorId: string
  opId?: string
  content: ContentPart[]
  via: 'start' | 'queue'
  /**
   * Kept in memory from turn to turn by the caller; the loop changes it in place, and puts another here when a new window
   * begins. After a restart: `loadWindow`.
   */
  window: WindowState
  provider: Provider
  model: ModelInfo
  modelRef: ModelRef
  /** How a window of this model speaks: `windowTraits(connection, model, model.supports.reasoning)`; used to open one. */
  traits: WindowTraits
  /** Frozen with the window: what was advertised is what answers. */
  tools: ToolSet
  /** Commands that went on after their call, kept for the thread from turn to turn. */
  sessions: Map<string, CommandSession>
  /** The project's own developer instructions; empty = none. */
  projectInstructions: string
  /** Working directory of commands; absent = the workspace. */
  cwd?: string
  /** True when a sandbox that does not exist yet would start with files in it (then it is started to read the rules). */
  workspaceHasFiles: boolean
  /** The model asked for a new window that was not opened yet: the log's `renewal` landmark. */
  wantsWindow: boolean
  resume: Resume | null
}

export type AgentPorts = {
  clock: Clock
  recorder: Recorder
  control: TurnControl
  sandbox: Sandbox
  notes: NotesPort
  history: HistoryPort
  /** What the thread remembers; bounded reads of what is stored, so `recorder.flush` comes before. */
  recall(): Promise<Recall>
  /** The newest state of these items, in any order; unknown ones are left out. */
  items(itemIds: string[]): Promise<Item[]>
  /** A new window took over: whoever keeps the window from turn to turn keeps this one now. Must not throw. */
  windowOpened(window: WindowState): void
  newId(prefix: 'itm' | 'stp' | 'cmd' | 'trn' | 'win' | 'apr' | 'chk'): string
  interceptors: Interceptors[]
  /** A fault of our own, for the server's log with its stack. Must not throw. */
  defect(error: unknown): void
  /** A command's end was told to the model and recorded: what it printed may be freed. Must not throw. */
  commandDone(commandId: string): void
  /**
   * A command went on after its call: from now on its end is yours to await and to record (`command.exited` with its
   * output), during the turn or after it. Must not throw.
   */
  commandLeft(command: { commandId: string; itemId: string; turnId: string; stepId: string }): void
}
