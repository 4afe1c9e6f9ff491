/** notes_append: adds to the end of a note. */
import { z } from 'zod'
import { proseBeside } from './prose.ts'
import { defineTool } from './registry.ts'
import { writtenAnswer } from './written-note.ts'

const Input = z.object({
  path: z.string().max(4_096).describe('The note; made when it does not exist.'),
  text: z
    .string()
    .describe('What is added, as it is: begin or end it with a line break where one is needed.'),
})
type Input = z.infer<typeof Input>

export const notesAppend = defineTool<Input, Input>({
  name: 'notes_append',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: false,
  prepare: async (input) => ({ prepared: input }),
  invoke: async (input, { notes, itemId }) =>
    writtenAnswer(await notes.append(itemId, input), notes.agentPath),
})
