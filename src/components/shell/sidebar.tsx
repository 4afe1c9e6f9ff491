'use client'
import {
  Archive,
  ClipboardCheck,
  Command,
  FolderClosed,
  GanttChart,
  Plus,
  Search,
  Settings,
  X,
} from 'lucide-react'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { useDeferredValue, useState } from 'react'
import { useProjects, useThreads } from '../../client/query.ts'
import { isToReview, useReviewedTurns } from '../../client/reviews.ts'
import { setUi } from '../../client/ui-store.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { visible } from '../../lib/visible.ts'
import type { ReviewedTurns } from '../../protocol/review.ts'
import type { ThreadProjection } from '../../protocol/thread.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Chevron } from '../ui/chevron.tsx'
import { cn } from '../ui/cn.ts'
import { Kbd } from '../ui/kbd.tsx'
import { Shown } from '../ui/shown.tsx'
import { Skeleton } from '../ui/states.tsx'
import { ConnectionBadge } from './connection-badge.tsx'
import { ThreadRow } from './thread-row.tsx'
import { useWhose, WhoseChoice } from './whose.tsx'

const closeDrawer = (): void => setUi({ drawer: false })

type Group = 'pinned' | 'needsYou' | 'working' | 'toReview' | 'recent'

/** `reviewed`: what the reader has dealt with; until it is known nothing is on the heap. */
export const groupOf = (thread: ThreadProjection, reviewed: ReviewedTurns | undefined): Group => {
  if (thread.status === 'waiting_for_person') return 'needsYou'
  if (thread.pinned) return 'pinned'
  if (['working', 'queued', 'stopping'].includes(thread.status)) return 'working'
  return reviewed !== undefined && isToReview(thread, reviewed) ? 'toReview' : 'recent'
}

const order: Group[] = ['needsYou', 'pinned', 'working', 'toReview', 'recent']

export function Sidebar() {
  const t = useTranslations('sidebar')
  const [search, setSearch] = useState('')
  const [archived, setArchived] = useState(false)
  const wanted = useDeferredValue(search.trim())
  const threads = useThreads({ limit: 200, archived, ...(wanted === '' ? {} : { search: wanted }) })
  const reviewed = useReviewedTurns().data
  const { threads: list, isMixed, ownerOf } = useWhose(threads.data)
  const current = usePathname().match(/^\/threads\/([^/]+)/)?.[1]

  return (
    <nav aria-label={t('label')} className="flex h-full flex-col">
      <div className="flex items-center gap-1 px-3 pt-3 pb-2">
        <Link
          href="/"
          onClick={closeDrawer}
          className="flex-1 rounded px-1 text-base font-semibold tracking-tight"
        >
          {t('brand')}
        </Link>
        <button
          type="button"
          onClick={() => setUi({ palette: true, drawer: false })}
          aria-label={t('palette')}
          className="rounded-md px-1 py-1 row-hover"
        >
          <Command aria-hidden className="size-4 text-soft md:hidden" />
          <span className="max-md:hidden">
            <Kbd keys="mod k" />
          </span>
        </button>
      </div>
      <div className="space-y-1.5 px-3">
        <Link
          href="/new"
          onClick={closeDrawer}
          className="flex h-8 items-center gap-2 rounded-md border border-line bg-raised px-2.5 font-medium transition-colors duration-100 row-hover"
        >
          <Plus aria-hidden className="size-4 text-soft" />
          <span className="flex-1">{t('newThread')}</span>
          <span className="max-md:hidden">
            <Kbd keys="c" />
          </span>
        </Link>
        <div className="relative">
          <Search aria-hidden className="absolute top-2 left-2.5 size-3.5 text-faint" />
          <input
            type="search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') setSearch('')
            }}
            aria-label={t('search')}
            placeholder={archived ? t('searchArchived') : t('search')}
            className="h-7.5 w-full rounded-md border border-transparent bg-transparent pr-7 pl-8 text-sm placeholder:text-faint row-hover focus:border-line-strong focus:bg-background focus:outline-none [&::-webkit-search-cancel-button]:hidden"
          />
          {search !== '' && (
            <IconButton
              label={t('clearSearch')}
              className="absolute top-0.5 right-0.5 size-6.5"
              onClick={() => setSearch('')}
            >
              <X aria-hidden />
            </IconButton>
          )}
        </div>
      </div>

      {isMixed && <WhoseChoice name="whose" className="px-3 pt-1.5" />}
      <div className="min-h-0 flex-1 overflow-y-auto px-2 py-2">
        {threads.isPending ? (
          <div className="space-y-1.5 p-1">
            {[0, 1, 2, 3].map((n) => (
              <Skeleton key={n} className="h-6.5" />
            ))}
          </div>
        ) : threads.isError && threads.data === undefined ? (
          <div className="px-2 py-3 text-xs text-faint">
            <p>{t('unread')}</p>
            <Button small className="mt-2" onClick={() => void threads.refetch()}>
              {t('retry')}
            </Button>
          </div>
        ) : list.length === 0 ? (
          <p className="px-2 py-3 text-xs text-faint">
            {wanted !== ''
              ? t('nothingFound', { search: visible(wanted) })
              : archived
                ? t('noArchived')
                : t('noThreads')}
          </p>
        ) : (
          order.map((group) => {
            const rows = list.filter((thread) => groupOf(thread, reviewed) === group)
            if (rows.length === 0) return null
            return (
              <section key={group} className="mb-3">
                <h2
                  className={cn(
                    'flex items-center px-2 py-1 text-xs font-medium text-faint',
                    group === 'needsYou' && 'text-wait',
                  )}
                >
                  {archived ? (
                    t('archived')
                  ) : group === 'toReview' ? (
                    <Link href="/reviews" onClick={closeDrawer} className="rounded hover:text-foreground">
                      {t('groups.toReview')}
                    </Link>
                  ) : (
                    t(`groups.${group}`)
                  )}
                  {group !== 'recent' && <span className="pl-1.5 tabular">{rows.length}</span>}
                </h2>
                <ul>
                  {rows.map((thread) => (
                    <ThreadRow
                      key={thread.id}
                      thread={thread}
                      owner={ownerOf(thread)}
                      current={thread.id === current}
                    />
                  ))}
                </ul>
              </section>
            )
          })
        )}
        <ProjectList />
      </div>

      <div className="border-t border-line px-2 py-1.5">
        <button
          type="button"
          aria-pressed={archived}
          onClick={() => setArchived(!archived)}
          className={cn(
            'flex h-7 w-full items-center gap-2 rounded-md px-2 text-sm text-soft row-hover',
            archived && 'bg-hover text-foreground',
          )}
        >
          <Archive aria-hidden className="size-3.5" />
          {archived ? t('leaveArchive') : t('archive')}
        </button>
        <Link
          href="/reviews"
          onClick={closeDrawer}
          className="flex h-7 items-center gap-2 rounded-md px-2 text-sm text-soft row-hover"
        >
          <ClipboardCheck aria-hidden className="size-3.5" />
          {t('reviews')}
        </Link>
        <Link
          href="/rollouts"
          onClick={closeDrawer}
          className="flex h-7 items-center gap-2 rounded-md px-2 text-sm text-soft row-hover"
        >
          <GanttChart aria-hidden className="size-3.5" />
          {t('rollouts')}
        </Link>
        <Link
          href="/settings"
          onClick={closeDrawer}
          className="flex h-7 items-center gap-2 rounded-md px-2 text-sm text-soft row-hover"
        >
          <Settings aria-hidden className="size-3.5" />
          {t('settings')}
        </Link>
        <ConnectionBadge />
      </div>
    </nav>
  )
}

function ProjectList() {
  const t = useTranslations('sidebar')
  const projects = useProjects()
  const [open, setOpen] = useState(true)
  return (
    <section>
      <h2>
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex w-full items-center gap-1 rounded-md px-2 py-1 text-xs font-medium text-faint row-hover"
        >
          {t('projects')}
          <Chevron open={open} className="size-3 text-inherit" />
        </button>
      </h2>
      {open && (
        <ul>
          {projects.data?.map((project) => (
            <li key={project.id}>
              <Link
                href={`/new?project=${project.id}`}
                onClick={closeDrawer}
                title={t('newIn', { name: visible(project.name) })}
                className="group flex h-7 items-center gap-2 rounded-md px-2 text-sm row-hover"
              >
                <FolderClosed aria-hidden className="size-3.5 shrink-0 text-faint" />
                <span className="min-w-0 flex-1 truncate">
                  <Shown text={project.name} />
                </span>
                <Plus aria-hidden className="size-3.5 text-faint opacity-0 group-hover:opacity-100" />
              </Link>
            </li>
          ))}
          {projects.data?.length === 0 && (
            <li>
              <Link
                href="/settings/projects"
                onClick={closeDrawer}
                className="block rounded-md px-2 py-1 text-xs text-faint row-hover"
              >
                {t('noProjects')}
              </Link>
            </li>
          )}
        </ul>
      )}
    </section>
  )
}
