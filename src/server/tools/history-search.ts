/** history_search: where something was said, done or printed, in all windows. */
import { z } from 'zod'
import { maxQueryChars } from '../../protocol/history.ts'
import { filterInput, filterOf } from './history-filter.ts'
import { cursorLine, entryLine, gapLine } from './looked-up.ts'
import { proseBeside } from './prose.ts'
import { defineTool } from './registry.ts'

const Input = z.object({
  query: z.string().min(1).max(maxQueryChars).describe('What to look for; no pattern.'),
  mode: z
    .enum(['literal', 'words'])
    .optional()
    .describe(
      'literal: exactly these characters, in this case. words: all of these whole words in any order and case; put a phrase in double quotes. Default: literal.',
    ),
  limit: z.int().min(1).max(20).optional().describe('Default: 10.'),
  best_first: z
    .boolean()
    .optional()
    .describe('The best matches among the newest, in place of an order by time; one page. Default: false.'),
  ...filterInput,
})
type Input = z.infer<typeof Input>

export const historySearch = defineTool<Input, Input>({
  name: 'history_search',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: true,
  repeatable: true,
  prepare: async (input) => ({ prepared: input }),
  async invoke(input, { history }) {
    const { query, mode = 'literal' } = input
    const found = await history.search({
      ...filterOf(input, input.limit ?? 10),
      query,
      mode,
      ...(input.best_first === undefined ? {} : { best: input.best_first }),
    })
    const rest = cursorLine(found.cursor) + gapLine(found.incomplete)
    const detail = { type: 'search', query, path: 'history', matches: found.entries.length } as const
    if (found.entries.length === 0) {
      const advice =
        mode === 'literal'
          ? 'Try single words with mode "words".'
          : 'Try fewer words, or a part with mode "literal".'
      return { ok: true, text: `No match${rest === '' ? `. ${advice}` : ` so far.${rest}`}`, detail }
    }
    const blocks = found.entries.map(
      (hit) => `${entryLine(hit)} · match at offset_chars ${hit.offset}\n${hit.snippet}`,
    )
    return { ok: true, text: blocks.join('\n\n') + rest, detail }
  },
})
