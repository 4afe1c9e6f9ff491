/**
 * What a thread looks like once its events are folded: the shapes only, and how two sightings of one thing join. Joining
 * is associative, so a page of events folds alone and an older page goes in front of it without folding again.
 */
import type { ErrorFact } from './error.ts'
import type { EventBody, ThreadEvent, Usage } from './event.ts'
import type { Item } from './item.ts'
import type { ModelRef, ThreadSettings } from './settings.ts'
import type { SandboxStatus } from './thread.ts'

export type TurnStatus = 'queued' | 'running' | 'waiting' | 'completed' | 'interrupted' | 'failed' | 'limited'

/** A value that later events replace, with the seq of the event that set it. */
export type Latest<T> = { seq: number; value: T }

export type ItemView = {
  id: string
  /** Seq of the first event about it: its place. */
  seq: number
  /** Seq of the event that `item` comes from. */
  itemSeq: number
  item: Item
  actorId: string
  windowId: string
  turnId?: string | undefined
  stepId?: string | undefined
  /** Time of the first event about it. */
  at: number
  /** Time of its completion; absent while it is in flight. */
  completedAt?: number | undefined
}

export type TurnEnd = { usage: Usage; costMicros: number | null; durationMs: number; steps: number }

export type TurnView = {
  id: string
  seq: number
  status: Latest<TurnStatus> | undefined
  opId?: string | undefined
  startedAt?: number | undefined
  endedAt?: number | undefined
  model?: ModelRef | undefined
  modelLabel?: string | undefined
  end?: TurnEnd | undefined
  error?: ErrorFact | undefined
  reason?: string | undefined
}

export type StepStatus = 'running' | 'completed' | 'cut' | 'failed'

export type StepView = {
  id: string
  seq: number
  turnId?: string | undefined
  index?: number | undefined
  status: Latest<StepStatus> | undefined
  startedAt?: number | undefined
  /** What its request was thought to weigh before it was sent. */
  estimatedTokens?: number | undefined
  usage?: Usage | undefined
  costMicros?: number | null | undefined
  /** The last retry, while the request has not gone through. */
  retry?: Latest<EventBody<'step.retried'>> | undefined
}

export type CommandView = {
  id: string
  seq: number
  itemId: string
  started?: (EventBody<'command.started'> & { at: number }) | undefined
  exited?: (EventBody<'command.exited'> & { at: number }) | undefined
}

export type CheckpointView = EventBody<'checkpoint.created'> & {
  seq: number
  at: number
  turnId?: string | undefined
}

/** Something that happened and is told in the thread without being an item. */
export type MarkerView = {
  key: string
  seq: number
  at: number
  turnId?: string | undefined
  event: MarkerEvent
}

export type MarkerType =
  | 'server.restarted'
  | 'sandbox.lost'
  | 'checkpoint.failed'
  | 'egress.denied'
  | 'thread.settings_changed'
  | 'thread.rewound'
  | 'thread.forked'
  | 'budget.stopped'
export type MarkerEvent = Extract<ThreadEvent, { type: MarkerType }>

/** One place in the thread, in order: an item or a marker. */
export type TimelineEntry = { seq: number; kind: 'item' | 'marker'; key: string; turnId: string | undefined }

export type QueueEntry = EventBody<'queue.changed'>['queue'][number]

export type WindowClosing = EventBody<'window.closed'> & { at: number }

/** A window as it was opened; `closed` once the next one was. */
export type WindowView = EventBody<'window.opened'> & {
  windowId: string
  seq: number
  openedAt: number
  turnId?: string | undefined
  closed?: WindowClosing | undefined
}

/** `turnId` is absent between turns. */
export type DocumentView = { stepId: string; turnId?: string | undefined; startedAt: number }

export type ContextFigures = { contextTokens: number; contextLimit: number; cachedInput: number }

export type ThreadView = {
  /** Seqs that are folded in, without holes; 0 and 0 when there are none. */
  firstSeq: number
  lastSeq: number
  items: Map<string, ItemView>
  turns: Map<string, TurnView>
  steps: Map<string, StepView>
  commands: Map<string, CommandView>
  markers: Map<string, MarkerView>
  /** Items and markers by seq. */
  timeline: TimelineEntry[]
  checkpoints: CheckpointView[]
  settings: Latest<ThreadSettings> | undefined
  queue: Latest<QueueEntry[]> | undefined
  planItemId: Latest<string> | undefined
  sandbox: Latest<SandboxStatus> | undefined
  context: Latest<ContextFigures> | undefined
  window: Latest<{ id: string; index: number }> | undefined
  /** Windows whose opening is folded in, by id. */
  windows: Map<string, WindowView>
  /** Ends of windows whose opening is in an older page. */
  closings: Map<string, WindowClosing>
  /** By item id, whether it is pinned as of its last event. */
  pins: Map<string, Latest<boolean>>
  /** The last warning that the window is filling up, with its window. */
  warned: Latest<EventBody<'window.warned'> & { windowId: string }> | undefined
  /** The hand-over document that a model writes now; null when none is written. */
  document: Latest<DocumentView | null> | undefined
  /** The last write of a note, by whomever. */
  note: Latest<EventBody<'note.written'> & { actorId: string }> | undefined
  title: string | undefined
}

export const emptyView = (): ThreadView => ({
  firstSeq: 0,
  lastSeq: 0,
  items: new Map(),
  turns: new Map(),
  steps: new Map(),
  commands: new Map(),
  markers: new Map(),
  timeline: [],
  checkpoints: [],
  settings: undefined,
  queue: undefined,
  planItemId: undefined,
  sandbox: undefined,
  context: undefined,
  window: undefined,
  windows: new Map(),
  closings: new Map(),
  pins: new Map(),
  warned: undefined,
  document: undefined,
  note: undefined,
  title: undefined,
})

/** The later of two sightings. */
export const later = <T>(a: Latest<T> | undefined, b: Latest<T> | undefined): Latest<T> | undefined =>
  a === undefined ? b : b === undefined || a.seq > b.seq ? a : b

export const joinItems = (a: ItemView | undefined, b: ItemView): ItemView => {
  if (a === undefined) return b
  const [first, second] = a.seq <= b.seq ? [a, b] : [b, a]
  const newest = a.itemSeq > b.itemSeq ? a : b
  return {
    ...second,
    seq: first.seq,
    at: first.at,
    actorId: first.actorId,
    windowId: first.windowId,
    turnId: first.turnId ?? second.turnId,
    stepId: first.stepId ?? second.stepId,
    itemSeq: newest.itemSeq,
    item: newest.item,
    completedAt: second.completedAt ?? first.completedAt,
  }
}

export const joinTurns = (a: TurnView | undefined, b: TurnView): TurnView =>
  a === undefined
    ? b
    : {
        id: b.id,
        seq: Math.min(a.seq, b.seq),
        status: later(a.status, b.status),
        opId: a.opId ?? b.opId,
        startedAt: a.startedAt ?? b.startedAt,
        endedAt: a.endedAt ?? b.endedAt,
        model: a.model ?? b.model,
        modelLabel: a.modelLabel ?? b.modelLabel,
        end: a.end ?? b.end,
        error: a.error ?? b.error,
        reason: a.reason ?? b.reason,
      }

export const joinSteps = (a: StepView | undefined, b: StepView): StepView =>
  a === undefined
    ? b
    : {
        id: b.id,
        seq: Math.min(a.seq, b.seq),
        turnId: a.turnId ?? b.turnId,
        index: a.index ?? b.index,
        status: later(a.status, b.status),
        startedAt: a.startedAt ?? b.startedAt,
        estimatedTokens: a.estimatedTokens ?? b.estimatedTokens,
        usage: a.usage ?? b.usage,
        costMicros: a.costMicros ?? b.costMicros,
        retry: later(a.retry, b.retry),
      }

export const joinCommands = (a: CommandView | undefined, b: CommandView): CommandView =>
  a === undefined
    ? b
    : {
        id: b.id,
        seq: Math.min(a.seq, b.seq),
        itemId: a.itemId,
        started: a.started ?? b.started,
        exited: a.exited ?? b.exited,
      }
