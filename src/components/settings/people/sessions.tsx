'use client'
import { Monitor } from 'lucide-react'
import { useEndOtherSessions, useEndSession, useSessions } from '../../../client/account.ts'
import { factOf } from '../../../client/api.ts'
import { readUserAgent } from '../../../client/user-agent.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { visible } from '../../../lib/visible.ts'
import type { SessionInfo } from '../../../protocol/access.ts'
import { Button } from '../../ui/button.tsx'
import { Trouble } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import { Section } from '../settings-frame.tsx'
import { Badge } from './badge.tsx'
import { RowList } from './row-list.tsx'

/** Where one is signed in. */
export function Sessions() {
  const t = useTranslations('people.sessions')
  const members = useTranslations('people.members')
  const sessions = useSessions()
  const endOthers = useEndOtherSessions()
  const others = sessions.data?.filter(({ current }) => !current) ?? []
  return (
    <Section
      title={t('title')}
      text={t('text')}
      action={
        others.length > 0 && (
          <Button
            disabled={endOthers.isPending}
            onClick={() =>
              endOthers.mutate(undefined, {
                onSuccess: ({ ended }) => say(t('endedOthers', { count: ended })),
              })
            }
          >
            {t('endOthers')}
          </Button>
        )
      }
    >
      {endOthers.isError && (
        <div className="mb-3">
          <Trouble fact={factOf(endOthers.error)} />
        </div>
      )}
      <RowList
        label={t('title')}
        query={sessions}
        words={{ none: t('notRead'), notRead: t('notRead'), retry: members('retry') }}
        keyOf={({ id }) => id}
      >
        {(session) => <SessionRow session={session} />}
      </RowList>
    </Section>
  )
}

function SessionRow({ session }: { session: SessionInfo }) {
  const t = useTranslations('people.sessions')
  const end = useEndSession()
  const { id, address, userAgent, lastSeenAt, createdAt, current } = session
  const { browser, system } = readUserAgent(userAgent)
  const name =
    browser !== null && system !== null ? t('on', { browser, system }) : (browser ?? system ?? t('unknown'))
  return (
    <>
      <Monitor aria-hidden className="size-4 shrink-0 text-soft" />
      <div className="min-w-0 flex-1">
        <p className="truncate">{name}</p>
        <p className="truncate text-xs text-soft">
          {address !== null && <>{visible(address)} · </>}
          {t.rich('seen', { when: () => <Ago at={lastSeenAt} /> })} ·{' '}
          {t.rich('began', { when: () => <Ago at={createdAt} /> })}
        </p>
        {end.isError && <Trouble fact={factOf(end.error)} />}
      </div>
      {current ? (
        <Badge look="good">{t('current')}</Badge>
      ) : (
        <Button
          small
          look="danger"
          aria-label={t('endOf', { name })}
          disabled={end.isPending}
          onClick={() => end.mutate(id, { onSuccess: () => say(t('ended')) })}
        >
          {t('end')}
        </Button>
      )}
    </>
  )
}
