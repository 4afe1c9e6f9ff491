'use client'
import {
  Archive,
  ArchiveRestore,
  CircleSlash,
  ClipboardCheck,
  Ellipsis,
  LogOut,
  Pencil,
  Pin,
  PinOff,
  Split,
  Trash2,
} from 'lucide-react'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { useChangeThread, useMe } from '../../client/query.ts'
import { isToReview, setAside, useReviewedTurns } from '../../client/reviews.ts'
import { setUi } from '../../client/ui-store.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { visible } from '../../lib/visible.ts'
import type { ThreadProjection } from '../../protocol/thread.ts'
import { cn } from '../ui/cn.ts'
import { Confirm } from '../ui/dialog.tsx'
import { Menu, MenuContent, MenuItem, MenuLine, MenuTrigger } from '../ui/menu.tsx'
import { Shown } from '../ui/shown.tsx'
import { ThreadStateIcon } from './thread-state.tsx'
import { type Owner, OwnerMark } from './whose.tsx'

type ThreadRowProps = { thread: ThreadProjection; owner: Owner | null; current: boolean }

export function ThreadRow({ thread, owner, current }: ThreadRowProps) {
  const t = useTranslations('sidebar')
  const router = useRouter()
  const change = useChangeThread()
  const me = useMe().data?.user?.id
  const reviewed = useReviewedTurns().data
  const [renaming, setRenaming] = useState(false)
  const [deleting, setDeleting] = useState(false)
  const title = thread.title || t('untitled')
  const people = useTranslations('people.share')
  const mayFork = owner === null || owner.role === 'driver'

  const rename = (value: string): void => {
    setRenaming(false)
    const next = value.trim()
    if (next !== '' && next !== thread.title)
      change.mutate({ type: 'rename', threadId: thread.id, title: next })
  }

  if (renaming)
    return (
      <li className="px-0.5 py-px">
        <input
          ref={(input) => input?.focus()}
          defaultValue={thread.title}
          aria-label={t('renameLabel')}
          maxLength={200}
          onBlur={(event) => rename(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') rename(event.currentTarget.value)
            if (event.key === 'Escape') setRenaming(false)
          }}
          className="h-7 w-full rounded-md border border-brand bg-background px-2 text-sm focus:outline-none"
        />
      </li>
    )

  return (
    <li className="group relative">
      <Link
        href={`/threads/${thread.id}`}
        onClick={() => setUi({ drawer: false })}
        onDoubleClick={(event) => {
          if (owner !== null) return
          event.preventDefault()
          setRenaming(true)
        }}
        aria-current={current ? 'page' : undefined}
        title={visible(`${title}\n${thread.projectName}`)}
        className={cn(
          'flex h-7.5 items-center gap-2 rounded-md px-2 text-sm row-hover group-focus-within:pr-8 group-hover:pr-8 max-md:pr-8',
          current && 'bg-hover font-medium',
        )}
      >
        <ThreadStateIcon thread={thread} />
        <span className="min-w-0 flex-1 truncate">
          <Shown text={title} />
        </span>
        {owner !== null && <OwnerMark owner={owner} />}
        {thread.additions + thread.deletions > 0 && (
          <span className="text-2xs text-faint tabular md:group-focus-within:hidden md:group-hover:hidden">
            +{thread.additions} −{thread.deletions}
          </span>
        )}
      </Link>
      <Menu>
        <MenuTrigger
          aria-label={t('actions', { title: visible(title) })}
          className="absolute top-0.75 right-1 inline-flex size-6 items-center justify-center rounded text-soft opacity-0 group-hover:opacity-100 hover:bg-line focus-visible:opacity-100 data-[state=open]:opacity-100 max-md:opacity-100"
        >
          <Ellipsis aria-hidden className="size-4" />
        </MenuTrigger>
        <MenuContent align="start">
          {owner === null && (
            <>
              <MenuItem onSelect={() => setTimeout(() => setRenaming(true))}>
                <Pencil aria-hidden /> {t('rename')}
              </MenuItem>
              <MenuItem
                onSelect={() => change.mutate({ type: 'pin', threadId: thread.id, pinned: !thread.pinned })}
              >
                {thread.pinned ? <PinOff aria-hidden /> : <Pin aria-hidden />}{' '}
                {thread.pinned ? t('unpin') : t('pin')}
              </MenuItem>
              <MenuItem
                onSelect={() =>
                  change.mutate({ type: 'archive', threadId: thread.id, archived: !thread.archived })
                }
              >
                {thread.archived ? <ArchiveRestore aria-hidden /> : <Archive aria-hidden />}{' '}
                {thread.archived ? t('unarchive') : t('archiveThread')}
              </MenuItem>
            </>
          )}
          {mayFork && (
            <MenuItem onSelect={() => router.push(`/new?project=${thread.projectId}&from=${thread.id}`)}>
              <Split aria-hidden /> {t('fromHere')}
            </MenuItem>
          )}
          <MenuItem onSelect={() => router.push(`/threads/${thread.id}/rollout`)}>
            <ClipboardCheck aria-hidden /> {t('review')}
          </MenuItem>
          {reviewed !== undefined && isToReview(thread, reviewed) && (
            <MenuItem onSelect={() => void setAside(thread.id, me)}>
              <CircleSlash aria-hidden /> {t('setAside')}
            </MenuItem>
          )}
          <MenuLine />
          {owner === null ? (
            <MenuItem danger onSelect={() => setTimeout(() => setDeleting(true))}>
              <Trash2 aria-hidden /> {t('delete')}
            </MenuItem>
          ) : (
            <MenuItem danger onSelect={() => setTimeout(() => setDeleting(true))}>
              <LogOut aria-hidden /> {people('leave')}
            </MenuItem>
          )}
        </MenuContent>
      </Menu>
      <Confirm
        open={deleting}
        onOpenChange={setDeleting}
        title={owner === null ? t('deleteTitle') : people('leaveTitle', { title: visible(title) })}
        description={owner === null ? t('deleteText', { title: visible(title) }) : people('leaveText')}
        action={owner === null ? t('delete') : people('leave')}
        onConfirm={() => {
          change.mutate({ type: owner === null ? 'delete' : 'leave', threadId: thread.id })
          if (current) router.push('/')
        }}
      />
    </li>
  )
}
