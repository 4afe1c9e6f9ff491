'use client'
import Link from 'next/link'
import { factOf } from '../../client/api.ts'
import { useProjects, useProviders } from '../../client/query.ts'
import { useDeleteProvider } from '../../client/settings.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { visible } from '../../lib/visible.ts'
import type { Provider } from '../../protocol/settings.ts'
import { Button } from '../ui/button.tsx'
import { Shown } from '../ui/shown.tsx'
import { Trouble } from '../ui/states.tsx'
import { DeleteButton, EditableList } from './editable-list.tsx'
import { ProviderForm } from './provider-form.tsx'

export function ProvidersPage() {
  const t = useTranslations('providers')
  const providers = useProviders()
  const projects = useProjects()
  return (
    <EditableList<Provider, string>
      words={{
        title: t('title'),
        text: t('text'),
        add: t('add'),
        none: t('none'),
        noneText: t('noneText'),
      }}
      query={providers}
      form={(provider, onSaved, onCancel) => (
        <ProviderForm provider={provider} onSaved={onSaved} onCancel={onCancel} />
      )}
      card={(provider, onEdit) => <ProviderCard provider={provider} onEdit={onEdit} />}
      saved={(name) => (
        <>
          {t('saved', { name: visible(name) })}{' '}
          <Link
            href={projects.data?.length === 0 ? '/settings/projects' : '/new'}
            className="text-brand underline underline-offset-2"
          >
            {t(projects.data?.length === 0 ? 'nextProject' : 'nextThread')}
          </Link>
        </>
      )}
    />
  )
}

function ProviderCard({ provider, onEdit }: { provider: Provider; onEdit: () => void }) {
  const t = useTranslations('providers')
  const remove = useDeleteProvider()
  const { kind, source, baseUrl, hasKey, models } = provider
  const name = visible(provider.name)
  const fact = remove.isError ? factOf(remove.error) : null
  return (
    <>
      <div className="flex items-center gap-2">
        <div className="min-w-0 flex-1">
          <h3 className="truncate font-medium">{name}</h3>
          <p className="text-xs text-soft wrap-anywhere">
            {t(`kinds.${kind}`)} · {baseUrl ?? t('vendorAddress')} ·{' '}
            {t('modelCount', { count: models.length })}
            {source === 'settings' && ` · ${t(hasKey ? 'withKey' : 'withoutKey')}`}
          </p>
        </div>
        {source === 'settings' && (
          <>
            <Button small onClick={onEdit} aria-label={t('editNamed', { name })}>
              {t('edit')}
            </Button>
            <DeleteButton
              words={{
                title: t('deleteTitle'),
                text: t('deleteText', { name }),
                action: t('delete'),
                label: t('deleteNamed', { name }),
              }}
              removal={{ isPending: remove.isPending, mutate: () => remove.mutate(provider.id) }}
            />
          </>
        )}
      </div>
      {source !== 'settings' && <p className="mt-1 text-xs text-faint">{t(`from.${source}`)}</p>}
      {models.length > 0 && (
        <p
          className="mt-1 truncate text-xs text-faint"
          title={visible(models.map(({ id }) => id).join('\n'))}
        >
          <Shown text={models.map(({ label, id }) => label || id).join(', ')} />
        </p>
      )}
      {fact && (
        <div className="mt-2">
          <Trouble fact={fact} />
        </div>
      )}
    </>
  )
}
