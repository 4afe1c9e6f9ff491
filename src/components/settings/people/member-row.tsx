'use client'
import { Ban, Ellipsis, LogOut, RotateCcw, UserMinus } from 'lucide-react'
import { useState } from 'react'
import { factOf } from '../../../client/api.ts'
import { type MemberChange, useChangeMember } from '../../../client/people.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { TeamMember } from '../../../protocol/access.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Menu, MenuContent, MenuItem, MenuLine, MenuTrigger } from '../../ui/menu.tsx'
import { Shown } from '../../ui/shown.tsx'
import { Trouble } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import { Badge } from './badge.tsx'
import { TeamRoleMenu } from './team-role-menu.tsx'

type MemberRowProps = { member: TeamMember; isMe: boolean; keeper: boolean }

/** One member, or account of scripts, and what may be done about them. */
export function MemberRow({ member, isMe, keeper }: MemberRowProps) {
  const t = useTranslations('people.members')
  const roles = useTranslations('people.teamRoles.names')
  const change = useChangeMember()
  const { userId, name, kind, email, role, disabled, lastSeenAt } = member
  const send = (wanted: MemberChange, done: string): void =>
    change.mutate(wanted, { onSuccess: () => say(done) })
  return (
    <>
      <Avatar userId={userId} name={name} kind={kind} size="large" className={disabled ? 'opacity-50' : ''} />
      <div className="min-w-0 flex-1">
        <p className="flex min-w-0 items-center gap-2">
          <span className="truncate font-medium">
            <Shown text={name} /> {isMe && <span className="font-normal text-soft">{t('you')}</span>}
          </span>
          {disabled && <Badge look="bad">{t('disabled')}</Badge>}
        </p>
        <p className="truncate text-xs text-soft">
          {email !== '' && (
            <>
              <Shown text={email} /> ·{' '}
            </>
          )}
          {lastSeenAt === null ? t('never') : t.rich('seen', { when: () => <Ago at={lastSeenAt} /> })}
        </p>
        {change.isError && (
          <div className="mt-2">
            <Trouble fact={factOf(change.error)} />
          </div>
        )}
      </div>
      {keeper ? (
        <>
          <TeamRoleMenu
            label={t('roleOf', { name })}
            value={role}
            disabled={change.isPending || disabled}
            without={kind === 'service' ? ['owner'] : []}
            onChange={(next) =>
              send({ type: 'role', userId, role: next }, t('changedRole', { name, role: roles(next) }))
            }
          />
          <More member={member} isMe={isMe} send={send} />
        </>
      ) : (
        <span className="shrink-0 text-sm text-soft">{roles(role)}</span>
      )}
    </>
  )
}

type MoreProps = { member: TeamMember; isMe: boolean; send: (change: MemberChange, done: string) => void }

function More({ member, isMe, send }: MoreProps) {
  const t = useTranslations('people.members')
  const [asked, setAsked] = useState<'disable' | 'remove' | null>(null)
  const { userId, name, kind, disabled } = member
  const actions = {
    disable: () => send({ type: 'disabled', userId, disabled: true }, t('disabledSaid', { name })),
    remove: () => send({ type: 'remove', userId }, t('removedSaid', { name })),
  }
  return (
    <>
      <Menu>
        <MenuTrigger asChild>
          <IconButton label={t('more', { name })}>
            <Ellipsis aria-hidden />
          </IconButton>
        </MenuTrigger>
        <MenuContent align="end">
          {kind === 'person' && (
            <MenuItem
              onSelect={() => send({ type: 'endSessions', userId }, t('endedSaid', { name }))}
              disabled={isMe}
            >
              <LogOut aria-hidden />
              {t('endSessions')}
            </MenuItem>
          )}
          {disabled ? (
            <MenuItem
              onSelect={() => send({ type: 'disabled', userId, disabled: false }, t('enabledSaid', { name }))}
            >
              <RotateCcw aria-hidden />
              {t('enable')}
            </MenuItem>
          ) : (
            <MenuItem onSelect={() => setAsked('disable')} disabled={isMe}>
              <Ban aria-hidden />
              {t('disable')}
            </MenuItem>
          )}
          <MenuLine />
          <MenuItem danger onSelect={() => setAsked('remove')} disabled={isMe}>
            <UserMinus aria-hidden />
            {t('remove')}
          </MenuItem>
        </MenuContent>
      </Menu>
      {asked !== null && (
        <Confirm
          open
          onOpenChange={(open) => !open && setAsked(null)}
          title={t(`${asked}Title`, { name })}
          description={t(`${asked}Text`)}
          action={t(`${asked}Action`)}
          onConfirm={actions[asked]}
        />
      )}
    </>
  )
}
