/**
 * The door on what an export would tell. The file itself leaves by a route.
 */
import { z } from 'zod'
import { ExportRedaction } from '../../../protocol/export.ts'
import { ThreadId } from '../../../protocol/ids.ts'
import { exporterOf } from '../../rollouts/export/export.ts'
import { router, threadDoor, whileAllowed } from '../base.ts'

export const exportRouter = router({
  /**
   * One value. Reads the whole rollout, once for each state of it; a subscription, because only that is told when nobody
   * waits any more.
   */
  preview: threadDoor('thread.read')
    .input(z.object({ threadId: ThreadId, redaction: ExportRedaction }))
    .subscription(async function* ({ ctx, input: { threadId, redaction }, signal }) {
      yield* whileAllowed(ctx, signal ?? new AbortController().signal, async function* (until) {
        yield await exporterOf(ctx.store).preview(threadId, redaction, until)
      })
    }),
})
