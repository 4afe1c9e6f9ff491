'use client'
import { Eye, Radio, StickyNote } from 'lucide-react'
import Link from 'next/link'
import { useState } from 'react'
import { factOf } from '../../client/api.ts'
import { type RevokeAs, useLinkOpenings, useRevokeLink } from '../../client/links.ts'
import { readUserAgent } from '../../client/user-agent.ts'
import { useTranslations } from '../../i18n/translations.ts'
import type { PublicLink } from '../../protocol/link.ts'
import { Badge } from '../settings/people/badge.tsx'
import { usePersonName } from '../settings/people/person-name.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Shown } from '../ui/shown.tsx'
import { Skeleton, Trouble } from '../ui/states.tsx'
import { Ago, At } from '../ui/time.tsx'
import { say } from '../ui/toast.tsx'

type LinkRowProps = {
  link: PublicLink
  as: RevokeAs
  /** Null = asked as who keeps the team. */
  openingsOf: string | null
  /** Who made it, and the way to its thread. */
  away?: boolean
}

/** One link: what it shows, how often it was opened, and its end. */
export function LinkRow({ link, as, openingsOf, away = false }: LinkRowProps) {
  const t = useTranslations('links.row')
  const people = usePersonName()
  const revoke = useRevokeLink(as)
  const [open, setOpen] = useState(false)
  const { id, hint, title, live, fromStep, toStep, state, opened, openedAt, expiresAt } = link
  const Icon = live ? Radio : StickyNote
  const range =
    toStep === null
      ? fromStep === 1
        ? t('whole')
        : t('fromOn', { from: fromStep })
      : t('steps', { from: fromStep, to: toStep })
  return (
    <li className="px-3 py-2">
      <div className="flex items-start gap-3">
        <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-soft" />
        <div className="min-w-0 flex-1">
          <p className="truncate">
            {title === '' ? <span className="text-soft">{t('untitled')}</span> : <Shown text={title} />}{' '}
            <code className="text-xs text-faint">…{hint}</code>
          </p>
          <p className="text-xs text-soft">
            {t(live ? 'live' : 'copy')} · {range} ·{' '}
            {expiresAt === null ? t('forever') : t.rich('until', { when: () => <At at={expiresAt} /> })}
            {away && <> · {t('by', { name: people(link.createdBy) })}</>}
          </p>
          <p className="text-xs text-faint">
            {t('opened', { count: opened })}
            {openedAt !== null && <> · {t.rich('last', { when: () => <Ago at={openedAt} /> })}</>}
            {away && openingsOf !== null && (
              <>
                {' · '}
                <Link href={`/threads/${link.threadId}`} className="text-brand underline underline-offset-2">
                  {t('toThread')}
                </Link>
              </>
            )}
          </p>
          {revoke.isError && <Trouble fact={factOf(revoke.error)} />}
        </div>
        <IconButton
          label={t('openingsOf', { hint })}
          aria-expanded={open}
          disabled={opened === 0}
          onClick={() => setOpen(!open)}
        >
          <Eye aria-hidden />
        </IconButton>
        {state === 'open' ? (
          <Button
            small
            look="danger"
            aria-label={t('revokeOf', { hint })}
            disabled={revoke.isPending}
            onClick={() => revoke.mutate(id, { onSuccess: () => say(t('revoked')) })}
          >
            {t('revoke')}
          </Button>
        ) : (
          <Badge>{t(`states.${state}`)}</Badge>
        )}
      </div>
      {open && <Openings linkId={id} threadId={openingsOf} />}
    </li>
  )
}

function Openings({ linkId, threadId }: { linkId: string; threadId: string | null }) {
  const t = useTranslations('links.row')
  const people = usePersonName()
  const openings = useLinkOpenings(linkId, threadId)
  if (openings.isError) return <Trouble fact={factOf(openings.error)} />
  if (openings.data === undefined) return <Skeleton className="mt-2 h-10" />
  return (
    <ul aria-label={t('openings')} className="mt-2 max-h-48 space-y-1 overflow-y-auto pl-7 text-xs text-soft">
      {openings.data.length === 0 && <li>{t('nobody')}</li>}
      {openings.data.map(({ at, userId, agent }) => {
        const { browser, system } = readUserAgent(agent)
        const program = [browser, system].filter((one) => one !== null).join(' · ')
        return (
          <li key={`${at} ${userId} ${agent}`} className="flex gap-3">
            <At at={at} className="shrink-0 tabular" />
            <span className="min-w-0 flex-1 truncate">
              {userId === null ? t('guest') : people(userId)} · {program === '' ? t('unknownAgent') : program}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
