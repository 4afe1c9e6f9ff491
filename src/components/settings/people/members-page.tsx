'use client'
import { useMemo, useState } from 'react'
import { useIsKeeper, useMembers } from '../../../client/people.ts'
import { useMe } from '../../../client/query.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { TeamMember } from '../../../protocol/access.ts'
import { inputClass } from '../../ui/field.tsx'
import { Section } from '../settings-frame.tsx'
import { Gone } from './gone.tsx'
import { Invites } from './invites.tsx'
import { MemberRow } from './member-row.tsx'
import { RowList } from './row-list.tsx'
import { TeamNav } from './team-nav.tsx'

/** From here on a list is searched rather than read. */
const searchedFrom = 8

const order = (a: TeamMember, b: TeamMember): number =>
  Number(a.disabled) - Number(b.disabled) || a.name.localeCompare(b.name)

/** Who is in the team, who may come, and what those who left behind have left. */
export function MembersPage() {
  const t = useTranslations('people.members')
  const me = useMe().data?.user
  const members = useMembers()
  const keeper = useIsKeeper()
  const [search, setSearch] = useState('')
  const people = useMemo(
    () => members.data?.members.filter(({ kind }) => kind === 'person').sort(order),
    [members.data],
  )
  const wanted = search.trim().toLowerCase()
  const shown = people?.filter(
    ({ name, email }) => name.toLowerCase().includes(wanted) || email.toLowerCase().includes(wanted),
  )
  return (
    <>
      <TeamNav />
      <Section title={t('title')} text={t('text')}>
        {(people?.length ?? 0) >= searchedFrom && (
          <input
            type="search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            placeholder={t('filter')}
            aria-label={t('filter')}
            className={`${inputClass} mb-2`}
          />
        )}
        <RowList
          label={t('title')}
          query={{ data: shown, isError: members.isError, error: members.error, refetch: members.refetch }}
          words={{ none: t('none'), notRead: t('notRead'), retry: t('retry') }}
          keyOf={({ userId }) => userId}
        >
          {(member) => <MemberRow member={member} isMe={member.userId === me?.id} keeper={keeper} />}
        </RowList>
      </Section>
      {keeper && <Gone gone={members.data?.gone ?? []} members={members.data?.members ?? []} />}
      {keeper && <Invites />}
    </>
  )
}
