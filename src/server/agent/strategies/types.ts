/** What a strategy decides: when a window ends, and what the next one begins with. */
import type { WindowReason } from '../../../protocol/item.ts'
import type { Fill } from '../../context/fill.ts'
import type { Opening } from '../new-window.ts'
import type { TurnRun } from '../run.ts'

export type Action =
  | { type: 'none' }
  /** The model is told something about its window, once. */
  | { type: 'tell'; kind: 'reminder' | 'limit' }
  | { type: 'open'; reason: WindowReason }

export type WindowStrategy = {
  /** Asked before every model request. Changes nothing. */
  decide(run: TurnRun, fill: Fill): Action
  /** Opens the next window. Throws the Fault `window_too_small` before anything is written. */
  open(run: TurnRun, opening: Opening): Promise<void>
}
