'use client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { api, factOf } from '../../../client/api.ts'
import { useThread } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/states.tsx'

/** An item as the history has it: its whole text, part by part. */
export function HistoryItem({ itemId }: { itemId: string }) {
  const t = useTranslations('windows')
  const threadId = useThread((state) => state.threadId)
  const item = useInfiniteQuery({
    queryKey: ['history-item', threadId, itemId],
    staleTime: Number.POSITIVE_INFINITY,
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      api.history.item.query({ threadId, itemId, offsetChars: pageParam }, { signal }),
    getNextPageParam: ({ nextOffset }) => nextOffset,
  })
  if (item.isPending) return <Skeleton className="mb-2 h-10" />
  if (item.isError)
    return (
      <p role="alert" className="flex items-center gap-2 pb-2 text-xs text-bad">
        {factOf(item.error).message}
        <Button small onClick={() => void item.refetch()}>
          {t('retry')}
        </Button>
      </p>
    )
  return (
    <div className="pb-2">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        className="max-h-80 overflow-auto rounded-md border border-line bg-subtle p-2 text-xs whitespace-pre-wrap wrap-anywhere"
      >
        {item.data.pages.map(({ text }) => text).join('')}
      </pre>
      {item.hasNextPage && (
        <Button
          look="quiet"
          small
          disabled={item.isFetchingNextPage}
          onClick={() => void item.fetchNextPage()}
        >
          {t('readOn')}
        </Button>
      )}
    </div>
  )
}
