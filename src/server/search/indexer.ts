/**
 * Brings the index up to the log, in batches. Nobody waits for it, since a search looks through the rest itself.
 */
import type { Derivation } from '../../lib/behind.ts'
import { batchesAfter } from './docs.ts'
import type { SearchSource } from './search.ts'

export const createIndexer = (source: SearchSource): Derivation => ({
  catchUp: async (threadId, isStopping) => {
    let mark = await source.search.mark(threadId)
    for await (const { upTo, docs } of batchesAfter(source, threadId, mark)) {
      // Somebody else indexes the same thread: theirs is as good.
      if (!(await source.search.add(threadId, mark, upTo, docs))) return
      mark = upTo
      if (isStopping()) return
    }
  },
  behind: async () => (await source.search.behind()).map(({ threadId }) => threadId),
})
