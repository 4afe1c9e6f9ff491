/**
 * When a window counts as full: the figures of the model, a thread's own in their place, and what is left of them.
 */
import type { WindowSettings } from '../../protocol/settings.ts'
import type { ModelInfo } from '../providers/types.ts'
import { budgetOf } from './budget.ts'
import type { WindowState } from './types.ts'

/** Tokens kept free above the limit, for saving notes; small windows keep an eighth. */
const bufferTokens = 16_384
const bufferShare = 1 / 8
/** The reminder comes with this much left before the limit; in small windows with a sixteenth. */
const reminderTokens = 6_144
const reminderShare = 1 / 16
/** A window of less would be full before anything was said. */
const leastLimit = 1_000

export type Fill = {
  /** Tokens that the next request would be given. */
  used: number
  /** At this much the model is told to save its notes and to ask for a new window. */
  limit: number
  /** Before the limit. */
  remaining: number
  /** With so much remaining the model is reminded. */
  reminder: number
  /** At this much the new window comes by itself; never more than the model can hold. */
  forced: number
}

export type Marks = Pick<Fill, 'limit' | 'reminder' | 'forced'>

/** The figures alone; `usableShare` of what the model holds is never passed. */
export const marksOf = (
  model: Pick<ModelInfo, 'contextTokens' | 'usableShare'>,
  own: WindowSettings = {},
): Marks => {
  const usable = Math.max(Math.floor(model.contextTokens * model.usableShare), leastLimit)
  const buffer = own.bufferTokens ?? Math.min(bufferTokens, Math.floor(usable * bufferShare))
  const most = own.limitTokens === undefined ? usable - buffer : Math.min(own.limitTokens, usable)
  const limit = Math.max(most, leastLimit)
  const reminder = own.reminderTokens ?? Math.min(reminderTokens, Math.floor(usable * reminderShare))
  return { limit, reminder, forced: Math.max(Math.min(limit + buffer, usable), leastLimit) }
}

/** Asked before every model request: a single long turn can fill a window. */
export const fillOf = (window: WindowState, model: ModelInfo, own: WindowSettings | undefined): Fill => {
  const marks = marksOf(model, own)
  const { used } = budgetOf(window, model)
  return { ...marks, used, remaining: Math.max(0, marks.limit - used) }
}
