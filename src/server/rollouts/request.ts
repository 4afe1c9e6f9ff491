/**
 * The exact request of a step from stored bytes: the blocks that it was given, its envelope, its cache marks, joined by
 * the window's wire. Nothing is serialised again, so the hash is the one of what was sent.
 */
import { createKept } from '../../lib/kept.ts'
import { sha256 } from '../../lib/sha256.ts'
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

/** What a request that was rebuilt is known by. */
export type Proof = { bytes: number; sha256: string }

/** Requests whose proof is kept: some hundred bytes each. */
const keptProofs = 5_000

/**
 * Rebuilds a request and hashes it, once: of what it is made nothing ever changes. Null when parts of it are not there;
 * then it is tried again by the next one who asks.
 */
export const createProver = (source: Source): ((kept: Kept) => Promise<Proof | null>) => {
  const proofs = createKept<Proof | null>(keptProofs, (proof) => proof && 1)
  return (kept) =>
    proofs(`${kept.threadId} ${kept.step.stepId} ${kept.step.bodySha256}`, async () => {
      const body = await rebuildRequest(source, kept)
      return body && { bytes: body.byteLength, sha256: sha256(body) }
    })
}
