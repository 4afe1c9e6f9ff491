/** notes_write: a note's new text as a whole. */
import { z } from 'zod'
import { proseBeside } from './prose.ts'
import { defineTool } from './registry.ts'
import { writtenAnswer } from './written-note.ts'

const Input = z.object({
  path: z.string().max(4_096).describe('For example "plan.md" or "findings/api.md".'),
  text: z.string().describe('The whole new text, at most 1,000,000 bytes.'),
  base_version: z
    .int()
    .min(0)
    .optional()
    .describe(
      'The version your text is made from; you are told when somebody wrote since. Default: the one you last saw.',
    ),
})
type Input = z.infer<typeof Input>

export const notesWrite = defineTool<Input, Input>({
  name: 'notes_write',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: false,
  prepare: async (input) => ({ prepared: input }),
  async invoke({ path, text, base_version }, { notes, itemId }) {
    const note = { path, text, ...(base_version === undefined ? {} : { baseVersion: base_version }) }
    return writtenAnswer(await notes.write(itemId, note), notes.agentPath)
  },
})
