'use client'
import { type KeyboardEvent, useId, useState } from 'react'
import { useMembers } from '../../client/people.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { visible } from '../../lib/visible.ts'
import type { SharedRole, TeamMember } from '../../protocol/access.ts'
import { Avatar } from '../ui/avatar.tsx'
import { cn } from '../ui/cn.ts'
import { inputClass } from '../ui/field.tsx'
import { Shown } from '../ui/shown.tsx'
import { RoleMenu } from './role-menu.tsx'

/** Members that are offered at once; more of them are found by typing. */
const maxOffered = 8

const found = (members: readonly TeamMember[], search: string): TeamMember[] => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return members.filter(({ name, email }) => {
    const text = `${name} ${email}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

type AddPeopleProps = {
  /** Who is there already. */
  known: readonly string[]
  busy: boolean
  onAdd: (member: TeamMember, role: SharedRole) => void
}

/** Finds members by name or address and gives them a role; the field keeps the keys. */
export function AddPeople({ known, busy, onAdd }: AddPeopleProps) {
  const t = useTranslations('people.share')
  const id = useId()
  const members = useMembers()
  const [search, setSearch] = useState('')
  const [open, setOpen] = useState(false)
  const [at, setAt] = useState(0)
  const [role, setRole] = useState<SharedRole>('viewer')
  const others = (members.data?.members ?? []).filter(
    ({ userId, disabled }) => !disabled && !known.includes(userId),
  )
  const offered = found(others, search).slice(0, maxOffered)
  const active = Math.min(at, offered.length - 1)
  const shown = open && (offered.length > 0 || search.trim() !== '' || others.length === 0)

  const choose = (member: TeamMember | undefined): void => {
    if (member === undefined || busy) return
    // Who is a viewer in the team gets no more than comments; the server would say so, too.
    onAdd(member, member.role === 'viewer' && role === 'driver' ? 'commenter' : role)
    setSearch('')
    setAt(0)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.nativeEvent.isComposing) return
    const move = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (move !== 0) {
      event.preventDefault()
      if (!open) setOpen(true)
      else if (offered.length > 0) setAt((active + move + offered.length) % offered.length)
    } else if (event.key === 'Enter' && shown) {
      event.preventDefault()
      choose(offered[active])
    } else if (event.key === 'Escape' && shown) {
      // The first Escape closes the list, the next one the dialog.
      event.preventDefault()
      event.nativeEvent.stopImmediatePropagation()
      setOpen(false)
    }
  }

  return (
    <div className="relative">
      <div className="flex items-center gap-1 rounded-md border border-line-strong bg-background focus-within:border-brand">
        <input
          type="text"
          role="combobox"
          aria-label={t('add')}
          aria-autocomplete="list"
          aria-expanded={shown}
          aria-controls={`${id}-list`}
          aria-activedescendant={shown && offered.length > 0 ? `${id}-${active}` : undefined}
          autoComplete="off"
          value={search}
          placeholder={t('add')}
          onChange={(event) => {
            setSearch(event.target.value)
            setAt(0)
            setOpen(true)
          }}
          onClick={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={onKeyDown}
          className={cn(inputClass, 'border-transparent focus:border-transparent focus-visible:outline-none')}
        />
        <RoleMenu label={t('newRole')} value={role} onChange={(next) => next !== null && setRole(next)} />
      </div>
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label={t('found')}
        hidden={!shown}
        className="absolute inset-x-0 top-full z-10 mt-1 max-h-72 overflow-y-auto rounded-lg border border-line-strong bg-raised p-1"
      >
        {offered.map((member, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the text field has the keys.
          <div
            key={member.userId}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            // The field must not lose the focus to a click.
            onMouseDown={(event) => event.preventDefault()}
            onMouseMove={() => setAt(index)}
            onClick={() => choose(member)}
            className={cn(
              'flex cursor-default items-center gap-2.5 rounded-md px-2 py-1 text-sm',
              index === active && 'bg-hover',
            )}
          >
            <Avatar userId={member.userId} name={member.name} kind={member.kind} />
            <span className="min-w-0 flex-1 truncate">
              <Shown text={member.name} />
            </span>
            <span className="min-w-0 truncate text-xs text-faint">
              {member.kind === 'service' ? t('service') : visible(member.email)}
            </span>
          </div>
        ))}
        {offered.length === 0 && (
          // biome-ignore lint/a11y/useFocusableInteractive: said in place of choices.
          <div role="option" aria-selected={false} aria-disabled className="px-2 py-1.5 text-sm text-soft">
            {members.isPending
              ? t('searching')
              : members.isError
                ? t('notRead')
                : others.length === 0
                  ? t('everybody')
                  : t('nobodyFound')}
          </div>
        )}
      </div>
    </div>
  )
}
