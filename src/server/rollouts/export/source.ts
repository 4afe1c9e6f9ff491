/**
 * A rollout read in order, a page at a time, up to what there was when the reading began. Nobody left to read for ends
 * it at the next page. Knows no file format.
 */
import type { ThreadEvent } from '../../../protocol/event.ts'
import type { Store } from '../../store/types.ts'
import type { RolloutManifest } from '../../store/whole-types.ts'

/** Events have at most 8 KB each; blocks in their rows likewise. */
const pageEvents = 500
const pageBlocks = 200
const pageSteps = 1_000

export type ExportStore = Pick<Store, 'whole' | 'log' | 'blobs'>
export type WindowHead = RolloutManifest['windows'][number]
export type BlockRead = Awaited<ReturnType<Store['whole']['blocks']>>[number]
export type StepRead = Awaited<ReturnType<Store['whole']['steps']>>[number]

export type RolloutSource = {
  manifest: RolloutManifest
  events(from?: number): AsyncGenerator<ThreadEvent[]>
  blocks(window: WindowHead, from?: number): AsyncGenerator<BlockRead[]>
  steps(window: WindowHead): AsyncGenerator<StepRead[]>
  /** The bytes in chunks of at most 1 MB. */
  blob(hash: string): AsyncIterable<Uint8Array>
  /** All of it; for what is known to be small. */
  bytes(hash: string): Promise<Uint8Array>
}

export const openSource = async (
  store: ExportStore,
  threadId: string,
  signal?: AbortSignal,
): Promise<RolloutSource> => sourceOf(store, await store.whole.manifest(threadId), signal)

/** What a manifest tells of; reading rejects with the signal's reason once it aborted. */
export const sourceOf = (
  store: ExportStore,
  manifest: RolloutManifest,
  signal?: AbortSignal,
): RolloutSource => {
  const { threadId } = manifest
  const blobs = store.blobs.of(threadId)
  return {
    manifest,
    async *events(from = 1) {
      for (let after = from - 1; after < manifest.head; ) {
        signal?.throwIfAborted()
        const page = await store.log.after(threadId, after, Math.min(pageEvents, manifest.head - after))
        if (page.length === 0) return
        yield page
        after = page.at(-1)?.seq ?? manifest.head
      }
    },
    async *blocks(window, from = 0) {
      for (let at = from; at < window.blocks; ) {
        signal?.throwIfAborted()
        const page = await store.whole.blocks(window.windowId, at, Math.min(pageBlocks, window.blocks - at))
        if (page.length === 0) return
        yield page
        at += page.length
      }
    },
    async *steps(window) {
      for (let at = 0; at < window.steps; ) {
        signal?.throwIfAborted()
        const page = await store.whole.steps(window.windowId, at, Math.min(pageSteps, window.steps - at))
        if (page.length === 0) return
        yield page
        at += page.length
      }
    },
    async *blob(hash) {
      for await (const chunk of blobs.read(hash)) {
        signal?.throwIfAborted()
        yield chunk
      }
    },
    bytes: (hash) => blobs.get(hash),
  }
}
