'use client'
import { ChevronDown } from 'lucide-react'
import { useTeamRole } from '../../../client/people.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { type TeamRole, teamRoles } from '../../../protocol/access.ts'
import { Menu, MenuChoice, MenuChoices, MenuContent, MenuTrigger } from '../../ui/menu.tsx'

/** Roles that somebody of this role may give; nobody gives more than they have. */
export const givable = (own: TeamRole | null): TeamRole[] =>
  own === null ? [] : teamRoles.filter((role) => teamRoles.indexOf(role) >= teamRoles.indexOf(own))

type TeamRoleMenuProps = {
  label: string
  value: TeamRole
  disabled: boolean
  /** An account of scripts owns nothing. */
  without?: readonly TeamRole[]
  onChange: (role: TeamRole) => void
}

/** A role in the team, with what each may do in words. */
export function TeamRoleMenu({ label, value, disabled, without = [], onChange }: TeamRoleMenuProps) {
  const t = useTranslations('people.teamRoles')
  const own = useTeamRole()
  const roles = teamRoles.filter((role) => !without.includes(role))
  return (
    <Menu>
      <MenuTrigger
        disabled={disabled}
        aria-label={`${label}: ${t(`names.${value}`)}`}
        className="inline-flex h-7 shrink-0 items-center gap-1 rounded-md px-2 text-sm text-soft row-hover disabled:opacity-50 data-[state=open]:bg-hover"
      >
        {t(`names.${value}`)}
        <ChevronDown aria-hidden className="size-3.5" />
      </MenuTrigger>
      <MenuContent align="end" className="max-w-80">
        <MenuChoices
          value={value}
          onValueChange={(next) => {
            const role = roles.find((known) => known === next)
            if (role !== undefined && role !== value) onChange(role)
          }}
        >
          {roles.map((role) => (
            <MenuChoice
              key={role}
              value={role}
              label={t(`names.${role}`)}
              hint={givable(own).includes(role) ? t(`may.${role}`) : t('ownersOnly')}
              disabled={!givable(own).includes(role)}
            />
          ))}
        </MenuChoices>
      </MenuContent>
    </Menu>
  )
}
