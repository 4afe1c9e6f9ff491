/**
 * The block list of a window: opened empty or loaded from stored rows, then only appended to.
 */
import type { WindowSeed, WindowState } from './types.ts'

/** A window that has nothing yet, or the one that stored rows describe (rows in order of `idx`, without holes). */
export const loadWindow = (seed: WindowSeed): WindowState => ({
  windowId: seed.windowId,
  index: seed.index,
  frozen: seed.frozen,
  wire: [],
  tokens: 0,
  lastRequest: seed.lastRequest,
  tokensSince: 0,
  told: new Map(),
  openCalls: new Map(),
  messages: new Set(),
})
