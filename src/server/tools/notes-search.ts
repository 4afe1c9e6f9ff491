/** notes_search: lines of notes that hold a literal text. */
import { z } from 'zod'
import { maxQueryChars } from '../../protocol/history.ts'
import { notePath } from '../../protocol/note.ts'
import { proseBeside } from './prose.ts'
import { defineTool } from './registry.ts'

const Input = z.object({
  query: z.string().min(1).max(maxQueryChars).describe('The text itself, in its case; no pattern.'),
  path_prefix: z.string().max(1_000).optional().describe('Only notes whose path begins with this.'),
  max_files: z.int().min(1).max(20).optional().describe('Default: 20.'),
  max_matches_per_file: z.int().min(1).max(10).optional().describe('Default: 10.'),
  recent_file_first: z.boolean().optional().describe('Default: true; else by name.'),
})
type Input = z.infer<typeof Input>

export const notesSearch = defineTool<Input, Input>({
  name: 'notes_search',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: true,
  repeatable: true,
  prepare: async (input) => ({ prepared: input }),
  async invoke(input, { notes }) {
    const { files, more } = await notes.search({
      query: input.query,
      maxFiles: input.max_files ?? 20,
      maxMatchesPerFile: input.max_matches_per_file ?? 10,
      recentFirst: input.recent_file_first ?? true,
      ...(input.path_prefix === undefined ? {} : { prefix: input.path_prefix }),
    })
    const matches = files.reduce((sum, { lines }) => sum + lines.length, 0)
    const detail = { type: 'search', query: input.query, path: 'notes', matches } as const
    if (files.length === 0) return { ok: true, text: 'No match.', detail }
    const blocks = files.map(({ file, lines, more: rest }) =>
      [
        `${notePath(file, notes.agentPath)}:`,
        ...lines.map(({ line, text }) => `${line}:${text}`),
        ...(rest ? ['[more lines of this note match]'] : []),
      ].join('\n'),
    )
    const end = more ? '\n\n[More notes match; narrow the query or the prefix.]' : ''
    return { ok: true, text: blocks.join('\n\n') + end, detail }
  },
})
