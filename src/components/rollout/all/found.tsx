'use client'
import Link from 'next/link'
import { useMemo, useState } from 'react'
import { factOf } from '../../../client/api.ts'
import { noAddress, writeAddress } from '../../../client/rollout-address.ts'
import { useFindAll } from '../../../client/use-rollouts.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { SearchHit, SearchMode } from '../../../protocol/history.ts'
import { Button } from '../../ui/button.tsx'
import { Shown } from '../../ui/shown.tsx'
import { Empty, Skeleton, Trouble } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { Snippet } from '../find/snippet.tsx'

/** Hits of a search in all rollouts, by rollout; each leads to its place. */
export function FoundEverywhere({ text }: { text: string }) {
  const t = useTranslations('rollouts')
  const [mode, setMode] = useState<SearchMode>('words')
  const found = useFindAll(text, mode)
  const pages = found.data?.pages ?? []
  const groups = useMemo(() => byThread(pages.flatMap(({ entries }) => entries)), [pages])
  const count = pages[0]?.count
  const gap = pages.at(-1)?.incomplete
  if (found.isError)
    return (
      <div className="pt-4">
        <Trouble title={t('findFailed')} fact={factOf(found.error)}>
          <Button small onClick={() => void found.refetch()}>
            {t('again')}
          </Button>
        </Trouble>
      </div>
    )
  return (
    <section aria-label={t('found')} className="pt-3">
      <div className="flex items-center gap-2 pb-2 text-xs text-faint tabular">
        <span role="status" className="flex-1">
          {found.data === undefined
            ? t('looking')
            : count != null && t('hits', { count: count.events, more: count.more ? '+' : '' })}
        </span>
        <Button
          small
          look="quiet"
          aria-pressed={mode === 'literal'}
          onClick={() => setMode(mode === 'literal' ? 'words' : 'literal')}
        >
          {mode === 'literal' ? t('literal') : t('words')}
        </Button>
      </div>
      {found.data === undefined ? (
        <div className="space-y-2">
          <Skeleton className="h-10" />
          <Skeleton className="h-10" />
        </div>
      ) : groups.length === 0 ? (
        <Empty title={t('nothingFound')}>
          <p>{mode === 'words' ? t('tryLiteral') : t('tryWords')}</p>
        </Empty>
      ) : (
        groups.map(({ threadId, title, hits }) => (
          <section key={threadId} className="mb-4 overflow-hidden rounded-lg border border-line">
            <h2 className="flex items-baseline gap-2 border-b border-line bg-subtle px-3 py-1.5 text-[13px] font-medium">
              <Link
                href={`/threads/${threadId}/rollout${writeAddress({ ...noAddress, find: text })}`}
                className="truncate"
              >
                <Shown text={title || t('untitled')} />
              </Link>
              <span className="text-xs font-normal text-faint tabular">{hits.length}</span>
            </h2>
            <ul>
              {hits.map((hit) => (
                <li key={`${hit.seq}:${hit.itemId}`} className="border-b border-line/60 last:border-b-0">
                  <Link
                    href={`/threads/${threadId}/rollout${writeAddress({ ...noAddress, at: { itemId: hit.itemId }, find: text })}`}
                    className="flex items-baseline gap-3 px-3 py-1.5 text-[13px] row-hover focus-visible:-outline-offset-2"
                  >
                    <span className="w-24 shrink-0 truncate text-xs text-faint">
                      <Shown text={hit.tool ?? t(`role.${hit.role}`)} />
                    </span>
                    <Snippet hit={hit} />
                    <Ago at={hit.at} className="shrink-0 text-xs text-faint" />
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))
      )}
      {gap != null && (
        <p className="pb-2 text-xs text-faint">{t(gap.reason === 'indexing' ? 'indexing' : 'limited')}</p>
      )}
      {found.hasNextPage && (
        <Button disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          {found.isFetchingNextPage ? t('looking') : t('more')}
        </Button>
      )}
    </section>
  )
}

function byThread(hits: readonly SearchHit[]): { threadId: string; title: string; hits: SearchHit[] }[] {
  const groups = new Map<string, { threadId: string; title: string; hits: SearchHit[] }>()
  for (const hit of hits) {
    const group = groups.get(hit.threadId) ?? { threadId: hit.threadId, title: hit.threadTitle, hits: [] }
    group.hits.push(hit)
    groups.set(hit.threadId, group)
  }
  return [...groups.values()]
}
