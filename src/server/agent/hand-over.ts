/**
 * When a window ends: the model asked, a person asked, the budget is reached, the provider refused the length, or what
 * the window was frozen with no longer holds. How it goes on is the strategy's affair.
 */
import type { ErrorFact } from '../../protocol/error.ts'
import { Fault } from '../../protocol/error.ts'
import type { EventBody } from '../../protocol/event.ts'
import type { WindowReason } from '../../protocol/item.ts'
import type { Strategy } from '../../protocol/settings.ts'
import { hasTools } from '../context/assemble.ts'
import { type Fill, fillOf } from '../context/fill.ts'
import {
  noteNotSaved,
  windowFull,
  windowReminder,
  windowWouldNotFit,
} from '../context/fragments/window-filling.ts'
import { composeFirst } from './compose.ts'
import { fact } from './facts.ts'
import { openNextWindow } from './new-window.ts'
import type { TurnRun } from './run.ts'
import { handOverRequest, handoffStrategy } from './strategies/handoff.ts'
import { layersStrategy } from './strategies/layers.ts'
import type { WindowStrategy } from './strategies/types.ts'
import { toldReasons, windowsStrategy } from './strategies/windows.ts'

/** Windows in a row that may be full after one request; more would be a loop. */
const thinWindows = 3

const strategies: Record<Strategy, WindowStrategy> = {
  windows: windowsStrategy,
  handoff: handoffStrategy,
  layers: layersStrategy,
}

/** Whether what the turn brings can be said in the window that is open. */
const mismatch = ({ input }: TurnRun): WindowReason | null => {
  const { window, provider, model, tools } = input
  const { frozen } = window
  if (frozen === null) return null
  // What another program gave its model goes on as it would there, whatever the model is called.
  const sameFamily = frozen.imported === true || frozen.family === model.family
  if (frozen.wire !== provider.wire.kind || !sameFamily) return 'model_changed'
  if (frozen.thinking !== model.supports.reasoning) return 'thinking_changed'
  return hasTools(window, tools.specs) ? null : 'tools_changed'
}

/**
 * A document was asked for in this window, and the turn ended before there was one: the request would be answered in
 * place of what people say.
 */
const isBeingLeft = ({ input }: TurnRun): boolean =>
  input.window.rows.some(({ reason }) => reason === handOverRequest)

/** Whether blocks of the turn's wire may still be put into the open window. */
export const speaksSameWire = ({ input }: TurnRun): boolean =>
  input.window.frozen === null || input.window.frozen.wire === input.provider.wire.kind

const fill = (run: TurnRun): Fill =>
  fillOf(run.input.window, run.input.model, run.ports.control.settings().window)

export const openFirst = (run: TurnRun): Promise<void> =>
  openNextWindow(run, { reason: 'first_turn', focus: null }, composeFirst(run))

/** Opens the next window in the thread's way. Throws the Fault `window_too_small`. */
export const handOver = (run: TurnRun, reason: WindowReason, focus: string | null = null): Promise<void> => {
  const { strategy } = run.ports.control.settings()
  // The other strategies read the window with the turn's model, which cannot read this one.
  const chosen = mismatch(run) === null ? strategies[strategy] : windowsStrategy
  return chosen.open(run, { reason, focus })
}

/**
 * Before a turn's first request: a new window when this one cannot hold the turn. `messageTokens`: the message that is
 * not yet in it. True when one was opened; it has the message then.
 */
export const handOverAtStart = async (run: TurnRun, messageTokens: number): Promise<boolean> => {
  const { used, limit, forced } = fill(run)
  const { strategy } = run.ports.control.settings()
  const isFull = strategy !== 'layers' && (used >= limit || used + messageTokens >= forced)
  const changed = mismatch(run)
  if (changed === null && (await openWished(run))) return true
  const reason = changed ?? (isFull || isBeingLeft(run) ? 'budget' : null)
  if (reason === null) return false
  await handOver(run, reason)
  return true
}

/**
 * Opens the window that the model asked for, in this turn or in one that ended before; true when it is there. If it may
 * not be opened, the model and people are told why, once, and the thread goes on in the window that it has.
 */
const openWished = async (run: TurnRun): Promise<boolean> => {
  if (!run.wantsWindow) return false
  run.wantsWindow = false
  const failure = await run.ports.notes.lastFailure()
  if (failure === null)
    try {
      await handOver(run, 'asked')
      return true
    } catch (error) {
      if (!isTooSmall(error) || isBeingLeft(run)) throw error
      tell(run, windowWouldNotFit(error.message), 'window_not_renewed')
    }
  else tell(run, noteNotSaved(failure.message), 'window_not_renewed')
  await warn(run, 'not_renewed')
  return false
}

const warn = async (run: TurnRun, kind: EventBody<'window.warned'>['kind']): Promise<void> => {
  const { used, remaining } = fill(run)
  const body = { kind, usedTokens: used, remainingTokens: remaining }
  await run.emit('window.warned', body, { actorId: 'system' })
}

/** Before each request. The error ends the turn: another window would be as full as this one. */
export const tendWindow = async (run: TurnRun): Promise<ErrorFact | null> => {
  const { ports } = run
  const asked = ports.control.takeWindow()
  if (asked !== null) {
    run.wantsWindow = false
    await handOver(run, 'person', asked.focus ?? null)
    return null
  }
  const changed = mismatch(run)
  if (changed === null && (await openWished(run))) return null
  const reason = changed ?? (isBeingLeft(run) ? 'budget' : null)
  if (reason !== null) {
    await handOver(run, reason)
    return null
  }
  const now = fill(run)
  const action = strategies[ports.control.settings().strategy].decide(run, now)
  switch (action.type) {
    case 'none':
      return null
    case 'tell': {
      const text = action.kind === 'limit' ? windowFull() : windowReminder(now.remaining)
      tell(run, text, toldReasons[action.kind])
      await warn(run, action.kind)
      return null
    }
    case 'open':
      run.thinWindows = run.windowSteps <= 1 && run.steps > 0 ? run.thinWindows + 1 : 0
      if (run.thinWindows >= thinWindows) return full(now)
      await handOver(run, action.reason)
      return null
  }
}

const full = ({ used, limit }: Fill): ErrorFact =>
  fact(
    'window_too_small',
    `${thinWindows} windows in a row were full after one request: about ${used} of ${limit} tokens.`,
    'Ask for smaller pieces of the work, raise the limit of the window in the settings, or choose a model with a larger window.',
    { used, limit },
  )

/** The provider said that the request was too long: one new window, then the turn ends. */
export const handOverAfterOverflow = async (run: TurnRun): Promise<boolean> => {
  if (run.overflowed) return false
  run.overflowed = true
  await handOver(run, 'overflow')
  return true
}

/** A turn that ends for want of room is at its limit, not broken. */
export const isTooSmall = (error: unknown): error is Fault =>
  error instanceof Fault && error.code === 'window_too_small'

const tell = (run: TurnRun, text: string, reason: string): void =>
  run.tell({ kind: 'developer', parts: [{ type: 'text', text }] }, { reason })
