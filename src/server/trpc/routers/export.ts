/**
 * The door on what an export would tell. The file itself leaves by a route.
 */
import { z } from 'zod'
import { ExportRedaction } from '../../../protocol/export.ts'
import { ThreadId } from '../../../protocol/ids.ts'
import { exporterOf } from '../../rollouts/export/export.ts'
import { router, threadDoor } from '../base.ts'

export const exportRouter = router({
  /** Reads the whole rollout, once for each state of it. */
  preview: threadDoor('thread.read')
    .input(z.object({ threadId: ThreadId, redaction: ExportRedaction }))
    .query(({ ctx, input }) => exporterOf(ctx.store).preview(input.threadId, input.redaction)),
})
