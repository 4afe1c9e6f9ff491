'use client'
import { useState } from 'react'
import { factOf } from '../../../client/api.ts'
import { type AuditFilter, useAudit } from '../../../client/audit.ts'
import { useIsKeeper, useMembers } from '../../../client/people.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { visible } from '../../../lib/visible.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Empty, Skeleton, Trouble } from '../../ui/states.tsx'
import { Section } from '../settings-frame.tsx'
import { AuditLine } from './audit-line.tsx'
import { usePersonName } from './person-name.ts'
import { KeepersOnly, TeamNav } from './team-nav.tsx'

const groups = [
  'thread',
  'member',
  'invite',
  'token',
  'session',
  'account',
  'service',
  'provider',
  'project',
  'review',
  'label',
  'link',
  'budget',
  'webhook',
  'schedule',
] as const

/** Milliseconds of a day that a person chose, in their own time zone; undefined for none. */
const dayAt = (day: string, end: boolean): number | undefined => {
  const at = new Date(`${day}T${end ? '23:59:59.999' : '00:00:00'}`).getTime()
  return Number.isNaN(at) ? undefined : at
}

/** Who did what, newest first. */
export function AuditPage() {
  const t = useTranslations('people.audit')
  const members = useTranslations('people.members')
  const keeper = useIsKeeper()
  const people = useMembers(keeper)
  const nameOf = usePersonName()
  const [actorId, setActor] = useState('')
  const [action, setAction] = useState('')
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const begin = dayAt(from, false)
  const end = dayAt(to, true)
  const filter: AuditFilter = {
    ...(actorId === '' ? {} : { actorId }),
    ...(action === '' ? {} : { action }),
    ...(begin === undefined ? {} : { from: begin }),
    ...(end === undefined ? {} : { to: end }),
  }
  const audit = useAudit(filter)
  if (!keeper) return <KeepersOnly />
  const rows = audit.data?.pages.flatMap((page) => page.rows)
  return (
    <>
      <TeamNav />
      <Section title={t('title')} text={t('text')}>
        <search className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-4">
          <SelectField label={t('person')} value={actorId} onChange={(event) => setActor(event.target.value)}>
            <option value="">{t('anybody')}</option>
            {people.data?.members.map(({ userId, name }) => (
              <option key={userId} value={userId}>
                {visible(name)}
              </option>
            ))}
          </SelectField>
          <SelectField label={t('action')} value={action} onChange={(event) => setAction(event.target.value)}>
            <option value="">{t('anything')}</option>
            {groups.map((group) => (
              <option key={group} value={group}>
                {t(`groups.${group}`)}
              </option>
            ))}
          </SelectField>
          <TextField
            label={t('from')}
            type="date"
            value={from}
            max={to || undefined}
            onChange={(event) => setFrom(event.target.value)}
          />
          <TextField
            label={t('to')}
            type="date"
            value={to}
            min={from || undefined}
            onChange={(event) => setTo(event.target.value)}
          />
        </search>
        {audit.isError && rows === undefined ? (
          <Trouble title={t('notRead')} fact={factOf(audit.error)}>
            <Button small onClick={() => void audit.refetch()}>
              {members('retry')}
            </Button>
          </Trouble>
        ) : rows === undefined ? (
          <Skeleton className="h-60" />
        ) : rows.length === 0 ? (
          <Empty title={t('none')} />
        ) : (
          <ol aria-label={t('title')} className="divide-y divide-line rounded-lg border border-line">
            {rows.map((row) => (
              <AuditLine key={row.id} row={row} nameOf={nameOf} />
            ))}
          </ol>
        )}
        {audit.hasNextPage && (
          <div className="pt-3 text-center">
            <Button disabled={audit.isFetchingNextPage} onClick={() => void audit.fetchNextPage()}>
              {audit.isFetchingNextPage ? t('loading') : t('more')}
            </Button>
          </div>
        )}
      </Section>
    </>
  )
}
