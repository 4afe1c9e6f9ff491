/**
 * The exact request of a step from stored bytes: the blocks that it was given, its envelope, its cache marks, joined by
 * the window's wire. Nothing is serialised again, so the hash is the one of what was sent.
 */
import { Fault } from '../../protocol/error.ts'
import type { WireKind } from '../providers/types.ts'
import { wireFor } from '../providers/wire.ts'
import { decodeWireBlock } from '../providers/wire-block.ts'
import type { Store, StoredStep } from '../store/types.ts'

type Source = Pick<Store, 'windows' | 'blobs'>

export const noStep = (): Fault =>
  new Fault(
    'not_found',
    'There is no such step in this thread.',
    'Check the link, or choose a step from the list.',
  )

/** What a request is rebuilt from. */
export type Kept = { threadId: string; step: StoredStep; wire: WireKind }

/** Null for a step of which no request was kept, as of a rollout that was read from a file of another program. */
export const keptStep = async (source: Source, threadId: string, stepId: string): Promise<Kept | null> => {
  const step = await source.windows.step(threadId, stepId)
  if (!step) return null
  const window = await source.windows.get(step.windowId)
  return window ? { threadId, step, wire: window.frozen.wire } : null
}

/** The bytes that went out; null when parts of it are not there (a redacted file leaves them out). */
export const rebuildRequest = async (
  source: Source,
  { threadId, step, wire }: Kept,
): Promise<Uint8Array | null> => {
  if (step.blockCount === 0) return null
  const [blocks, envelope] = await Promise.all([
    source.windows.blocks(step.windowId, 0, step.blockCount),
    source.blobs
      .of(threadId)
      .get(step.envelopeHash)
      .catch((error: unknown) => {
        if (error instanceof Fault && error.code === 'not_found') return null
        throw error
      }),
  ])
  if (envelope === null || blocks.length < step.blockCount || blocks.some((block) => block.wire.length === 0))
    return null
  return wireFor(wire).assembleBody(
    envelope,
    blocks.map((block) => decodeWireBlock(block.wire)),
    step.cacheMarks,
  )
}
