'use client'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { factOf } from '../../../client/api.ts'
import { useCreateInvite, useInvites, useRevokeInvite, useTeamRole } from '../../../client/people.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { Invite, TeamRole } from '../../../protocol/access.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Shown } from '../../ui/shown.tsx'
import { Trouble } from '../../ui/states.tsx'
import { At } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import { Section } from '../settings-frame.tsx'
import { Badge } from './badge.tsx'
import { usePersonName } from './person-name.ts'
import { RowList } from './row-list.tsx'
import { ShownOnce } from './shown-once.tsx'
import { givable } from './team-role-menu.tsx'

/** Links that let somebody in; what was used, ran out or was withdrawn is folded away. */
export function Invites() {
  const t = useTranslations('people.invites')
  const members = useTranslations('people.members')
  const invites = useInvites()
  const [making, setMaking] = useState(false)
  const [link, setLink] = useState<string | null>(null)
  const open = invites.data?.filter(({ state }) => state === 'open')
  const past = invites.data?.filter(({ state }) => state !== 'open') ?? []
  const words = { none: t('none'), notRead: t('notRead'), retry: members('retry') }
  return (
    <Section
      title={t('title')}
      text={t('text')}
      action={
        !making && (
          <Button onClick={() => setMaking(true)}>
            <Plus aria-hidden className="size-4" />
            {t('create')}
          </Button>
        )
      }
    >
      {making && (
        <InviteForm
          onMade={(path) => {
            setMaking(false)
            setLink(new URL(path, window.location.origin).href)
          }}
          onCancel={() => setMaking(false)}
        />
      )}
      {link !== null && (
        <ShownOnce
          key={link}
          label={t('linkLabel')}
          value={link}
          text={t('linkText')}
          onDone={() => setLink(null)}
        />
      )}
      <RowList
        label={t('title')}
        query={{ data: open, isError: invites.isError, error: invites.error, refetch: invites.refetch }}
        words={words}
        keyOf={({ id }) => id}
      >
        {(invite) => <InviteRow invite={invite} />}
      </RowList>
      {past.length > 0 && (
        <details className="mt-3">
          <summary className="cursor-pointer text-xs text-soft">{t('past', { count: past.length })}</summary>
          <div className="mt-2">
            <RowList
              label={t('past', { count: past.length })}
              query={{ data: past, isError: false, error: null, refetch: invites.refetch }}
              words={words}
              keyOf={({ id }) => id}
            >
              {(invite) => <InviteRow invite={invite} />}
            </RowList>
          </div>
        </details>
      )}
    </Section>
  )
}

function InviteRow({ invite }: { invite: Invite }) {
  const t = useTranslations('people.invites')
  const roles = useTranslations('people.teamRoles.names')
  const nameOf = usePersonName()
  const revoke = useRevokeInvite()
  const { email, role, state, expiresAt, createdBy, usedBy } = invite
  const open = state === 'open'
  return (
    <>
      <div className="min-w-0 flex-1">
        <p className="truncate">
          {email === null ? t('anybody') : <Shown text={email} />}{' '}
          <span className="text-soft">{t('as', { role: roles(role) })}</span>
        </p>
        <p className="truncate text-xs text-soft">
          {createdBy !== null && <>{t('by', { name: nameOf(createdBy) })} · </>}
          {usedBy !== null && state === 'used'
            ? t('usedBy', { name: nameOf(usedBy) })
            : t.rich('until', { when: () => <At at={expiresAt} /> })}
        </p>
        {revoke.isError && (
          <div className="mt-2">
            <Trouble fact={factOf(revoke.error)} />
          </div>
        )}
      </div>
      {open ? (
        <Button
          small
          look="danger"
          disabled={revoke.isPending}
          onClick={() => revoke.mutate(invite.id, { onSuccess: () => say(t('revoked')) })}
        >
          {t('revoke')}
        </Button>
      ) : (
        <Badge>{t(`states.${state}`)}</Badge>
      )}
    </>
  )
}

const daysOffered = [1, 7, 14, 30]

function InviteForm({ onMade, onCancel }: { onMade: (path: string) => void; onCancel: () => void }) {
  const t = useTranslations('people.invites')
  const roles = useTranslations('people.teamRoles')
  const own = useTeamRole()
  const create = useCreateInvite()
  const [role, setRole] = useState<TeamRole>('member')
  const [days, setDays] = useState(7)
  const [email, setEmail] = useState('')
  const [wrong, setWrong] = useState(false)

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const address = email.trim()
    const isWrong = address !== '' && !/^\S+@\S+$/.test(address)
    setWrong(isWrong)
    if (isWrong) return
    create.mutate(
      { role, days, email: address === '' ? null : address },
      { onSuccess: ({ path }) => onMade(path) },
    )
  }

  return (
    <form
      aria-label={t('createTitle')}
      noValidate
      onSubmit={submit}
      className="mb-4 space-y-4 rounded-lg border border-line-strong bg-raised p-4"
    >
      <TextField
        label={t('email')}
        type="email"
        autoComplete="off"
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        hint={t('emailHint')}
        error={wrong ? t('emailWrong') : null}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t('role')}
          hint={roles(`may.${role}`)}
          value={role}
          onChange={(event) => setRole(givable(own).find((one) => one === event.target.value) ?? 'member')}
        >
          {givable(own).map((one) => (
            <option key={one} value={one}>
              {roles(`names.${one}`)}
            </option>
          ))}
        </SelectField>
        <SelectField label={t('days')} value={days} onChange={(event) => setDays(Number(event.target.value))}>
          {daysOffered.map((count) => (
            <option key={count} value={count}>
              {t('daysValue', { count })}
            </option>
          ))}
        </SelectField>
      </div>
      {create.isError && <Trouble fact={factOf(create.error)} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t('cancel')}</Button>
        <Button type="submit" look="primary" disabled={create.isPending}>
          {t('createAction')}
        </Button>
      </div>
    </form>
  )
}
