'use client'
import { MessageSquarePlus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { factOf } from '../../../client/api.ts'
import { draftOf, useComments, useReviewing, useReviewSummary } from '../../../client/reviews.ts'
import { useRolloutStore } from '../../../client/use-rollout.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { CommentPlace } from '../../../protocol/review.ts'
import type { RolloutRow } from '../../../protocol/rollout.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Trouble } from '../../ui/states.tsx'
import { CommentBox } from './comment-box.tsx'
import { CommentThread } from './comment-thread.tsx'

/** What a comment on a row is on; rows that are neither a step nor an item take none. */
export function placeOf(row: RolloutRow): CommentPlace | null {
  if (row.itemId !== null) return { itemId: row.itemId }
  return row.kind === 'step' && row.stepId !== null ? { stepId: row.stepId } : null
}

export const keyOf = (place: CommentPlace): string => ('stepId' in place ? place.stepId : place.itemId)

const askEvent = 'baton:comment'

/** Opens the box for a comment on what is selected. */
const ask = (key: string): void => void window.dispatchEvent(new CustomEvent(askEvent, { detail: key }))

/** Beside the name of what is selected: the way to a comment, also by `c`. */
export function CommentAction({ row }: { row: RolloutRow }) {
  const t = useTranslations('review')
  const store = useRolloutStore()
  const place = placeOf(row)
  const key = place === null ? null : keyOf(place)
  useEffect(() => {
    if (key === null) return
    const comment = (): void => ask(key)
    store.setState({ comment })
    return () => {
      if (store.getState().comment === comment) store.setState({ comment: null })
    }
  }, [store, key])
  if (key === null) return null
  return (
    <IconButton label={t('write')} keys="c" onClick={() => ask(key)}>
      <MessageSquarePlus aria-hidden />
    </IconButton>
  )
}

/** What people said of the selected step or item, and the box for more. */
export function Comments({ threadId, row }: { threadId: string; row: RolloutRow }) {
  const place = placeOf(row)
  return place === null ? null : <OfPlace key={keyOf(place)} threadId={threadId} place={place} />
}

function OfPlace({ threadId, place }: { threadId: string; place: CommentPlace }) {
  const t = useTranslations('review')
  const key = keyOf(place)
  const [writing, setWriting] = useState(() => draftOf(key) !== '')
  const marks = useReviewSummary(
    threadId,
    ({ marks: all }) => (all[key]?.total ?? 0) + (all[key]?.deleted ?? 0),
  )
  const reviewing = useReviewing(threadId)
  useEffect(() => {
    const open = (event: Event): void => {
      if ((event as CustomEvent<string>).detail === key) setWriting(true)
    }
    window.addEventListener(askEvent, open)
    return () => window.removeEventListener(askEvent, open)
  }, [key])
  const some = (marks.data ?? 0) > 0
  if (!some && !writing) return null
  return (
    <section
      aria-label={t('comments')}
      className="max-h-[45vh] shrink-0 space-y-2 overflow-y-auto border-y border-line bg-subtle px-4 py-2.5"
    >
      {some && <List threadId={threadId} place={place} />}
      {writing ? (
        <CommentBox
          place={key}
          label={t('writeLabel')}
          action={t('send')}
          onSend={(text) => reviewing.comment(place, text)}
          onClose={() => setWriting(false)}
        />
      ) : (
        <Button look="quiet" small onClick={() => setWriting(true)}>
          <MessageSquarePlus aria-hidden className="size-3.5" /> {t('write')}
        </Button>
      )}
    </section>
  )
}

function List({ threadId, place }: { threadId: string; place: CommentPlace }) {
  const t = useTranslations('review')
  const comments = useComments(threadId, place)
  if (comments.isError && comments.data === undefined)
    return (
      <Trouble title={t('unread')} fact={factOf(comments.error)}>
        <Button small onClick={() => void comments.refetch()}>
          {t('again')}
        </Button>
      </Trouble>
    )
  const all = comments.data?.comments ?? []
  return (
    <>
      {all
        .filter(({ replyTo }) => replyTo === null)
        .map((root) => (
          <CommentThread
            key={root.id}
            root={root}
            answers={all.filter(({ replyTo }) => replyTo === root.id)}
          />
        ))}
      {comments.hasNextPage && (
        <Button small onClick={() => void comments.fetchNextPage()}>
          {t('more')}
        </Button>
      )}
    </>
  )
}
