/** new_context: the model asks for a new window. What carries over is its notes, the hint and the history. */
import { z } from 'zod'
import { proseBeside } from './prose.ts'
import { refusal } from './refusal.ts'
import { defineTool } from './registry.ts'

const Input = z.object({})

export const newContext = defineTool<z.infer<typeof Input>, null>({
  name: 'new_context',
  description: proseBeside(import.meta.url),
  input: Input,
  parallelSafe: false,
  repeatable: true,
  fromText: () => ({}),
  // Alone in its turn, so notes that were written before it in the same answer have been kept or refused by now.
  async prepare(_input, { notes }) {
    const failure = await notes.lastFailure()
    return failure === null
      ? { prepared: null }
      : refusal(
          'note_rejected',
          `No new window was started: your last note was not saved (${failure.message})`,
          `Save the note first, then call new_context again. ${failure.next}`,
        )
  },
  async invoke(_prepared, { window }) {
    window.renew()
    return {
      ok: true,
      text: 'A new context window starts once all results of this answer are recorded. Nothing is summarised: your notes and the whole history stay within reach.',
      detail: { type: 'other' },
    }
  },
})
