'use client'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { type Done, draftOf, keepDraft } from '../../../client/reviews.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { ErrorFact } from '../../../protocol/error.ts'
import { maxCommentChars } from '../../../protocol/review.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { useFactLine } from '../../ui/fact.ts'
import { inputClass } from '../../ui/field.tsx'

type CommentBoxProps = {
  /** Names the draft, which lasts until it is sent. */
  place: string
  label: string
  action: string
  /** What it begins with when there is no draft. */
  text?: string
  focus?: boolean
  onSend: (text: string) => Promise<Done>
  onClose: () => void
  /** Shown above the box, for example what somebody else wrote meanwhile. */
  children?: (error: ErrorFact | null) => ReactNode
}

/** Where a comment is written. A failed try keeps every word. */
export function CommentBox({ place, label, action, text = '', focus = true, ...more }: CommentBoxProps) {
  const { onSend, onClose, children } = more
  const factLine = useFactLine()
  const t = useTranslations('review.box')
  const [value, setValue] = useState(() => draftOf(place) || text)
  const [error, setError] = useState<ErrorFact | null>(null)
  const [sending, setSending] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  const tooLong = value.length > maxCommentChars
  const empty = value.trim() === ''

  useEffect(() => {
    if (!focus) return
    box.current?.focus()
    box.current?.setSelectionRange(box.current.value.length, box.current.value.length)
  }, [focus])

  const change = (next: string): void => {
    setValue(next)
    keepDraft(place, next === text ? '' : next)
  }
  const close = (): void => {
    keepDraft(place, '')
    onClose()
  }
  const send = async (): Promise<void> => {
    if (empty || tooLong || sending) return
    setSending(true)
    const done = await onSend(value)
    setSending(false)
    if (!done.ok) return setError(done.error)
    setError(null)
    setValue('')
    close()
  }

  return (
    <form
      className="space-y-1.5"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {children?.(error)}
      <textarea
        ref={box}
        value={value}
        aria-label={label}
        placeholder={label}
        aria-invalid={tooLong || undefined}
        rows={Math.min(10, Math.max(2, value.split('\n').length))}
        onChange={(event) => change(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
            event.preventDefault()
            void send()
          } else if (event.key === 'Escape') {
            event.preventDefault()
            event.stopPropagation()
            // Words are never thrown away by one key.
            if (empty || value === text) close()
            else onClose()
          }
        }}
        className={cn(inputClass, 'resize-y')}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button look="primary" small type="submit" disabled={empty || tooLong || sending}>
          {action}
        </Button>
        <Button look="quiet" small onClick={close}>
          {t('cancel')}
        </Button>
        <span
          role={tooLong || error ? 'alert' : undefined}
          className={cn(
            'min-w-0 flex-1 text-right text-xs text-faint tabular',
            (tooLong || error) && 'text-bad',
          )}
        >
          {error !== null
            ? factLine(error)
            : value.length > maxCommentChars - 500
              ? t('length', { used: value.length, most: maxCommentChars })
              : t('hint')}
        </span>
      </div>
    </form>
  )
}
