/** history_list_items: messages, calls and results of all windows, newest first. */
import { z } from 'zod'
import { filterInput, filterOf } from './history-filter.ts'
import { cursorLine, entryLine } from './looked-up.ts'
import { proseBeside } from './prose.ts'
import { defineTool } from './registry.ts'

const Input = z.object({
  limit: z.int().min(1).max(20).optional().describe('Default: 10.'),
  max_chars_per_item: z
    .int()
    .min(1)
    .max(2_000)
    .optional()
    .describe('Characters of each item that are shown. Default: 400.'),
  ...filterInput,
})
type Input = z.infer<typeof Input>

export const historyListItems = defineTool<Input, Input>({
  name: 'history_list_items',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: true,
  repeatable: true,
  prepare: async (input) => ({ prepared: input }),
  async invoke(input, { history }) {
    const { entries, cursor } = await history.items({
      ...filterOf(input, input.limit ?? 10),
      maxChars: input.max_chars_per_item ?? 400,
    })
    const detail = { type: 'list', path: 'history', entries: entries.length } as const
    if (entries.length === 0) return { ok: true, text: 'No such items.', detail }
    const blocks = entries.map(
      (entry) => `${entryLine(entry)}\n${entry.text}${entry.more ? '\n[more: history_read_item]' : ''}`,
    )
    const text = blocks.join('\n\n') + cursorLine(cursor)
    return { ok: true, text, forModel: text, detail }
  },
})
