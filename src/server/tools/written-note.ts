/** What the two tools that write notes answer. */
import { type NoteWritten, notePath } from '../../protocol/note.ts'
import { writerWords } from './looked-up.ts'
import type { ToolAnswer } from './types.ts'

export const writtenAnswer = ({ file, over, unchanged }: NoteWritten, self: string): ToolAnswer => {
  const name = notePath(file, self)
  const { version, bytes } = file
  const told =
    over === null
      ? ''
      : ` Version ${over.version} had been written meanwhile by ${writerWords(over.actorId)}; yours lies on top of it. Read it with notes_read (version ${over.version}) and bring over what matters.`
  return {
    ok: true,
    text: unchanged
      ? `${name} says this already (version ${version}, ${bytes} bytes).`
      : `${name} is saved as version ${version} (${bytes} bytes).${told}`,
    detail: { type: 'note', path: name, version, bytes },
  }
}
