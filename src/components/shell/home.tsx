'use client'
import { Check, Plus } from 'lucide-react'
import Link from 'next/link'
import { factOf } from '../../client/api.ts'
import { useProjects, useProviders, useThreads } from '../../client/query.ts'
import { useReviewedTurns } from '../../client/reviews.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { visible } from '../../lib/visible.ts'
import type { ThreadProjection } from '../../protocol/thread.ts'
import { Button } from '../ui/button.tsx'
import { cn } from '../ui/cn.ts'
import { Shown } from '../ui/shown.tsx'
import { Skeleton, Trouble } from '../ui/states.tsx'
import { Ago } from '../ui/time.tsx'
import { Bar } from './bar.tsx'
import { groupOf } from './sidebar.tsx'
import { ThreadStateIcon } from './thread-state.tsx'
import { type Owner, OwnerMark, useOwnerWords, useWhose, WhoseChoice } from './whose.tsx'

const linkClass =
  'inline-flex h-8 items-center gap-1.5 rounded-md border border-line bg-raised px-3 text-sm font-medium row-hover'

/** Threads by state, or, on a new server, what to do first. */
export function Home() {
  const t = useTranslations('home')
  const threads = useThreads({ limit: 200, archived: false })
  const reviewed = useReviewedTurns().data
  const { threads: list, isMixed, ownerOf } = useWhose(threads.data)
  const groups = (['needsYou', 'working', 'toReview', 'pinned', 'recent'] as const)
    .map((group) => ({ group, rows: list.filter((thread) => groupOf(thread, reviewed) === group) }))
    .filter(({ rows }) => rows.length > 0)
  return (
    <>
      <Bar>
        <h1 className="text-sm font-semibold">{t('title')}</h1>
        <div className="flex-1">{isMixed && <WhoseChoice name="whose-home" className="pl-2" />}</div>
        <Link href="/new" className={linkClass}>
          <Plus aria-hidden className="size-4" /> {t('newThread')}
        </Link>
      </Bar>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-3xl px-4 py-6">
          {threads.isPending ? (
            <div className="space-y-2">
              <Skeleton className="h-12" />
              <Skeleton className="h-12" />
              <Skeleton className="h-12" />
            </div>
          ) : threads.isError && threads.data === undefined ? (
            <Trouble title={t('unread')} fact={factOf(threads.error)}>
              <Button small onClick={() => void threads.refetch()}>
                {t('retry')}
              </Button>
            </Trouble>
          ) : (threads.data?.threads.length ?? 0) === 0 ? (
            <FirstSteps />
          ) : (
            groups.map(({ group, rows }) => (
              <section key={group} className="mb-6">
                <h2 className="pb-1.5 text-xs font-medium text-faint">{t(`groups.${group}`)}</h2>
                <ul className="divide-y divide-line rounded-lg border border-line">
                  {rows.map((thread) => (
                    <ThreadLine key={thread.id} thread={thread} owner={ownerOf(thread)} />
                  ))}
                </ul>
              </section>
            ))
          )}
        </div>
      </div>
    </>
  )
}

/** A line of markdown without its marks. */
const plain = (markdown: string): string => markdown.replace(/\*\*|__|`|^#+ /g, '')

function ThreadLine({ thread, owner }: { thread: ThreadProjection; owner: Owner | null }) {
  const ownerWords = useOwnerWords()
  const t = useTranslations('sidebar')
  const errors = useTranslations('errors')
  return (
    <li>
      <Link href={`/threads/${thread.id}`} className="flex items-center gap-3 px-3 py-2 row-hover">
        <ThreadStateIcon thread={thread} />
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium">
            <Shown text={thread.title || t('untitled')} />
          </span>
          <span className="block truncate text-xs text-faint">
            <Shown text={thread.projectName} />
            {owner !== null && <span aria-hidden> · {ownerWords(owner)}</span>}
            {thread.status === 'failed' && thread.lastError !== null ? (
              <span className="text-bad"> · {errors(`codes.${thread.lastError.code}`)}</span>
            ) : (
              thread.lastLine !== '' && ` · ${visible(plain(thread.lastLine))}`
            )}
          </span>
        </span>
        {owner !== null && <OwnerMark owner={owner} />}
        {thread.additions + thread.deletions > 0 && (
          <span className="text-xs tabular">
            <span className="text-good">+{thread.additions}</span>{' '}
            <span className="text-bad">−{thread.deletions}</span>
          </span>
        )}
        <Ago at={thread.updatedAt} className="w-16 text-right text-xs text-faint tabular" />
      </Link>
    </li>
  )
}

function FirstSteps() {
  const t = useTranslations('home')
  const providers = useProviders()
  const projects = useProjects()
  const steps = [
    { key: 'provider', done: (providers.data?.length ?? 0) > 0, href: '/settings/providers' },
    { key: 'project', done: (projects.data?.length ?? 0) > 0, href: '/settings/projects' },
    { key: 'thread', done: false, href: '/new' },
  ] as const
  const next = steps.find(({ done }) => !done)?.key
  const demo = providers.data?.some(({ source }) => source === 'demo') ?? false
  // A step that may be done is not shown as open.
  if (providers.isPending || projects.isPending) return <Skeleton className="mx-auto h-48 max-w-md" />
  return (
    <section className="mx-auto max-w-md py-8">
      <h2 className="text-base font-semibold">{t('welcome')}</h2>
      <p className="mt-1 text-soft">{t('welcomeText')}</p>
      <ol className="mt-4 space-y-2">
        {steps.map(({ key, done, href }, index) => (
          <li key={key}>
            <Link
              href={href}
              className={cn(
                'flex items-center gap-3 rounded-lg border border-line px-3 py-2.5 row-hover',
                key === next && 'border-brand',
              )}
            >
              <span
                className={cn(
                  'inline-flex size-6 items-center justify-center rounded-full border border-line-strong text-xs tabular',
                  key === next && 'border-brand text-brand',
                )}
              >
                {done ? <Check aria-hidden className="size-3.5 text-good" /> : index + 1}
              </span>
              <span className="flex-1">
                <span className="block font-medium">{t(`steps.${key}.title`)}</span>
                <span className="block text-xs text-soft">
                  {done ? t('done') : t(key === 'thread' && demo ? 'demoText' : `steps.${key}.text`)}
                </span>
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </section>
  )
}
