/**
 * The first strategy: no summary and no model call. The model is reminded, then told to save its notes and to ask for a
 * new window; if it does not, the new window comes by itself, and the history has everything.
 */
import { composeNext } from '../compose.ts'
import { openNextWindow } from '../new-window.ts'
import type { WindowStrategy } from './types.ts'

/** Reasons of the rows that tell the model how full its window is: each stands in a window once. */
export const toldReasons = { reminder: 'window_reminder', limit: 'window_limit' } as const

export const windowsStrategy: WindowStrategy = {
  decide({ input }, { used, limit, remaining, reminder, forced }) {
    const { window, tools } = input
    // Without the tool the model can do nothing about it.
    const canAsk = tools.find('new_context') !== null
    if (used >= forced || (used >= limit && !canAsk)) return { type: 'open', reason: 'budget' }
    if (!canAsk) return { type: 'none' }
    const told = (kind: keyof typeof toldReasons): boolean =>
      window.rows.some(({ reason }) => reason === toldReasons[kind])
    if (used >= limit) return told('limit') ? { type: 'none' } : { type: 'tell', kind: 'limit' }
    if (remaining <= reminder && !told('reminder')) return { type: 'tell', kind: 'reminder' }
    return { type: 'none' }
  },

  open: (run, opening) => openNextWindow(run, opening, composeNext(run, opening)),
}
