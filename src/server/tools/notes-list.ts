/** notes_list: which notes there are. */
import { z } from 'zod'
import { cursorLine, noteLine } from './looked-up.ts'
import { proseBeside } from './prose.ts'
import { defineTool } from './registry.ts'

const defaultResults = 50

const Input = z.object({
  prefix: z
    .string()
    .max(1_000)
    .optional()
    .describe('Only paths that begin with this. "/name/notes/" lists the notes of another agent.'),
  max_results: z.int().min(1).max(100).optional().describe('Default: 50.'),
  file_order_by: z.enum(['name', 'created_at', 'updated_at']).optional().describe('Default: updated_at.'),
  file_order: z
    .enum(['ascending', 'descending'])
    .optional()
    .describe('Default: descending by time, ascending by name.'),
  cursor: z.string().max(1_000).optional().describe('From the answer before, to go on.'),
})
type Input = z.infer<typeof Input>

export const notesList = defineTool<Input, Input>({
  name: 'notes_list',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: true,
  repeatable: true,
  prepare: async (input) => ({ prepared: input }),
  async invoke({ prefix, max_results, file_order_by = 'updated_at', file_order, cursor }, { notes }) {
    const order = file_order ?? (file_order_by === 'name' ? 'ascending' : 'descending')
    const found = await notes.list({
      limit: max_results ?? defaultResults,
      orderBy: file_order_by,
      descending: order === 'descending',
      ...(prefix === undefined ? {} : { prefix }),
      ...(cursor === undefined ? {} : { cursor }),
    })
    const detail = { type: 'list', path: prefix ?? 'notes', entries: found.entries.length } as const
    if (found.entries.length === 0) return { ok: true, text: 'There are no notes here.', detail }
    const lines = found.entries.map((file) => noteLine(file, notes.agentPath))
    return {
      ok: true,
      text: `${found.total} ${found.total === 1 ? 'note' : 'notes'}\n${lines.join('\n')}${cursorLine(found.cursor)}`,
      detail,
    }
  },
})
