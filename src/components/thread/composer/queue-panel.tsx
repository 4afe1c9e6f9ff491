'use client'
import { ArrowDown, ArrowUp, Pencil, X } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../client/api.ts'
import { useMay } from '../../../client/thread-people.ts'
import { useThread, useThreadStore } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { ContentPart } from '../../../protocol/item.ts'
import type { QueueEntry } from '../../../protocol/view.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { inputClass } from '../../ui/field.tsx'
import { Shown } from '../../ui/shown.tsx'
import { useName } from '../names.tsx'

const nothing: QueueEntry[] = []

/** What waits for after this turn: the same for everybody; anyone can reorder, edit and cancel it. */
export function QueuePanel() {
  const t = useTranslations('queue')
  const queue = useThread((state) => (state.version >= 0 ? state.view.queue?.value : undefined)) ?? nothing
  if (queue.length === 0) return null
  return (
    <section
      aria-label={t('label')}
      className="mb-2 rounded-lg border border-line bg-side"
      data-testid="queue"
    >
      <h2 className="px-3 pt-1.5 text-xs text-faint">{t('title', { count: queue.length })}</h2>
      <ol className="max-h-[30vh] overflow-y-auto pb-1">
        {queue.map((entry, index) => (
          <Queued
            key={entry.opId}
            entry={entry}
            place={index}
            before={queue[index - 1]?.opId}
            afterNext={index + 1 < queue.length ? (queue[index + 2]?.opId ?? null) : undefined}
          />
        ))}
      </ol>
    </section>
  )
}

type QueuedProps = {
  entry: QueueEntry
  place: number
  /** The one ahead of it; absent for the first. */
  before: string | undefined
  /** What would be behind it one place later; null = nothing, absent = it is the last. */
  afterNext: string | null | undefined
}

function Queued({ entry, place, before, afterNext }: QueuedProps) {
  const t = useTranslations('queue')
  const store = useThreadStore()
  const name = useName(entry.actorId)
  const may = useMay('driver')
  const [editing, setEditing] = useState<ContentPart[] | null>(null)

  const edit = async (): Promise<void> => {
    const { threadId } = store.getState()
    const whole = await api.thread.queue.query({ threadId })
    setEditing(
      whole.find(({ opId }) => opId === entry.opId)?.content ?? [{ type: 'text', text: entry.preview }],
    )
  }
  const submit = (op: Parameters<typeof store.submit>[0]): void =>
    void store.submit(op).catch(() => undefined)

  if (editing !== null)
    return (
      <li className="px-3 py-1.5">
        <QueueEdit
          content={editing}
          onClose={() => setEditing(null)}
          onSave={(content) => {
            setEditing(null)
            submit({ type: 'queue.edit', opId: entry.opId, content })
          }}
        />
      </li>
    )
  return (
    <li className="group flex min-h-8 items-center gap-2 px-3 text-sm">
      <span className="w-4 text-xs text-faint tabular">{place + 1}</span>
      {may ? (
        <button
          type="button"
          data-queue-entry={entry.opId}
          onClick={() => void edit()}
          className="min-w-0 flex-1 truncate rounded text-left"
        >
          <Shown text={entry.preview} />
        </button>
      ) : (
        <span className="min-w-0 flex-1 truncate">
          <Shown text={entry.preview} />
        </span>
      )}
      <span className="max-w-32 shrink-0 truncate text-xs text-faint">{name}</span>
      <span className="flex" hidden={!may}>
        <IconButton
          label={t('up')}
          className="size-6"
          disabled={before === undefined}
          onClick={() => before !== undefined && submit({ type: 'queue.move', opId: entry.opId, before })}
        >
          <ArrowUp aria-hidden />
        </IconButton>
        <IconButton
          label={t('down')}
          className="size-6"
          disabled={afterNext === undefined}
          onClick={() =>
            afterNext !== undefined && submit({ type: 'queue.move', opId: entry.opId, before: afterNext })
          }
        >
          <ArrowDown aria-hidden />
        </IconButton>
        <IconButton label={t('edit')} className="size-6" onClick={() => void edit()}>
          <Pencil aria-hidden />
        </IconButton>
        <IconButton
          label={t('cancel')}
          className="size-6"
          onClick={() => submit({ type: 'queue.cancel', opId: entry.opId })}
        >
          <X aria-hidden />
        </IconButton>
      </span>
    </li>
  )
}

type QueueEditProps = {
  content: ContentPart[]
  onClose: () => void
  onSave: (content: ContentPart[]) => void
}

function QueueEdit({ content, onClose, onSave }: QueueEditProps) {
  const t = useTranslations('queue')
  const first = content.find((part) => part.type === 'text')
  const [text, setText] = useState(first?.text ?? '')
  const others = content.filter((part) => part !== first)
  const save = (): void => {
    const next: ContentPart[] = [...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]), ...others]
    if (next.length > 0) onSave(next)
  }
  return (
    <div className="space-y-1.5">
      <textarea
        ref={(area) => area?.focus()}
        value={text}
        rows={3}
        aria-label={t('editLabel')}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.stopPropagation()
            onClose()
          }
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault()
            save()
          }
        }}
        className={inputClass}
      />
      <div className="flex gap-2">
        <Button small look="primary" onClick={save}>
          {t('save')}
        </Button>
        <Button small look="quiet" onClick={onClose}>
          {t('keep')}
        </Button>
      </div>
    </div>
  )
}
