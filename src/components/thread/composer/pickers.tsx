'use client'
import { ChevronDown, ShieldCheck } from 'lucide-react'
import Link from 'next/link'
import { useProviders } from '../../../client/query.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import type { Effort, ModelInfo, Permission, Provider, ThreadSettings } from '../../../protocol/settings.ts'
import type { ThreadProjection } from '../../../protocol/thread.ts'
import {
  Menu,
  MenuChoice,
  MenuChoices,
  MenuContent,
  MenuLabel,
  MenuLine,
  MenuTrigger,
} from '../../ui/menu.tsx'
import { Shown } from '../../ui/shown.tsx'

const triggerClass =
  'inline-flex h-7 min-w-0 items-center gap-1 rounded-md px-1.5 text-xs text-soft row-hover data-[state=open]:bg-hover'

type PickerProps = {
  settings: ThreadSettings
  /** What the current window speaks; null before the first. */
  spoken: ThreadProjection['lockedModel']
  onChange: (change: Partial<ThreadSettings>) => void
}

export type ModelChoice = { provider: Provider; model: ModelInfo }

export const modelsOf = (providers: readonly Provider[]): ModelChoice[] =>
  providers.flatMap((provider) => provider.models.map((model) => ({ provider, model })))

export const findModel = (
  providers: readonly Provider[],
  settings: Pick<ThreadSettings, 'model'>,
): ModelChoice | undefined =>
  modelsOf(providers).find(
    ({ provider, model }) => provider.id === settings.model?.providerId && model.id === settings.model.model,
  )

const choiceValue = ({ provider, model }: ModelChoice): string => `${provider.id}\n${model.id}`

/** The model and how hard it thinks. One of another wire or family opens a new window, which the menu says. */
export function ModelPicker({ settings, spoken, onChange }: PickerProps) {
  const t = useTranslations('model')
  const providers = useProviders()
  const current = findModel(providers.data ?? [], settings)
  const efforts = current?.model.efforts ?? []
  if (providers.data?.length === 0)
    return (
      <Link href="/settings/providers" className={triggerClass}>
        {t('addProvider')}
      </Link>
    )
  return (
    <Menu>
      <MenuTrigger className={triggerClass} aria-label={t('label')}>
        <span className="truncate">
          <Shown text={current?.model.label ?? settings.model?.model ?? t('choose')} />
        </span>
        {settings.effort !== null && <span className="text-faint">{t(`efforts.${settings.effort}`)}</span>}
        <ChevronDown aria-hidden className="size-3 shrink-0" />
      </MenuTrigger>
      <MenuContent align="start" className="max-w-80">
        {spoken !== null && (
          <p className="max-w-72 px-2 py-1.5 text-xs text-soft">
            {t('newWindow', { family: spoken.family })}
          </p>
        )}
        <MenuChoices
          value={current === undefined ? '' : choiceValue(current)}
          onValueChange={(value) => {
            const [providerId = '', model = ''] = value.split('\n')
            onChange({ model: { providerId, model } })
          }}
        >
          {providers.data?.map((provider) => (
            <div key={provider.id}>
              <MenuLabel>
                <Shown text={provider.name} />
                {provider.source === 'demo' && ` · ${t('demo')}`}
              </MenuLabel>
              {provider.models.map((model) => (
                <MenuChoice
                  key={model.id}
                  value={choiceValue({ provider, model })}
                  label={<Shown text={model.label} />}
                />
              ))}
            </div>
          ))}
        </MenuChoices>
        {efforts.length > 0 && (
          <>
            <MenuLine />
            <MenuLabel>{t('effort')}</MenuLabel>
            <MenuChoices
              value={settings.effort ?? 'default'}
              onValueChange={(value) => onChange({ effort: value === 'default' ? null : (value as Effort) })}
            >
              <MenuChoice value="default" label={t('efforts.default')} />
              {efforts.map((effort) => (
                <MenuChoice key={effort} value={effort} label={t(`efforts.${effort}`)} />
              ))}
            </MenuChoices>
          </>
        )}
      </MenuContent>
    </Menu>
  )
}

const permissions: Permission[] = ['read-only', 'workspace-write', 'full-access']

/** What the agent may change, in words. */
export function PermissionPicker({
  settings,
  onChange,
  isOwner = true,
}: Omit<PickerProps, 'spoken'> & { isOwner?: boolean }) {
  const t = useTranslations('permission')
  return (
    <Menu>
      <MenuTrigger className={triggerClass} aria-label={t('label')}>
        <ShieldCheck aria-hidden className="size-3.5 shrink-0" />
        <span className="truncate max-sm:hidden">{t(`names.${settings.permission}`)}</span>
        <ChevronDown aria-hidden className="size-3 shrink-0" />
      </MenuTrigger>
      <MenuContent align="start">
        <MenuChoices
          value={settings.permission}
          onValueChange={(value) => onChange({ permission: value as Permission })}
        >
          {permissions.map((permission) => (
            <MenuChoice
              key={permission}
              value={permission}
              label={t(`names.${permission}`)}
              hint={t(isOwner || permission !== 'full-access' ? `explain.${permission}` : 'ownerOnly')}
              disabled={!isOwner && permission === 'full-access'}
            />
          ))}
        </MenuChoices>
      </MenuContent>
    </Menu>
  )
}
