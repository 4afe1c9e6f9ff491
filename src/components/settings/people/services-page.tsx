'use client'
import { KeyRound, Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { factOf } from '../../../client/api.ts'
import {
  useCreateService,
  useCreateServiceToken,
  useIsKeeper,
  useMembers,
  useRevokeServiceToken,
  useServiceTokens,
} from '../../../client/people.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { TeamMember } from '../../../protocol/access.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Skeleton, Trouble } from '../../ui/states.tsx'
import { Section } from '../settings-frame.tsx'
import { MemberRow } from './member-row.tsx'
import { KeepersOnly, TeamNav } from './team-nav.tsx'
import { Tokens } from './tokens.tsx'

/** Accounts of scripts and their tokens. */
export function ServicesPage() {
  const t = useTranslations('people.services')
  const members = useTranslations('people.members')
  const keeper = useIsKeeper()
  const list = useMembers(keeper)
  const [making, setMaking] = useState(false)
  const services = list.data?.members.filter(({ kind }) => kind === 'service')
  if (!keeper) return <KeepersOnly />
  return (
    <>
      <TeamNav />
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
        {making && <ServiceForm onDone={() => setMaking(false)} />}
        {list.isError && list.data === undefined ? (
          <Trouble title={members('notRead')} fact={factOf(list.error)}>
            <Button small onClick={() => void list.refetch()}>
              {members('retry')}
            </Button>
          </Trouble>
        ) : services === undefined ? (
          <Skeleton className="h-24" />
        ) : services.length === 0 ? (
          <p className="rounded-lg border border-dashed border-line-strong px-3 py-4 text-center text-sm text-soft">
            {t('none')}
          </p>
        ) : (
          <ul aria-label={t('title')} className="divide-y divide-line rounded-lg border border-line">
            {services.map((service) => (
              <Service key={service.userId} service={service} />
            ))}
          </ul>
        )}
      </Section>
    </>
  )
}

function Service({ service }: { service: TeamMember }) {
  const t = useTranslations('people.services')
  const [open, setOpen] = useState(false)
  const label = t('tokensOf', { name: service.name })
  return (
    <li className="px-3 py-1.5">
      <div className="flex min-h-9 items-center gap-3">
        <MemberRow member={service} isMe={false} keeper />
        <Button small aria-expanded={open} aria-label={label} onClick={() => setOpen(!open)}>
          <KeyRound aria-hidden className="size-3.5" />
        </Button>
      </div>
      {open && (
        <div className="pt-2 pb-3">
          <ServiceTokens userId={service.userId} label={label} />
        </div>
      )}
    </li>
  )
}

function ServiceTokens({ userId, label }: { userId: string; label: string }) {
  const tokens = useServiceTokens(userId)
  const create = useCreateServiceToken()
  const revoke = useRevokeServiceToken()
  return (
    <Tokens
      label={label}
      query={tokens}
      create={{ ...create, mutate: (input, options) => create.mutate({ userId, ...input }, options) }}
      revoke={{ ...revoke, mutate: (tokenId, options) => revoke.mutate({ userId, tokenId }, options) }}
    />
  )
}

const serviceRoles = ['admin', 'member', 'viewer'] as const

function ServiceForm({ onDone }: { onDone: () => void }) {
  const t = useTranslations('people.services')
  const roles = useTranslations('people.teamRoles')
  const create = useCreateService()
  const [name, setName] = useState('')
  const [role, setRole] = useState<(typeof serviceRoles)[number]>('member')
  const [tried, setTried] = useState(false)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setTried(true)
    if (name.trim() !== '') create.mutate({ name: name.trim(), role }, { onSuccess: onDone })
  }
  return (
    <form
      aria-label={t('createTitle')}
      noValidate
      onSubmit={submit}
      className="mb-4 space-y-4 rounded-lg border border-line-strong bg-raised p-4"
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('name')}
          autoFocus
          autoComplete="off"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={tried && name.trim() === '' ? t('nameMissing') : null}
        />
        <SelectField
          label={t('role')}
          hint={roles(`may.${role}`)}
          value={role}
          onChange={(event) => setRole(serviceRoles.find((one) => one === event.target.value) ?? 'member')}
        >
          {serviceRoles.map((one) => (
            <option key={one} value={one}>
              {roles(`names.${one}`)}
            </option>
          ))}
        </SelectField>
      </div>
      {create.isError && <Trouble fact={factOf(create.error)} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>{t('cancel')}</Button>
        <Button type="submit" look="primary" disabled={create.isPending}>
          {t('createAction')}
        </Button>
      </div>
    </form>
  )
}
