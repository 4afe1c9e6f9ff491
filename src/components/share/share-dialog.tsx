'use client'
import { LogOut, UserRoundCog, UserRoundMinus, Users } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { factOf } from '../../client/api.ts'
import { useMembers } from '../../client/people.ts'
import { useMe } from '../../client/query.ts'
import { useChangeSharing, useSharing } from '../../client/thread-people.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { visible } from '../../lib/visible.ts'
import type { SharedRole, ThreadPerson, ThreadSharing } from '../../protocol/access.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { MenuItem } from '../ui/menu.tsx'
import { Shown } from '../ui/shown.tsx'
import { Skeleton, Trouble } from '../ui/states.tsx'
import { AddPeople } from './add-people.tsx'
import { HandOver } from './hand-over.tsx'
import { PublicLinks } from './public-links.tsx'
import { RoleMenu } from './role-menu.tsx'

type ShareDialogProps = { title: string; open: boolean; onOpenChange: (open: boolean) => void }

/** Who sees the open thread and what each may do there; its owner changes it here, the others can leave. */
export function ShareDialog({ title, open, onOpenChange }: ShareDialogProps) {
  const t = useTranslations('people.share')
  const sharing = useSharing()
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      middle
      title={t('title', { title })}
      {...(sharing?.role === 'owner' ? { description: t('text') } : {})}
    >
      {sharing === null ? (
        <Skeleton className="h-40" />
      ) : (
        <Sharing sharing={sharing} title={title} close={() => onOpenChange(false)} />
      )}
    </Dialog>
  )
}

type SharingProps = { sharing: ThreadSharing; title: string; close: () => void }

function Sharing({ sharing, title, close }: SharingProps) {
  const t = useTranslations('people.share')
  const change = useChangeSharing()
  const [handingTo, setHandingTo] = useState<ThreadPerson | null>(null)
  const [said, setSaid] = useState('')
  const [making, setMaking] = useState(false)
  const [made, setMade] = useState<string | null>(null)
  const isOwner = sharing.role === 'owner'
  const { people } = sharing

  const share = (person: { userId: string; name: string }, role: SharedRole | null): void =>
    change.mutate(
      { type: 'share', userId: person.userId, role },
      { onSuccess: () => setSaid(t(role === null ? 'removed' : 'changed', { name: person.name })) },
    )

  if (handingTo !== null && isOwner)
    return (
      <HandOver
        to={handingTo}
        change={change}
        onDone={() => {
          setHandingTo(null)
          close()
        }}
        onCancel={() => {
          change.reset()
          setHandingTo(null)
        }}
      />
    )
  const links = (
    <PublicLinks
      threadId={sharing.threadId}
      title={title}
      canMake={isOwner}
      making={making}
      onMaking={setMaking}
      made={made}
      onMade={setMade}
    />
  )
  if (making) return links
  return (
    <div className="space-y-4">
      {isOwner && (
        <AddPeople
          known={people.map(({ userId }) => userId)}
          busy={change.isPending}
          onAdd={(member, role) => share(member, role)}
        />
      )}
      {change.isError && <Trouble fact={factOf(change.error)} />}
      <section aria-label={t('people')}>
        <h3 className="pb-1 text-xs font-medium text-faint">{t('people')}</h3>
        <ul>
          {people.map((person) => (
            <Person
              key={person.userId}
              person={person}
              canChange={isOwner && person.role !== 'owner'}
              busy={change.isPending}
              onRole={(role) => share(person, role)}
              onHandOver={() => setHandingTo(person)}
            />
          ))}
          <Line
            mark={
              <span className="inline-flex size-8 items-center justify-center rounded-full border border-line text-soft">
                <Users aria-hidden className="size-4" />
              </span>
            }
            name={t('team')}
            note={t(sharing.teamRole === null ? 'teamNone' : 'teamSome')}
          >
            {isOwner ? (
              <RoleMenu
                label={t('team')}
                value={sharing.teamRole}
                disabled={change.isPending}
                none={{ label: t('noAccess'), hint: t('noAccessHint') }}
                onChange={(role) => change.mutate({ type: 'team', role })}
              />
            ) : (
              <RoleName role={sharing.teamRole} />
            )}
          </Line>
        </ul>
      </section>
      {(isOwner || sharing.role === 'driver') && links}
      <p role="status" className="sr-only">
        {said}
      </p>
      {!isOwner && <Leave change={change} close={close} />}
    </div>
  )
}

function RoleName({ role }: { role: ThreadPerson['role'] | null }) {
  const t = useTranslations('people')
  return (
    <span className="px-2 text-sm text-soft">
      {role === null ? t('share.noAccess') : t(`threadRoles.names.${role}`)}
    </span>
  )
}

type LineProps = { mark: ReactNode; name: ReactNode; note: ReactNode; children: ReactNode }

function Line({ mark, name, note, children }: LineProps) {
  return (
    <li className="flex min-h-11 items-center gap-3">
      {mark}
      <span className="min-w-0 flex-1 leading-4.5">
        <span className="block truncate text-sm">{name}</span>
        <span className="block truncate text-xs text-faint">{note}</span>
      </span>
      {children}
    </li>
  )
}

type PersonProps = {
  person: ThreadPerson
  canChange: boolean
  busy: boolean
  onRole: (role: SharedRole | null) => void
  onHandOver: () => void
}

function Person({ person, canChange, busy, onRole, onHandOver }: PersonProps) {
  const t = useTranslations('people.share')
  const me = useMe().data?.user?.id
  const member = useMembers(canChange).data?.members.find(({ userId }) => userId === person.userId)
  const isTeamViewer = member?.role === 'viewer'
  const name = visible(person.name)
  return (
    <Line
      mark={<Avatar userId={person.userId} name={person.name} kind={person.kind} size="large" />}
      name={
        <>
          <Shown text={person.name} />
          {person.userId === me && <span className="text-faint"> {t('you')}</span>}
        </>
      }
      note={person.kind === 'service' ? t('service') : <Shown text={person.email} />}
    >
      {canChange && person.role !== 'owner' ? (
        <RoleMenu
          label={t('roleOf', { name })}
          value={person.role}
          disabled={busy}
          onChange={onRole}
          refused={isTeamViewer ? { driver: t('teamViewer') } : {}}
        >
          {person.kind === 'person' && !isTeamViewer && (
            <MenuItem onSelect={onHandOver}>
              <UserRoundCog aria-hidden /> {t('makeOwner')}
            </MenuItem>
          )}
          <MenuItem danger onSelect={() => onRole(null)}>
            <UserRoundMinus aria-hidden /> {t('remove')}
          </MenuItem>
        </RoleMenu>
      ) : (
        <RoleName role={person.role} />
      )}
    </Line>
  )
}

function Leave({ change, close }: { change: ReturnType<typeof useChangeSharing>; close: () => void }) {
  const t = useTranslations('people')
  const role = useSharing()?.role
  const [asking, setAsking] = useState(false)
  return (
    <div className="space-y-3 border-t border-line pt-3">
      {role !== undefined && role !== 'owner' && (
        <p className="text-sm text-soft">
          {t(`threadRoles.yours.${role}`)} {t('share.askOwner')}
        </p>
      )}
      {asking ? (
        <div className="flex flex-wrap items-center gap-2">
          <p className="min-w-40 flex-1 text-sm">{t('share.leaveText')}</p>
          <Button small autoFocus onClick={() => setAsking(false)}>
            {t('share.stay')}
          </Button>
          <Button
            small
            look="danger"
            disabled={change.isPending}
            onClick={() => change.mutate({ type: 'leave' }, { onSuccess: close })}
          >
            {t('share.leave')}
          </Button>
        </div>
      ) : (
        <Button small onClick={() => setAsking(true)}>
          <LogOut aria-hidden className="size-3.5" /> {t('share.leave')}
        </Button>
      )}
    </div>
  )
}
