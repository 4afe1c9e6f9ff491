'use client'
import { ArrowLeft } from 'lucide-react'
import { useState } from 'react'
import { factOf } from '../../../client/api.ts'
import { type NoteKey, useNote, useNoteVersions, useSaveNote } from '../../../client/notes.ts'
import { useMay } from '../../../client/thread-people.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatBytes } from '../../../lib/format.ts'
import type { NoteFile, NoteText } from '../../../protocol/note.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { useFactLine } from '../../ui/fact.ts'
import { Shown } from '../../ui/shown.tsx'
import { Skeleton, Trouble } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { useName } from '../names.tsx'
import { NoteEditor } from './note-editor.tsx'
import { TextDiff } from './text-diff.tsx'

/** One note: its newest text, its versions and what each changed, and the editor. */
export function NoteView({ note, onBack }: { note: NoteKey; onBack: () => void }) {
  const t = useTranslations('notes')
  const newest = useNote(note)
  const [part, setPart] = useState<'text' | 'versions'>('text')
  const [editing, setEditing] = useState<NoteText | null>(null)
  const data = newest.data
  const may = useMay('driver')
  return (
    <div data-testid="note">
      <div className="sticky top-0 z-10 flex h-10 items-center gap-1 border-b border-line bg-background px-2">
        <IconButton label={t('back')} onClick={onBack}>
          <ArrowLeft aria-hidden />
        </IconButton>
        <code className="min-w-0 flex-1 truncate text-[12.5px]">
          <Shown text={note.path} />
        </code>
        {data !== undefined && editing === null && (
          <>
            <Button
              small
              look="quiet"
              aria-pressed={part === 'versions'}
              onClick={() => setPart(part === 'versions' ? 'text' : 'versions')}
              className={cn(part === 'versions' && 'bg-hover text-foreground')}
            >
              {t('versions')}
              <span className="text-faint tabular">{data.version}</span>
            </Button>
            {may && (
              <Button small onClick={() => setEditing(data)}>
                {t('edit')}
              </Button>
            )}
          </>
        )}
      </div>
      {newest.isPending && <Skeleton className="m-3 h-24" />}
      {newest.isError && (
        <div className="p-3">
          <Trouble title={t('failed')} fact={factOf(newest.error)}>
            <Button small onClick={() => void newest.refetch()}>
              {t('retry')}
            </Button>
          </Trouble>
        </div>
      )}
      {data !== undefined &&
        (editing !== null ? (
          <NoteEditor base={editing} newest={data} onDone={() => setEditing(null)} />
        ) : part === 'versions' ? (
          <Versions note={note} />
        ) : (
          <>
            <WroteLine file={data} />
            <NoteBody text={data.text} />
          </>
        ))}
    </div>
  )
}

function WroteLine({ file }: { file: NoteFile }) {
  const t = useTranslations('notes')
  const name = useName(file.actorId)
  return (
    <p className="flex flex-wrap gap-x-1.5 px-3 pt-2 text-xs text-faint tabular">
      <span>{t('wrote', { name, version: file.version })}</span>
      <span aria-hidden>·</span>
      <Ago at={file.updatedAt} />
      <span aria-hidden>·</span>
      <span>{formatBytes(file.bytes)}</span>
    </p>
  )
}

function NoteBody({ text }: { text: string }) {
  const t = useTranslations('notes')
  if (text === '') return <p className="p-3 text-sm text-soft">{t('empty')}</p>
  return (
    <pre className="p-3 text-[12.5px] leading-5 whitespace-pre-wrap wrap-anywhere" data-testid="note-text">
      <Shown text={text} />
    </pre>
  )
}

/** Every version, newest first; each opens to what it changed. */
function Versions({ note }: { note: NoteKey }) {
  const t = useTranslations('notes')
  const versions = useNoteVersions(note)
  if (versions.isPending) return <Skeleton className="m-3 h-16" />
  if (versions.isError)
    return (
      <div className="p-3">
        <Trouble title={t('failed')}>
          <Button small onClick={() => void versions.refetch()}>
            {t('retry')}
          </Button>
        </Trouble>
      </div>
    )
  return (
    <>
      <ul aria-label={t('versions')}>
        {versions.data.map((file, index) => (
          <Version
            key={file.version}
            file={file}
            newest={versions.data[0]?.version ?? file.version}
            openAtFirst={index === 0}
          />
        ))}
      </ul>
      {versions.hasNextPage && (
        <div className="p-3">
          <Button small disabled={versions.isFetchingNextPage} onClick={() => void versions.fetchNextPage()}>
            {t('more')}
          </Button>
        </div>
      )}
    </>
  )
}

type VersionProps = { file: NoteFile; newest: number }

function Version({ file, newest, openAtFirst }: VersionProps & { openAtFirst: boolean }) {
  const t = useTranslations('notes')
  const name = useName(file.actorId)
  const [open, setOpen] = useState(openAtFirst)
  return (
    <li className="border-b border-line">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex h-8 w-full items-center gap-1.5 px-3 text-left text-xs text-soft tabular row-hover focus-visible:-outline-offset-2"
      >
        <span className="min-w-0 flex-1 truncate">{t('wrote', { name, version: file.version })}</span>
        <Ago at={file.updatedAt} className="text-faint" />
        <span className="w-14 text-right text-faint">{formatBytes(file.bytes)}</span>
      </button>
      {open && <VersionBody file={file} newest={newest} />}
    </li>
  )
}

function VersionBody({ file, newest }: VersionProps) {
  const factLine = useFactLine()
  const t = useTranslations('notes')
  const save = useSaveNote()
  const [problem, setProblem] = useState<string | null>(null)
  const may = useMay('driver')
  const text = useNote(file, file.version)
  const before = useNote(file, Math.max(1, file.version - 1))
  if (text.isError || before.isError) return <p className="px-3 py-2 text-xs text-bad">{t('failed')}</p>
  if (text.data === undefined || before.data === undefined) return <Skeleton className="m-3 h-12" />
  const restore = async (): Promise<void> => {
    const saved = await save(file, text.data.text, newest)
    setProblem(saved.ok ? null : factLine(saved.error))
  }
  return (
    <div className="border-t border-line" data-testid="version">
      <p className="px-3 pt-1.5 text-xs text-faint">
        {file.version === 1 ? t('first') : t('compare', { version: file.version })}
      </p>
      <TextDiff name={file.path} before={file.version === 1 ? '' : before.data.text} after={text.data.text} />
      {file.version !== newest && may && (
        <div className="flex items-center gap-2 px-3 py-2">
          <Button small onClick={() => void restore()}>
            {t('restore')}
          </Button>
          {problem !== null && <span className="text-xs text-bad">{problem}</span>}
        </div>
      )}
    </div>
  )
}
