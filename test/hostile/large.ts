// A thread whose texts are hostile by size and shape: deep nesting, lines without an end, a million values, a hundred
// thousand changed lines.
import type { Store } from '../../src/server/store/types.ts'
import { withLease } from '../setup/written-thread.ts'
import { longLine, longPatch, nested, wideJson } from './corpus.ts'
import { HostileThread } from './hostile-thread.ts'

const levels = 5_000

/** Texts that a model writes and that are read as Markdown. */
const deepMarkdown = (): Record<string, string> => {
  const { quotes, lists, emphasis, links, pictures, html, brackets } = nested(levels)
  return { quotes, lists, emphasis, links, pictures, html, brackets }
}

/** Texts that tools print and that are read as JSON or as lines. */
const largeOutputs = (): Record<string, string> => ({
  deepJson: nested(levels).json,
  longLine: longLine(10),
  wideJson: wideJson(1_000_000),
})

/** Each kind of text in an item of its own; its last message says that it is the end. */
export const seedLargeThread = (
  store: Store,
  { ownerId, projectId }: { ownerId: string; projectId: string },
): Promise<{ threadId: string }> =>
  withLease(store, async (leaseOwner) => {
    const thread = new HostileThread(store, leaseOwner, ownerId)
    await thread.open(projectId, 'Large and deep')
    const stored = async (text: string): Promise<{ text: string; blob: string; chars: number }> => {
      const blob = await store.blobs.put(Buffer.from(text))
      await store.blobs.ref(thread.threadId, blob)
      return { text: text.slice(0, 2_000), blob, chars: text.length }
    }
    const outputs = largeOutputs()
    const line = await stored(outputs.longLine ?? '')
    const patch = await stored(longPatch(100_000))
    await thread.bareTurn(async (stepId) => {
      thread.item({
        type: 'user_message',
        actorId: ownerId,
        content: [{ type: 'text', ...line }],
        via: 'start',
      })
      for (const text of Object.values(deepMarkdown())) {
        thread.item({ type: 'reasoning', text: await stored(text) }, stepId)
        thread.item({ type: 'agent_message', phase: 'commentary', text: { text } }, stepId)
      }
      for (const [tool, text] of Object.entries(outputs)) {
        const output = await stored(text)
        thread.call(stepId, tool, text.length < 100_000 ? text : '{}', {
          output,
          full: output.blob,
          detail: { type: 'other' },
        })
        thread.command(stepId, `cat ${tool}`, { blob: output.blob, bytes: text.length })
      }
      const files = [{ path: 'long.txt', change: 'added', additions: 100_000, deletions: 0 }]
      thread.call(stepId, 'apply_patch', patch, { output: { text: '' }, detail: { type: 'patch', files } })
    })
    await thread.flush('the end')
    return { threadId: thread.threadId }
  })
