'use client'
import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslations } from '../../i18n/translations.ts'
import type { SharedRole } from '../../protocol/access.ts'
import { Menu, MenuChoice, MenuChoices, MenuContent, MenuLine, MenuTrigger } from '../ui/menu.tsx'

export const sharedRoles = ['viewer', 'commenter', 'driver'] as const satisfies readonly SharedRole[]

type RoleMenuProps = {
  /** Whose role it is, read out before the role. */
  label: string
  value: SharedRole | null
  onChange: (role: SharedRole | null) => void
  /** Shown as a choice when a role may be none. */
  none?: { label: string; hint: string }
  /** Roles that cannot be given here, and why. */
  refused?: Partial<Record<SharedRole, string>>
  disabled?: boolean
  /** More entries below the roles. */
  children?: ReactNode
}

/** A role on a thread, with what each may do in words. */
export function RoleMenu(props: RoleMenuProps) {
  const { label, value, onChange, none, refused = {}, disabled = false, children } = props
  const t = useTranslations('people.threadRoles')
  const name = value === null ? (none?.label ?? '') : t(`names.${value}`)
  return (
    <Menu>
      <MenuTrigger
        disabled={disabled}
        aria-label={`${label}: ${name}`}
        className="inline-flex h-7 shrink-0 items-center gap-1 rounded-md px-2 text-sm text-soft row-hover disabled:opacity-50 data-[state=open]:bg-hover"
      >
        {name}
        <ChevronDown aria-hidden className="size-3.5" />
      </MenuTrigger>
      <MenuContent align="end" className="max-w-80">
        <MenuChoices
          value={value ?? 'none'}
          onValueChange={(next) => onChange(sharedRoles.find((role) => role === next) ?? null)}
        >
          {none !== undefined && <MenuChoice value="none" label={none.label} hint={none.hint} />}
          {sharedRoles.map((role) => (
            <MenuChoice
              key={role}
              value={role}
              label={t(`names.${role}`)}
              hint={refused[role] ?? t(`may.${role}`)}
              disabled={refused[role] !== undefined}
            />
          ))}
        </MenuChoices>
        {children !== undefined && (
          <>
            <MenuLine />
            {children}
          </>
        )}
      </MenuContent>
    </Menu>
  )
}
