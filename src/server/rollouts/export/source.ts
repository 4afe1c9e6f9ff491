/**
 * A rollout read in order, a page at a time, up to what there was when the reading began. Knows no file format.
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

export const openSource = async (store: ExportStore, threadId: string): Promise<RolloutSource> => {
  const manifest = await store.whole.manifest(threadId)
  const blobs = store.blobs.of(threadId)
  return {
    manifest,
    async *events(from = 1) {
      for (let after = from - 1; after < manifest.head; ) {
        const page = await store.log.after(threadId, after, Math.min(pageEvents, manifest.head - after))
        if (page.length === 0) return
        yield page
        after = page.at(-1)?.seq ?? manifest.head
      }
    },
    async *blocks(window, from = 0) {
      for (let at = from; at < window.blocks; ) {
        const page = await store.whole.blocks(window.windowId, at, Math.min(pageBlocks, window.blocks - at))
        if (page.length === 0) return
        yield page
        at += page.length
      }
    },
    async *steps(window) {
      for (let at = 0; at < window.steps; ) {
        const page = await store.whole.steps(window.windowId, at, Math.min(pageSteps, window.steps - at))
        if (page.length === 0) return
        yield page
        at += page.length
      }
    },
    blob: (hash) => blobs.read(hash),
    bytes: (hash) => blobs.get(hash),
  }
}
