'use client'
import { type KeyboardEvent, useState } from 'react'
import { useNote, useSaveNote } from '../../../client/notes.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { visible } from '../../../lib/visible.ts'
import type { ErrorFact } from '../../../protocol/error.ts'
import type { NoteText } from '../../../protocol/note.ts'
import { Button } from '../../ui/button.tsx'
import { useFactLine } from '../../ui/fact.ts'
import { AreaField } from '../../ui/field.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { useName } from '../names.tsx'
import { TextDiff } from './text-diff.tsx'

type NoteEditorProps = {
  /** The version that is edited. */
  base: NoteText
  /** The newest one: it may be another by now. */
  newest: NoteText
  onDone: () => void
}

/**
 * Edits a note. Whatever others write meanwhile is told before saving, with the difference; what came in between all the
 * same is told after it. Both are always kept.
 */
export function NoteEditor({ base, newest, onDone }: NoteEditorProps) {
  const factLine = useFactLine()
  const t = useTranslations('notes')
  const save = useSaveNote()
  const [text, setText] = useState(base.text)
  const [seen, setSeen] = useState(base.version)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const [conflict, setConflict] = useState<ErrorFact | null>(null)

  const submit = async (): Promise<void> => {
    setBusy(true)
    setProblem(null)
    const saved = await save(base, text, seen)
    setBusy(false)
    if (!saved.ok) setProblem(factLine(saved.error))
    else if (saved.conflict !== null) setConflict(saved.conflict)
    else onDone()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    void submit()
  }

  if (conflict !== null) {
    const over = Number(conflict.details?.overVersion ?? 0)
    return (
      <div className="p-3" data-testid="note-conflict">
        <p role="status" className="rounded-md bg-wait-soft px-2 py-1.5 text-sm">
          {conflict.message}
        </p>
        {over > 0 && <Against base={base} version={over} text={text} />}
        <Button small className="mt-2" onClick={onDone}>
          {t('dismiss')}
        </Button>
      </div>
    )
  }
  return (
    <div className="space-y-2 p-3">
      {newest.version > seen && (
        <Newer
          newest={newest}
          text={text}
          onTake={() => {
            setText(newest.text)
            setSeen(newest.version)
          }}
        />
      )}
      <AreaField
        label={t('text', { path: visible(base.path) })}
        value={text}
        error={problem}
        spellCheck={false}
        className="min-h-64 field-sizing-content font-mono text-[12.5px] leading-5"
        onKeyDown={onKeyDown}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="flex gap-2">
        <Button small look="primary" disabled={busy} onClick={() => void submit()}>
          {busy ? t('saving') : t('save')}
        </Button>
        <Button small onClick={onDone}>
          {t('cancel')}
        </Button>
      </div>
    </div>
  )
}

/** Somebody wrote while a person edits. */
function Newer({ newest, text, onTake }: { newest: NoteText; text: string; onTake: () => void }) {
  const t = useTranslations('notes')
  const name = useName(newest.actorId)
  const [open, setOpen] = useState(false)
  return (
    <div role="status" className="rounded-md bg-wait-soft px-2 py-1.5" data-testid="note-newer">
      <p className="text-sm font-medium">{t('newer', { name, version: newest.version })}</p>
      <p className="text-xs text-soft">{t('newerText')}</p>
      <div className="flex flex-wrap gap-2 py-1.5">
        <Button small aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? t('hideBoth') : t('showBoth')}
        </Button>
        <Button small onClick={onTake}>
          {t('takeTheirs')}
        </Button>
      </div>
      {open && (
        <div className="overflow-hidden rounded-md border border-line bg-background">
          <p className="px-2 pt-1 text-xs text-faint">{t('between', { version: newest.version })}</p>
          <TextDiff name={newest.path} before={newest.text} after={text} />
        </div>
      )}
    </div>
  )
}

function Against({ base, version, text }: { base: NoteText; version: number; text: string }) {
  const t = useTranslations('notes')
  const theirs = useNote(base, version)
  if (theirs.data === undefined) return <Skeleton className="my-2 h-12" />
  return (
    <div className="mt-2 overflow-hidden rounded-md border border-line">
      <p className="px-2 pt-1 text-xs text-faint">{t('between', { version })}</p>
      <TextDiff name={base.path} before={theirs.data.text} after={text} />
    </div>
  )
}
