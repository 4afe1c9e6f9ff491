'use client'
import { factOf } from '../../../client/api.ts'
import { useCommentChanges } from '../../../client/reviews.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { Comment, CommentChange } from '../../../protocol/review.ts'
import { useName } from '../../thread/names.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Skeleton, Trouble } from '../../ui/states.tsx'
import { At } from '../../ui/time.tsx'
import { CommentWords } from './comment-text.tsx'

type Props = { comment: Comment; open: boolean; onOpenChange: (open: boolean) => void }

/** Everything that was done to a comment, newest first, with the text of each version. */
export function CommentHistory({ comment, open, onOpenChange }: Props) {
  const t = useTranslations('review.history')
  const changes = useCommentChanges(comment.threadId, comment.id, open)
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('title')}>
      {changes.isPending ? (
        <Skeleton className="h-20" />
      ) : changes.isError ? (
        <Trouble title={t('unread')} fact={factOf(changes.error)} />
      ) : (
        <ol className="space-y-4">
          {changes.data.map((change) => (
            <Entry key={change.number} change={change} />
          ))}
        </ol>
      )}
    </Dialog>
  )
}

function Entry({ change }: { change: CommentChange }) {
  const t = useTranslations('review.history')
  const name = useName(change.actorId)
  return (
    <li>
      <p className="mb-0.5 text-xs text-faint">
        {t(`actions.${change.action}`, { name })} · <At at={change.at} />
      </p>
      {change.text !== null && (
        <div className="border-l-2 border-line pl-2.5">
          <CommentWords text={change.text} />
        </div>
      )}
    </li>
  )
}
