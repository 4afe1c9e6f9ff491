/**
 * The state of a thread that has just begun.
 */
import { noUsage, type ThreadEvent } from '../../protocol/event.ts'
import type { ThreadSettings } from '../../protocol/settings.ts'
import { noLandmarks } from '../../protocol/thread.ts'
import type { ThreadState } from '../store/types.ts'

export const firstState = (first: ThreadEvent, settings: ThreadSettings): ThreadState => ({
  status: 'idle',
  sandbox: 'absent',
  settings,
  windowId: first.windowId,
  windowIndex: 0,
  turnId: null,
  turnStartedAt: null,
  head: first.seq,
  turns: 0,
  steps: 0,
  usage: noUsage,
  costMicros: 0,
  contextTokens: null,
  contextLimit: null,
  additions: 0,
  deletions: 0,
  filesChanged: 0,
  queued: 0,
  lastLine: '',
  lastError: null,
  pinnedItems: [],
  landmarks: noLandmarks,
  lockedModel: null,
  updatedAt: first.at,
})
