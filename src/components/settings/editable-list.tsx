'use client'
import type { UseQueryResult } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import { factOf } from '../../client/api.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Empty, Skeleton, Trouble } from '../ui/states.tsx'
import { Section } from './settings-frame.tsx'

type Entry = { id: string }
type EditableListProps<T extends Entry, Saved> = {
  words: { title: string; text: string; add: string; none: string; noneText: string }
  query: UseQueryResult<T[]>
  /** The form for one entry, or for a new one. */
  form: (entry: T | null, onSaved: (saved: Saved) => void, onCancel: () => void) => ReactNode
  card: (entry: T, onEdit: () => void) => ReactNode
  /** What is said after a form was saved, with the next step. */
  saved: (saved: Saved) => ReactNode
}

/** A settings page of entries: each is a card that opens to its form; one form is open at a time. */
export function EditableList<T extends Entry, Saved>(props: EditableListProps<T, Saved>) {
  const { words, query, form, card } = props
  const [editing, setEditing] = useState<{ id: string | null } | null>(null)
  const [saved, setSaved] = useState<{ entry: Saved } | null>(null)
  const open = (id: string | null): void => {
    setEditing({ id })
    setSaved(null)
  }
  const close = (): void => setEditing(null)
  const done = (entry: Saved): void => {
    close()
    setSaved({ entry })
  }
  return (
    <Section
      title={words.title}
      text={words.text}
      action={
        editing === null && (
          <Button look="primary" onClick={() => open(null)}>
            <Plus aria-hidden className="size-4" /> {words.add}
          </Button>
        )
      }
    >
      {saved !== null && (
        <p role="status" className="mb-3 text-sm text-good">
          {props.saved(saved.entry)}
        </p>
      )}
      {editing !== null && editing.id === null && <div className="mb-4">{form(null, done, close)}</div>}
      {query.isPending ? (
        <Skeleton className="h-16" />
      ) : query.isError ? (
        <Trouble fact={factOf(query.error)} />
      ) : query.data.length === 0 ? (
        editing === null && (
          <div className="rounded-lg border border-line">
            <Empty title={words.none}>{words.noneText}</Empty>
          </div>
        )
      ) : (
        <ul className="space-y-2">
          {query.data.map((entry) => (
            <Fragment key={entry.id}>
              {editing?.id === entry.id ? (
                <li>{form(entry, done, close)}</li>
              ) : (
                <li className="rounded-lg border border-line px-3 py-2.5">
                  {card(entry, () => open(entry.id))}
                </li>
              )}
            </Fragment>
          ))}
        </ul>
      )}
    </Section>
  )
}

type DeletionProps = {
  words: { title: string; text: string; action: string; label: string }
  /** The running or failed deletion of this entry. */
  removal: { isPending: boolean; mutate: () => void }
}

/** A button that asks before it deletes. */
export function DeleteButton({ words, removal }: DeletionProps) {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button
        small
        look="danger"
        disabled={removal.isPending}
        onClick={() => setAsking(true)}
        aria-label={words.label}
      >
        {words.action}
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={words.title}
        description={words.text}
        action={words.action}
        onConfirm={removal.mutate}
      />
    </>
  )
}
