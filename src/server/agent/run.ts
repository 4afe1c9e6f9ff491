/**
 * What one turn carries along: its figures, the rows that wait for their event, and the ways in which it can be stopped.
 */

import type { ErrorFact } from '../../protocol/error.ts'
import { Fault } from '../../protocol/error.ts'
import {
  addUsage,
  type EventBody,
  type EventType,
  type NewEvent,
  noUsage,
  type Usage,
} from '../../protocol/event.ts'
import type { UserMessage } from '../../protocol/item.ts'
import type { Rules } from '../context/agents-md.ts'
import type { NewBlock } from '../context/types.ts'
import { append, type BlockNote } from '../context/window.ts'
import type { PromptBlock } from '../providers/types.ts'
import { workspacePath } from '../sandbox/types.ts'
import { addCost } from './cost.ts'
import type { AgentPorts, Emitted, StopReason, TurnInput } from './types.ts'

/** Why a turn was stopped from outside its own loop. */
export type TurnStop = { type: 'person' } | { type: 'limit'; error: ErrorFact } | { type: 'abandon' }

/** Thrown where work must end at once; `runTurn` turns it into the turn's end. */
export class Stopped extends Error {
  readonly stop: TurnStop
  constructor(stop: TurnStop) {
    super(`turn stopped: ${stop.type}`)
    this.name = 'Stopped'
    this.stop = stop
  }
}

export type TurnRun = {
  ports: AgentPorts
  input: TurnInput
  cwd: string
  startedAt: number
  steps: number
  usage: Usage
  costMicros: number | null
  /** Milliseconds that the turn has taken; waiting for people does not count. */
  elapsedMs(): number
  /** A person is waited for from now until the function it gives is called. */
  pauseTime(): () => void
  /** What AGENTS.md says; undefined = nobody has looked yet. */
  rules: Rules | null | undefined
  /** SHA-256 of their text as this turn put it into the log; null = it did not. */
  recordedRules: string | null
  /** What people said in this turn, whole: every window of the turn is given it. */
  messages: UserMessage[]
  /** The model asked for a new window, in this turn or in one that ended before it was opened. */
  wantsWindow: boolean
  /** Answered requests in the current window during this turn. */
  windowSteps: number
  /** Windows in a row that were full after one request. */
  thinWindows: number
  /** The provider refused the request for its length, and no request went through since. */
  overflowed: boolean
  /** The checkpoint in progress; never rejects. */
  checkpoint: Promise<void>
  /** Aborted when the turn must end; `stop()` says why. */
  signal: AbortSignal
  stop(): TurnStop | null
  halt(stop: TurnStop): void
  /** Throws `Stopped` when the turn must end. */
  check(): void
  /** Appends to the window; the row goes into the log with the next event. */
  tell(block: PromptBlock, about: BlockNote): void
  keep(rows: NewBlock[]): void
  takeRows(): NewBlock[]
  /** Writes an event of this turn with the rows that wait. */
  emit<T extends EventType>(type: T, body: EventBody<T>, about?: EventPlace): Promise<Emitted>
  event<T extends EventType>(type: T, body: EventBody<T>, about?: EventPlace): NewEvent
  spend(usage: Usage, costMicros: number | null): void
  /** Lets go of the signal from outside. */
  close(): void
}

type EventPlace = { stepId?: string; itemId?: string; actorId?: string }

export const createRun = (ports: AgentPorts, input: TurnInput): TurnRun => {
  const controller = new AbortController()
  let rows: NewBlock[] = []
  let stopped: TurnStop | null = null
  const startedAt = input.resume?.startedAt ?? ports.clock.now()
  let waiting = 0
  let since = 0
  let waitedMs = 0
  const halt = (stop: TurnStop): void => {
    // A lost lease wins over everything: after it nothing may be written.
    if (stopped !== null && stop.type !== 'abandon') return
    stopped = stop
    controller.abort(new Stopped(stop))
  }
  const follow = (): void => {
    const reason = ports.control.signal.reason as StopReason | undefined
    halt(reason?.type === 'person' ? { type: 'person' } : { type: 'abandon' })
  }
  if (ports.control.signal.aborted) follow()
  else ports.control.signal.addEventListener('abort', follow, { once: true })

  const event = <T extends EventType>(type: T, body: EventBody<T>, about: EventPlace = {}): NewEvent =>
    ({
      type,
      windowId: input.window.windowId,
      ...(input.turnId === '' ? {} : { turnId: input.turnId }),
      ...(about.stepId === undefined ? {} : { stepId: about.stepId }),
      ...(about.itemId === undefined ? {} : { itemId: about.itemId }),
      actorId: about.actorId ?? 'agent',
      body,
    }) as NewEvent

  const takeRows = (): NewBlock[] => {
    const taken = rows
    rows = []
    return taken
  }

  return {
    ports,
    input,
    cwd: input.cwd ?? workspacePath,
    startedAt,
    steps: input.resume?.steps ?? 0,
    usage: input.resume?.usage ?? noUsage,
    costMicros: input.resume?.costMicros ?? null,
    elapsedMs: () => ports.clock.now() - startedAt - waitedMs - (waiting > 0 ? ports.clock.now() - since : 0),
    pauseTime() {
      if (waiting === 0) since = ports.clock.now()
      waiting += 1
      return () => {
        waiting -= 1
        if (waiting === 0) waitedMs += ports.clock.now() - since
      }
    },
    rules: undefined,
    recordedRules: null,
    messages: [],
    wantsWindow: input.wantsWindow,
    windowSteps: 0,
    thinWindows: 0,
    overflowed: false,
    checkpoint: Promise.resolve(),
    signal: controller.signal,
    stop: () => stopped,
    halt,
    check() {
      if (stopped !== null) throw new Stopped(stopped)
    },
    tell(block, about) {
      const row = append(input.window, input.provider.wire, block, about)
      if (row !== null) rows.push(row)
    },
    keep(more) {
      rows.push(...more)
    },
    takeRows,
    event,
    async emit(type, body, about) {
      // A run that was abandoned is somebody else's now: late tools must not write.
      if (stopped?.type === 'abandon') throw new Stopped(stopped)
      return recorded(() => ports.recorder.emit(event(type, body, about), takeRows()), halt)
    },
    spend(usage, costMicros) {
      this.usage = addUsage(this.usage, usage)
      this.costMicros = addCost(this.costMicros, costMicros)
    },
    close: () => ports.control.signal.removeEventListener('abort', follow),
  }
}

/** A log that cannot be written ends the run without a word in it: whoever holds the lease goes on from what is there. */
export const recorded = async <T>(write: () => Promise<T>, halt: (stop: TurnStop) => void): Promise<T> => {
  try {
    return await write()
  } catch (error) {
    if (error instanceof Fault && error.code === 'lease_lost') {
      halt({ type: 'abandon' })
      throw new Stopped({ type: 'abandon' })
    }
    throw error
  }
}
