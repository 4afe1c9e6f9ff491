/**
 * What an op needs beside the right to give ops at all: most need no more, a few are the owner's.
 */
import type { Op } from '../../protocol/op.ts'
import type { Action } from './types.ts'

/** Opens the sandbox to the outside, or ends the thread for everybody. */
const ofTheOwner = new Set<Op['type']>(['egress.allow', 'thread.close'])

export const actionOf = (op: Op): Action => {
  if (ofTheOwner.has(op.type)) return 'thread.write'
  if (op.type !== 'thread.settings') return 'thread.op'
  // What lets commands write or reach more is given by whoever answers for the thread.
  const { permission, egress } = op.settings
  return permission === 'full-access' || (egress ?? 'none') !== 'none' ? 'thread.write' : 'thread.op'
}
