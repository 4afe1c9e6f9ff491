/** What fills a window, for people: its blocks with the beginning of their words. */
import { Fault } from '../../protocol/error.ts'
import type { WindowBlockRow } from '../../protocol/thread.ts'
import { previewBytes, wirePreview } from '../providers/wire-preview.ts'
import type { Store } from '../store/types.ts'

/** Fault `not_found` when the window does not exist or is another thread's: the same answer for both. */
export const readBlocks = async (
  store: Pick<Store, 'windows'>,
  threadId: string,
  windowId: string,
  from: number,
  limit: number,
): Promise<{ blocks: WindowBlockRow[]; next: number | null }> => {
  const window = await store.windows.get(windowId)
  if (window?.threadId !== threadId)
    throw new Fault('not_found', 'There is no such window in this thread.', 'Reload the page.')
  const heads = await store.windows.heads(windowId, from, limit + 1, previewBytes)
  const blocks = heads.slice(0, limit).map(({ idx, kind, tokens, reason, itemId, head }) => ({
    idx,
    kind,
    tokens,
    reason,
    itemId,
    preview: wirePreview(head),
  }))
  return { blocks, next: heads.length > limit ? from + limit : null }
}
