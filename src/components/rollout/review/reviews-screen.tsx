'use client'
import { Download, Tags } from 'lucide-react'
import { useCallback, useState } from 'react'
import { sayAddress } from '../../../client/address-bar.ts'
import { factOf } from '../../../client/api.ts'
import { useLabels, useReviewQueue } from '../../../client/reviews.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { visible } from '../../../lib/visible.ts'
import { type ReviewHeap, reviewHeaps } from '../../../protocol/review.ts'
import { Bar } from '../../shell/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { inputClass } from '../../ui/field.tsx'
import { Empty, Skeleton, Trouble } from '../../ui/states.tsx'
import { LabelsDialog } from './labels-dialog.tsx'
import { QueueLine } from './queue-line.tsx'
import { useQueueKeys } from './use-queue-keys.ts'

/** What is to be reviewed, what one takes part in, what is done. */
export function ReviewsScreen({ heap: first }: { heap: ReviewHeap }) {
  const t = useTranslations('review.queue')
  const labels = useLabels()
  const [heap, setHeap] = useState(first)
  const [labelId, setLabelId] = useState('')
  const [editing, setEditing] = useState(false)
  const queue = useReviewQueue(heap, labelId === '' ? {} : { labelId })
  const lines = queue.data?.lines ?? []
  const counts = queue.data?.counts
  const choose = useCallback((next: ReviewHeap): void => {
    setHeap(next)
    sayAddress('replaceState', next === 'to_review' ? '/reviews' : `/reviews?show=${next}`)
  }, [])
  const { at, marked, setAt, toggle } = useQueueKeys(lines, heap, choose)

  return (
    <>
      <Bar>
        <h1 className="flex-1 text-sm font-semibold">{t('title')}</h1>
        <Button look="quiet" small onClick={() => setEditing(true)}>
          <Tags aria-hidden className="size-4" /> <span className="max-md:sr-only">{t('labels')}</span>
        </Button>
        <a
          href={`/api/reviews/export${labelId === '' ? '' : `?label=${labelId}`}`}
          download
          className="inline-flex h-7 items-center gap-1.5 rounded-md px-2 text-xs font-medium text-soft hover:bg-hover hover:text-foreground"
        >
          <Download aria-hidden className="size-4" /> <span className="max-md:sr-only">{t('export')}</span>
        </a>
      </Bar>
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-1.5 md:px-4">
        <div role="tablist" aria-label={t('heaps')} className="flex gap-1">
          {reviewHeaps.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              id={`heap-${each}`}
              aria-selected={heap === each}
              aria-controls="heap"
              onClick={() => choose(each)}
              className={cn(
                'inline-flex h-7 items-center gap-1.5 rounded-md px-2.5 text-xs text-soft row-hover',
                heap === each && 'bg-hover font-medium text-foreground',
              )}
            >
              {t(`names.${each}`)}
              <span className="text-faint tabular">{counts?.[each] ?? ''}</span>
            </button>
          ))}
        </div>
        {(labels.data?.length ?? 0) > 0 && (
          <select
            aria-label={t('byLabel')}
            value={labelId}
            onChange={(event) => setLabelId(event.target.value)}
            className={cn(inputClass, 'h-7 w-auto max-w-48 py-0 text-xs')}
          >
            <option value="">{t('anyLabel')}</option>
            {labels.data?.map((label) => (
              <option key={label.id} value={label.id}>
                {visible(label.name)}
              </option>
            ))}
          </select>
        )}
        <p className="ml-auto text-xs text-faint max-lg:hidden">{t('keys')}</p>
      </div>
      <section
        id="heap"
        role="tabpanel"
        aria-labelledby={`heap-${heap}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2"
      >
        {queue.isError && queue.data === undefined ? (
          <div className="mx-auto max-w-xl p-6">
            <Trouble title={t('unread')} fact={factOf(queue.error)}>
              <Button small onClick={() => void queue.refetch()}>
                {t('again')}
              </Button>
            </Trouble>
          </div>
        ) : queue.data === undefined ? (
          <div className="space-y-2 p-4">
            {[0, 1, 2, 3].map((n) => (
              <Skeleton key={n} className="h-14" />
            ))}
          </div>
        ) : lines.length === 0 ? (
          <Empty title={t(`empty.${heap}`)}>{t(`emptyText.${heap}`)}</Empty>
        ) : (
          <ul>
            {lines.map((line, index) => (
              <QueueLine
                key={line.threadId}
                line={line}
                labels={labels.data ?? []}
                selected={index === at}
                marked={marked.includes(line.threadId)}
                onSelect={() => setAt(index)}
                onMark={() => toggle(line.threadId)}
              />
            ))}
          </ul>
        )}
        {queue.hasNextPage && (
          <div className="p-3 text-center">
            <Button small onClick={() => void queue.fetchNextPage()}>
              {t('more')}
            </Button>
          </div>
        )}
      </section>
      <LabelsDialog open={editing} onOpenChange={setEditing} />
    </>
  )
}
