'use client'
import { useComments } from '../../../client/reviews.ts'
import { useRolloutStore } from '../../../client/use-rollout.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { Comment } from '../../../protocol/review.ts'
import { useName } from '../../thread/names.tsx'
import { Button } from '../../ui/button.tsx'
import { Shown } from '../../ui/shown.tsx'
import { Ago } from '../../ui/time.tsx'

type OpenCommentsProps = { threadId: string; onGo: () => void }

/** What is still to be answered anywhere in the rollout, in its order; each leads to its place. */
export function OpenComments({ threadId, onGo }: OpenCommentsProps) {
  const t = useTranslations('review.open')
  const found = useComments(threadId, 'open')
  const roots = (found.data?.comments ?? []).filter(({ replyTo }) => replyTo === null)
  if (roots.length === 0) return null
  return (
    <section aria-label={t('title')} className="p-1.5">
      <h3 className="px-1.5 pt-1 text-xs font-medium text-faint">{t('title')}</h3>
      <ul>
        {roots.map((comment) => (
          <Line key={comment.id} comment={comment} onGo={onGo} />
        ))}
      </ul>
      {found.hasNextPage && (
        <Button look="quiet" small onClick={() => void found.fetchNextPage()}>
          {t('more')}
        </Button>
      )}
    </section>
  )
}

function Line({ comment, onGo }: { comment: Comment; onGo: () => void }) {
  const store = useRolloutStore()
  const name = useName(comment.authorId)
  const { stepId, itemId } = comment
  const place = stepId !== null ? { stepId } : { itemId: itemId ?? '' }
  return (
    <li>
      <button
        type="button"
        onClick={() => {
          onGo()
          void store.go(place, { push: true })
        }}
        className="flex w-full items-baseline gap-2 rounded px-1.5 py-1 text-left text-xs row-hover"
      >
        <span className="shrink-0 font-medium">{name}</span>
        <span className="min-w-0 flex-1 truncate text-soft">
          <Shown text={comment.text} />
        </span>
        <Ago at={comment.createdAt} className="shrink-0 text-faint" />
      </button>
    </li>
  )
}
