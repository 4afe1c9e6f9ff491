'use client'
import { FilePlus, FileText } from 'lucide-react'
import { useState } from 'react'
import { factOf } from '../../../client/api.ts'
import { type NoteKey, useNoteList, useNotesChanges } from '../../../client/notes.ts'
import { useMay } from '../../../client/thread-people.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { formatBytes } from '../../../lib/format.ts'
import type { NoteFile } from '../../../protocol/note.ts'
import { Button } from '../../ui/button.tsx'
import { Shown } from '../../ui/shown.tsx'
import { Empty, Skeleton, Trouble } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { useName } from '../names.tsx'
import { NewNote } from '../notes/new-note.tsx'
import { NoteView } from '../notes/note-view.tsx'

type View = { type: 'list' } | { type: 'new' } | { type: 'note'; note: NoteKey }

/** The agent's files: what outlasts its windows. A person can read, compare and edit them. */
export function Notes() {
  useNotesChanges()
  const [shown, setShown] = useState<View>({ type: 'list' })
  const toList = (): void => setShown({ type: 'list' })
  const open = (note: NoteKey): void => setShown({ type: 'note', note })
  if (shown.type === 'new') return <NewNote onDone={open} onCancel={toList} />
  if (shown.type === 'note')
    return <NoteView key={`${shown.note.agentPath}/${shown.note.path}`} note={shown.note} onBack={toList} />
  return <List onOpen={open} onNew={() => setShown({ type: 'new' })} />
}

function List({ onOpen, onNew }: { onOpen: (note: NoteKey) => void; onNew: () => void }) {
  const t = useTranslations('notes')
  const list = useNoteList()
  const may = useMay('driver')
  if (list.isPending)
    return (
      <div className="space-y-2 p-3" role="status" aria-label={t('loading')}>
        <Skeleton className="h-9" />
        <Skeleton className="h-9" />
      </div>
    )
  if (list.isError)
    return (
      <div className="p-3">
        <Trouble title={t('failed')} fact={factOf(list.error)}>
          <Button small onClick={() => void list.refetch()}>
            {t('retry')}
          </Button>
        </Trouble>
      </div>
    )
  const { files, total } = list.data
  if (files.length === 0)
    return (
      <Empty title={t('none')}>
        <p className="pb-3">{t('noneText')}</p>
        {may && (
          <Button small onClick={onNew}>
            <FilePlus aria-hidden className="size-3.5" />
            {t('new')}
          </Button>
        )}
      </Empty>
    )
  return (
    <div>
      <div className="sticky top-0 z-10 flex h-10 items-center justify-between border-b border-line bg-background px-3">
        <span className="text-xs text-faint tabular">{t('total', { count: total })}</span>
        {may && (
          <Button small onClick={onNew}>
            <FilePlus aria-hidden className="size-3.5" />
            {t('new')}
          </Button>
        )}
      </div>
      <ul aria-label={t('list')}>
        {files.map((file) => (
          <Entry key={`${file.agentPath}/${file.path}`} file={file} onOpen={() => onOpen(file)} />
        ))}
      </ul>
      {list.hasNextPage && (
        <div className="p-3">
          <Button small disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t('more')}
          </Button>
        </div>
      )}
    </div>
  )
}

function Entry({ file, onOpen }: { file: NoteFile; onOpen: () => void }) {
  const t = useTranslations('notes')
  const name = useName(file.actorId)
  return (
    <li className="border-b border-line">
      <button
        type="button"
        onClick={onOpen}
        className="flex w-full items-start gap-2 px-3 py-1.5 text-left row-hover focus-visible:-outline-offset-2"
      >
        <FileText aria-hidden className="mt-1 size-3.5 shrink-0 text-faint" />
        <span className="min-w-0 flex-1">
          <code className="block truncate text-[12.5px]">
            <Shown text={file.path} />
          </code>
          <span className="flex flex-wrap gap-x-1.5 text-xs text-faint tabular">
            <span>{t('version', { version: file.version })}</span>
            <span aria-hidden>·</span>
            <span>{name}</span>
            <span aria-hidden>·</span>
            <Ago at={file.updatedAt} />
          </span>
        </span>
        <span className="pt-0.5 text-xs text-faint tabular">{formatBytes(file.bytes)}</span>
      </button>
    </li>
  )
}
