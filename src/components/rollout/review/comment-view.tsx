'use client'
import { Check, Ellipsis, History, Pencil, RotateCcw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMe } from '../../../client/query.ts'
import { draftOf, useReviewing } from '../../../client/reviews.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { ErrorFact } from '../../../protocol/error.ts'
import type { Comment } from '../../../protocol/review.ts'
import { useName } from '../../thread/names.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { useFactLine } from '../../ui/fact.ts'
import { Menu, MenuContent, MenuItem, MenuTrigger } from '../../ui/menu.tsx'
import { Ago } from '../../ui/time.tsx'
import { CommentBox } from './comment-box.tsx'
import { CommentHistory } from './comment-history.tsx'
import { CommentWords } from './comment-text.tsx'

/** One comment: who, when, what; and what its reader may do with it. */
export function CommentView({ comment }: { comment: Comment }) {
  const factLine = useFactLine()
  const t = useTranslations('review.comment')
  const name = useName(comment.authorId)
  const me = useMe()
  const reviewing = useReviewing(comment.threadId)
  const draft = `edit ${comment.id}`
  const [editing, setEditing] = useState(() => draftOf(draft) !== '')
  const [history, setHistory] = useState(false)
  const [deleting, setDeleting] = useState(false)
  const [error, setError] = useState<ErrorFact | null>(null)
  const mine = comment.authorId === me.data?.user?.id
  const deleted = comment.deletedAt !== null
  const isRoot = comment.replyTo === null
  const resolved = comment.resolvedAt !== null
  const say = async (work: ReturnType<typeof reviewing.remove>): Promise<void> => {
    const done = await work
    setError(done.ok ? null : done.error)
  }

  return (
    <article className="group/comment" aria-label={t('by', { name })}>
      <header className="flex min-h-7 items-center gap-1.5 text-xs">
        <span className="font-medium">{name}</span>
        <Ago at={comment.createdAt} className="text-faint" />
        {comment.editedAt !== null && !deleted && (
          <button
            type="button"
            onClick={() => setHistory(true)}
            className="rounded px-1 text-faint underline decoration-dotted underline-offset-2 row-hover"
          >
            {t('edited')}
          </button>
        )}
        <span className="ml-auto flex">
          {isRoot && !deleted && (
            <IconButton
              label={resolved ? t('reopen') : t('resolve')}
              className="size-6"
              onClick={() => void say(reviewing.resolve(comment.id, !resolved))}
            >
              {resolved ? <RotateCcw aria-hidden /> : <Check aria-hidden />}
            </IconButton>
          )}
          <Menu>
            <MenuTrigger asChild>
              <button
                type="button"
                aria-label={t('actions', { name })}
                className="inline-flex size-6 items-center justify-center rounded-md text-soft row-hover"
              >
                <Ellipsis aria-hidden className="size-4" />
              </button>
            </MenuTrigger>
            <MenuContent align="end">
              {mine && !deleted && (
                <MenuItem onSelect={() => setEditing(true)}>
                  <Pencil aria-hidden /> {t('edit')}
                </MenuItem>
              )}
              <MenuItem onSelect={() => setHistory(true)}>
                <History aria-hidden /> {t('history')}
              </MenuItem>
              {mine && !deleted && (
                <MenuItem danger onSelect={() => setDeleting(true)}>
                  <Trash2 aria-hidden /> {t('delete')}
                </MenuItem>
              )}
            </MenuContent>
          </Menu>
        </span>
      </header>
      {deleted ? (
        <p className="text-sm text-faint italic">{t('deleted')}</p>
      ) : editing ? (
        <Edit comment={comment} draft={draft} onClose={() => setEditing(false)} />
      ) : (
        <CommentWords text={comment.text} />
      )}
      {error !== null && (
        <p role="alert" className="text-xs text-bad">
          {factLine(error)}
        </p>
      )}
      <CommentHistory comment={comment} open={history} onOpenChange={setHistory} />
      <Confirm
        open={deleting}
        onOpenChange={setDeleting}
        title={t('deleteTitle')}
        description={t('deleteText')}
        action={t('delete')}
        onConfirm={() => void say(reviewing.remove(comment.id))}
      />
    </article>
  )
}

type EditProps = { comment: Comment; draft: string; onClose: () => void }

/** An edit knows which text it was made of; when that changed meanwhile, both are shown and nothing is lost. */
function Edit({ comment, draft, onClose }: EditProps) {
  const t = useTranslations('review.comment')
  const reviewing = useReviewing(comment.threadId)
  const [made, setMade] = useState({ version: comment.version, text: comment.text })
  const moved = comment.version !== made.version
  return (
    <CommentBox
      place={draft}
      label={t('editLabel')}
      text={made.text}
      action={moved ? t('saveOver') : t('save')}
      onSend={(text) => {
        const version = moved ? comment.version : made.version
        setMade({ ...made, version })
        return reviewing.edit(comment.id, text, version)
      }}
      onClose={onClose}
    >
      {(error) =>
        (moved || error?.code === 'conflict') && (
          <div role="alert" className="rounded-md border border-line bg-wait-soft px-2.5 py-1.5">
            <p className="text-xs font-medium text-wait">{t('changed')}</p>
            <CommentWords text={comment.text} />
          </div>
        )
      }
    </CommentBox>
  )
}
