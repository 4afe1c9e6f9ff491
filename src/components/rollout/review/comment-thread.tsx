'use client'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { draftOf, useReviewing } from '../../../client/reviews.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { Comment } from '../../../protocol/review.ts'
import { useName } from '../../thread/names.tsx'
import { CommentBox } from './comment-box.tsx'
import { CommentView } from './comment-view.tsx'

type Props = { root: Comment; answers: Comment[] }

/** A comment and what was answered. One that is resolved is one line until it is opened. */
export function CommentThread({ root, answers }: Props) {
  const t = useTranslations('review.thread')
  const reviewing = useReviewing(root.threadId)
  const draft = `answer ${root.id}`
  const [answering, setAnswering] = useState(() => draftOf(draft) !== '')
  const [opened, setOpened] = useState(false)
  if (root.resolvedAt !== null && !opened) return <Resolved root={root} open={() => setOpened(true)} />
  return (
    <div className="rounded-lg border border-line bg-background px-3 py-1.5" data-comment={root.id}>
      <CommentView comment={root} />
      {answers.length > 0 && (
        <div className="mt-1.5 space-y-1 border-l-2 border-line pl-3">
          {answers.map((answer) => (
            <CommentView key={answer.id} comment={answer} />
          ))}
        </div>
      )}
      <div className="mt-1.5">
        {answering ? (
          <CommentBox
            place={draft}
            label={t('answerLabel')}
            action={t('answer')}
            onSend={(text) => reviewing.comment({ replyTo: root.id }, text)}
            onClose={() => setAnswering(false)}
          />
        ) : (
          <button
            type="button"
            onClick={() => setAnswering(true)}
            className="rounded px-1 text-xs text-soft row-hover"
          >
            {t('answer')}
          </button>
        )}
      </div>
    </div>
  )
}

function Resolved({ root, open }: { root: Comment; open: () => void }) {
  const t = useTranslations('review.thread')
  const name = useName(root.resolvedBy ?? 'system')
  return (
    <button
      type="button"
      onClick={open}
      className="flex w-full items-center gap-2 rounded-lg border border-line px-3 py-1 text-left text-xs text-faint row-hover"
    >
      <Check aria-hidden className="size-3.5 shrink-0 text-good" />
      <span className="min-w-0 flex-1 truncate">{root.text || t('deleted')}</span>
      <span className="shrink-0">{t('resolvedBy', { name })}</span>
    </button>
  )
}
