/**
 * The one fold from events to what a thread looks like, for server, browser and viewer. It knows neither network nor
 * clock nor screen. `applyEvents` changes the view it is given (a thread has 100,000 events; copies would cost more than
 * the work) but replaces every entry that changed, so that an entry can be compared by identity.
 */
import type { ThreadEvent } from './event.ts'
import type { SandboxStatus } from './thread.ts'
import {
  type CheckpointView,
  type CommandView,
  emptyView,
  type ItemView,
  joinCommands,
  joinItems,
  joinSteps,
  joinTurns,
  type Latest,
  later,
  type MarkerEvent,
  type StepView,
  type ThreadView,
  type TimelineEntry,
  type TurnStatus,
  type TurnView,
  type WindowClosing,
} from './view.ts'

/**
 * Adds events at the newer end. Events that are already in are skipped; the first one that does not follow stops the
 * work and `gap` names the seq that was expected. An empty view begins wherever the first event is.
 */
export function applyEvents(view: ThreadView, events: readonly ThreadEvent[]): { gap: number | null } {
  for (const event of events) {
    if (view.lastSeq > 0 && event.seq <= view.lastSeq) continue
    if (view.lastSeq > 0 && event.seq !== view.lastSeq + 1) return { gap: view.lastSeq + 1 }
    if (view.firstSeq === 0) view.firstSeq = event.seq
    view.lastSeq = event.seq
    fold(view, event)
  }
  return { gap: null }
}

/** Folds one page alone. */
export function foldPage(events: readonly ThreadEvent[]): ThreadView {
  const view = emptyView()
  applyEvents(view, events)
  return view
}

/**
 * Puts an older page, folded alone, in front of a view and returns the joined view; both are used up. Throws a
 * RangeError when the older one does not end right before the newer one begins.
 */
export function prependView(older: ThreadView, newer: ThreadView): ThreadView {
  if (older.lastSeq === 0) return newer
  if (newer.lastSeq === 0) return older
  if (older.lastSeq + 1 !== newer.firstSeq)
    throw new RangeError(`page ends at ${older.lastSeq}, the view begins at ${newer.firstSeq}`)
  for (const item of newer.items.values()) older.items.set(item.id, joinItems(older.items.get(item.id), item))
  for (const turn of newer.turns.values()) older.turns.set(turn.id, joinTurns(older.turns.get(turn.id), turn))
  for (const step of newer.steps.values()) older.steps.set(step.id, joinSteps(older.steps.get(step.id), step))
  for (const command of newer.commands.values())
    older.commands.set(command.id, joinCommands(older.commands.get(command.id), command))
  for (const [key, marker] of newer.markers) older.markers.set(key, marker)
  for (const [id, window] of newer.windows) older.windows.set(id, window)
  for (const [id, closed] of newer.closings) closeWindow(older, id, closed)
  for (const [id, pin] of newer.pins) older.pins.set(id, pin)
  const known = new Set(older.timeline.map((entry) => entry.key))
  return {
    firstSeq: older.firstSeq,
    lastSeq: newer.lastSeq,
    items: older.items,
    turns: older.turns,
    steps: older.steps,
    commands: older.commands,
    markers: older.markers,
    timeline: [...older.timeline, ...newer.timeline.filter((entry) => !known.has(entry.key))],
    checkpoints: [...older.checkpoints, ...newer.checkpoints],
    settings: later(older.settings, newer.settings),
    queue: later(older.queue, newer.queue),
    planItemId: later(older.planItemId, newer.planItemId),
    sandbox: later(older.sandbox, newer.sandbox),
    context: later(older.context, newer.context),
    window: later(older.window, newer.window),
    windows: older.windows,
    closings: older.closings,
    pins: older.pins,
    warned: later(older.warned, newer.warned),
    document: later(older.document, newer.document),
    note: later(older.note, newer.note),
    title: older.title ?? newer.title,
  }
}

/** The end of a window may stand in a page whose beginning does not have its opening. */
function closeWindow(view: ThreadView, windowId: string, closed: WindowClosing): void {
  const window = view.windows.get(windowId)
  if (window === undefined) view.closings.set(windowId, closed)
  else view.windows.set(windowId, { ...window, closed })
}

function place(view: ThreadView, entry: TimelineEntry): void {
  view.timeline.push(entry)
}

function seeItem(view: ThreadView, event: Extract<ThreadEvent, { type: 'item.started' | 'item.completed' }>) {
  const { item } = event.body
  const seen: ItemView = {
    id: item.id,
    seq: event.seq,
    itemSeq: event.seq,
    item,
    actorId: event.actorId,
    windowId: event.windowId,
    turnId: event.turnId,
    stepId: event.stepId,
    at: event.at,
    completedAt: event.type === 'item.completed' ? event.at : undefined,
  }
  const known = view.items.get(item.id)
  view.items.set(item.id, joinItems(known, seen))
  if (known === undefined) place(view, { seq: event.seq, kind: 'item', key: item.id, turnId: event.turnId })
  if (item.type === 'plan') view.planItemId = { seq: event.seq, value: item.id }
}

function seeTurn(
  view: ThreadView,
  event: ThreadEvent,
  status: TurnStatus | undefined,
  more: Partial<TurnView> = {},
): void {
  const id = event.turnId
  if (id === undefined) return
  const seen: TurnView = {
    id,
    seq: event.seq,
    status: status === undefined ? undefined : { seq: event.seq, value: status },
    ...more,
  }
  view.turns.set(id, joinTurns(view.turns.get(id), seen))
}

function seeStep(view: ThreadView, event: ThreadEvent, more: Partial<StepView>): void {
  const id = event.stepId
  if (id === undefined) return
  view.steps.set(
    id,
    joinSteps(view.steps.get(id), { id, seq: event.seq, turnId: event.turnId, status: undefined, ...more }),
  )
}

function seeCommand(view: ThreadView, seen: CommandView): void {
  view.commands.set(seen.id, joinCommands(view.commands.get(seen.id), seen))
}

function seeMarker(view: ThreadView, event: MarkerEvent): void {
  const key = `seq:${event.seq}`
  view.markers.set(key, { key, seq: event.seq, at: event.at, turnId: event.turnId, event })
  place(view, { seq: event.seq, kind: 'marker', key, turnId: event.turnId })
}

const sandboxStatus: Partial<Record<ThreadEvent['type'], SandboxStatus>> = {
  'sandbox.starting': 'starting',
  'sandbox.ready': 'ready',
  'sandbox.stopped': 'stopped',
  'sandbox.lost': 'lost',
}

function fold(view: ThreadView, event: ThreadEvent): void {
  const at = <T>(value: T): Latest<T> => ({ seq: event.seq, value })
  const sandbox = sandboxStatus[event.type]
  if (sandbox !== undefined) view.sandbox = at(sandbox)
  // Any event of a turn is a sighting of it: a page may begin in its middle.
  if (event.turnId !== undefined && !view.turns.has(event.turnId)) seeTurn(view, event, undefined)

  switch (event.type) {
    case 'thread.created':
      view.title = event.body.title
      view.settings = at(event.body.settings)
      return
    case 'thread.settings_changed':
      view.settings = at(event.body.settings)
      seeMarker(view, event)
      return
    case 'turn.queued':
      seeTurn(view, event, 'queued', { opId: event.body.opId })
      return
    case 'turn.started':
      seeTurn(view, event, 'running', {
        opId: event.body.opId,
        model: event.body.model,
        modelLabel: event.body.modelLabel,
        startedAt: event.at,
      })
      return
    case 'turn.completed':
    case 'turn.interrupted':
    case 'turn.failed':
    case 'turn.limited': {
      const { usage, costMicros, durationMs, steps } = event.body
      seeTurn(view, event, event.type.slice('turn.'.length) as TurnStatus, {
        end: { usage, costMicros, durationMs, steps },
        endedAt: event.at,
        error: 'error' in event.body ? event.body.error : undefined,
        reason: 'reason' in event.body ? event.body.reason : undefined,
      })
      return
    }
    case 'approval.requested':
    case 'input.requested':
      seeTurn(view, event, 'waiting')
      return
    case 'approval.resolved':
      seeTurn(view, event, 'running')
      return
    case 'input.resolved':
      seeTurn(view, event, 'running')
      return
    case 'window.opened':
      view.window = at({ id: event.windowId, index: event.body.index })
      view.windows.set(event.windowId, {
        ...event.body,
        windowId: event.windowId,
        seq: event.seq,
        openedAt: event.at,
        turnId: event.turnId,
      })
      if (event.body.limitTokens !== undefined)
        view.context = at({
          contextTokens: event.body.tokens,
          contextLimit: event.body.limitTokens,
          cachedInput: 0,
        })
      return
    case 'window.closed':
      closeWindow(view, event.windowId, { ...event.body, at: event.at })
      return
    case 'window.pinned':
      view.pins.set(event.body.itemId, at(event.body.pinned))
      return
    case 'window.warned':
      view.warned = at({ ...event.body, windowId: event.windowId })
      return
    case 'note.written':
      view.note = at({ ...event.body, actorId: event.actorId })
      return
    case 'step.started':
      seeStep(view, event, {
        index: event.body.index,
        status: at('running'),
        startedAt: event.at,
        estimatedTokens: event.body.estimatedTokens,
      })
      view.document = at(
        event.body.purpose === undefined || event.stepId === undefined
          ? null
          : { stepId: event.stepId, turnId: event.turnId, startedAt: event.at },
      )
      return
    case 'step.completed':
      view.document = at(null)
      seeStep(view, event, {
        status: at('completed'),
        usage: event.body.usage,
        costMicros: event.body.costMicros,
      })
      view.context = at({
        contextTokens: event.body.contextTokens,
        contextLimit: event.body.contextLimit,
        cachedInput: event.body.usage.cachedInput,
      })
      return
    case 'step.cut':
    case 'step.failed':
      view.document = at(null)
      seeStep(view, event, {
        status: at(event.type === 'step.cut' ? 'cut' : 'failed'),
        usage: event.body.usage,
        costMicros: event.body.costMicros,
      })
      return
    case 'step.retried':
      seeStep(view, event, { retry: at(event.body) })
      return
    case 'item.started':
    case 'item.completed':
      seeItem(view, event)
      return
    case 'queue.changed':
      view.queue = at(event.body.queue)
      return
    case 'command.started':
      seeCommand(view, {
        id: event.body.commandId,
        seq: event.seq,
        itemId: event.body.itemId,
        started: { ...event.body, at: event.at },
      })
      return
    case 'command.exited':
      seeCommand(view, {
        id: event.body.commandId,
        seq: event.seq,
        itemId: event.body.itemId,
        exited: { ...event.body, at: event.at },
      })
      return
    case 'checkpoint.created': {
      const checkpoint: CheckpointView = { ...event.body, seq: event.seq, at: event.at, turnId: event.turnId }
      view.checkpoints.push(checkpoint)
      return
    }
    case 'server.restarted':
      view.document = at(null)
      seeMarker(view, event)
      return
    case 'sandbox.lost':
    case 'checkpoint.failed':
    case 'egress.denied':
    case 'thread.rewound':
    case 'thread.forked':
    case 'budget.stopped':
      seeMarker(view, event)
      return
    default:
      return
  }
}

/** Commands that are still running, oldest first. */
export const runningCommands = (view: ThreadView): CommandView[] =>
  [...view.commands.values()].filter(
    (command) => command.started !== undefined && command.exited === undefined,
  )
