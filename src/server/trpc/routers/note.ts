/**
 * Doors on an agent's notes: its files, their texts and versions. They are written by an op.
 */
import { z } from 'zod'
import { ThreadId } from '../../../protocol/ids.ts'
import { noteLimits } from '../../../protocol/note.ts'
import { router, threadDoor } from '../base.ts'
import { given } from '../given.ts'

const NotePath = z.string().min(1).max(noteLimits.pathChars)
const Agent = z.object({ threadId: ThreadId, agentPath: z.string().max(1_000).optional() })
const OneNote = Agent.extend({ path: NotePath })

export const noteRouter = router({
  list: threadDoor('thread.read')
    .input(
      Agent.extend({
        prefix: z.string().max(noteLimits.pathChars).default(''),
        limit: z.int().min(1).max(500).default(200),
        after: NotePath.optional(),
      }),
    )
    .query(({ ctx, input: { threadId, ...query } }) => ctx.worker.noteList(threadId, given(query))),

  read: threadDoor('thread.read')
    .input(OneNote.extend({ version: z.int().min(1).optional() }))
    .query(({ ctx, input: { threadId, ...note } }) => ctx.worker.noteRead(threadId, given(note))),

  /** Newest first; the last one of a page is where the next goes on. */
  versions: threadDoor('thread.read')
    .input(
      OneNote.extend({
        before: z.int().min(1).max(2_147_483_647).optional(),
        limit: z.int().min(1).max(300).default(200),
      }),
    )
    .query(({ ctx, input: { threadId, ...note } }) => ctx.worker.noteVersions(threadId, given(note))),
})
