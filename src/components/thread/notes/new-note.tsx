'use client'
import { type FormEvent, useState } from 'react'
import { type NoteKey, useNoteList, useSaveNote } from '../../../client/notes.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { Fault } from '../../../protocol/error.ts'
import { noteLimits, parseNotePath, rootAgent } from '../../../protocol/note.ts'
import { Button } from '../../ui/button.tsx'
import { useFactLine } from '../../ui/fact.ts'
import { AreaField, TextField } from '../../ui/field.tsx'

type NewNoteProps = { onDone: (note: NoteKey) => void; onCancel: () => void }

/** A note that a person writes for the agent. */
export function NewNote({ onDone, onCancel }: NewNoteProps) {
  const factLine = useFactLine()
  const t = useTranslations('notes')
  const save = useSaveNote()
  const known = useNoteList().data?.files
  const [path, setPath] = useState('')
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (path.trim() === '') return setProblem(t('pathMissing'))
    setProblem(null)
    try {
      const note = parseNotePath(path.trim(), rootAgent)
      if (known?.some((file) => file.path === note.path && file.agentPath === note.agentPath))
        return setProblem(t('exists'))
      setBusy(true)
      const saved = await save(note, text, 0)
      if (saved.ok) onDone(note)
      else setProblem(factLine(saved.error))
    } catch (error) {
      setProblem(error instanceof Fault ? factLine(error) : String(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="space-y-3 p-3">
      <TextField
        label={t('newPath')}
        hint={t('newPathHint')}
        value={path}
        maxLength={noteLimits.pathChars}
        error={problem}
        onChange={(event) => setPath(event.target.value)}
      />
      <AreaField
        label={t('content')}
        value={text}
        className="min-h-48 font-mono text-[12.5px]"
        onChange={(event) => setText(event.target.value)}
      />
      <div className="flex gap-2">
        <Button small look="primary" type="submit" disabled={busy}>
          {busy ? t('saving') : t('save')}
        </Button>
        <Button small onClick={onCancel}>
          {t('cancel')}
        </Button>
      </div>
    </form>
  )
}
