/** history_list_windows: the context windows of the thread. */
import { z } from 'zod'
import { filterOf, pageInput } from './history-filter.ts'
import { cursorLine, windowLine } from './looked-up.ts'
import { proseBeside } from './prose.ts'
import { defineTool } from './registry.ts'

const Input = z.object({
  limit: z.int().min(1).max(100).optional().describe('Default: 20.'),
  ...pageInput,
})
type Input = z.infer<typeof Input>

export const historyListWindows = defineTool<Input, Input>({
  name: 'history_list_windows',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: true,
  repeatable: true,
  prepare: async (input) => ({ prepared: input }),
  async invoke(input, { history }) {
    const { entries, cursor } = await history.windows(filterOf(input, input.limit ?? 20))
    return {
      ok: true,
      text: entries.map(windowLine).join('\n') + cursorLine(cursor),
      detail: { type: 'list', path: 'history', entries: entries.length },
    }
  },
})
