'use client'
import { Plus } from 'lucide-react'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { factOf } from '../../client/api.ts'
import { useProjects, useProviders } from '../../client/query.ts'
import { useDeleteProvider } from '../../client/settings.ts'
import type { Provider } from '../../protocol/settings.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Empty, Skeleton, Trouble } from '../ui/states.tsx'
import { ProviderForm } from './provider-form.tsx'
import { Section } from './settings-frame.tsx'

type Editing = { id: string | null } | null

export function ProvidersPage() {
  const t = useTranslations('providers')
  const providers = useProviders()
  const projects = useProjects()
  const [editing, setEditing] = useState<Editing>(null)
  const [saved, setSaved] = useState<string | null>(null)
  const list = providers.data ?? []
  const done = (name: string): void => {
    setEditing(null)
    setSaved(name)
  }
  const open = (id: string | null): void => {
    setEditing({ id })
    setSaved(null)
  }

  return (
    <Section
      title={t('title')}
      text={t('text')}
      action={
        editing === null && (
          <Button look="primary" onClick={() => open(null)}>
            <Plus aria-hidden className="size-4" /> {t('add')}
          </Button>
        )
      }
    >
      {saved !== null && (
        <p role="status" className="mb-3 text-sm text-good">
          {t('saved', { name: saved })}{' '}
          {projects.data?.length === 0 ? (
            <Link href="/settings/projects" className="text-brand underline underline-offset-2">
              {t('nextProject')}
            </Link>
          ) : (
            <Link href="/new" className="text-brand underline underline-offset-2">
              {t('nextThread')}
            </Link>
          )}
        </p>
      )}
      {editing !== null && editing.id === null && (
        <div className="mb-4">
          <ProviderForm provider={null} onSaved={done} onCancel={() => setEditing(null)} />
        </div>
      )}
      {providers.isPending ? (
        <Skeleton className="h-16" />
      ) : providers.isError ? (
        <Trouble title={factOf(providers.error).message} detail={factOf(providers.error).next} />
      ) : list.length === 0 ? (
        editing === null && (
          <div className="rounded-lg border border-line">
            <Empty title={t('none')}>{t('noneText')}</Empty>
          </div>
        )
      ) : (
        <ul className="space-y-2">
          {list.map((provider) =>
            editing?.id === provider.id ? (
              <li key={provider.id}>
                <ProviderForm provider={provider} onSaved={done} onCancel={() => setEditing(null)} />
              </li>
            ) : (
              <ProviderCard key={provider.id} provider={provider} onEdit={() => open(provider.id)} />
            ),
          )}
        </ul>
      )}
    </Section>
  )
}

function ProviderCard({ provider, onEdit }: { provider: Provider; onEdit: () => void }) {
  const t = useTranslations('providers')
  const remove = useDeleteProvider()
  const [asking, setAsking] = useState(false)
  const { name, kind, source, baseUrl, hasKey, models } = provider
  const fact = remove.isError ? factOf(remove.error) : null
  return (
    <li className="rounded-lg border border-line px-3 py-2.5">
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
            <Button
              small
              look="danger"
              disabled={remove.isPending}
              onClick={() => setAsking(true)}
              aria-label={t('deleteNamed', { name })}
            >
              {t('delete')}
            </Button>
          </>
        )}
      </div>
      {source !== 'settings' && <p className="mt-1 text-xs text-faint">{t(`from.${source}`)}</p>}
      {models.length > 0 && (
        <p className="mt-1 truncate text-xs text-faint" title={models.map(({ id }) => id).join('\n')}>
          {models.map(({ label, id }) => label || id).join(', ')}
        </p>
      )}
      {fact && (
        <div className="mt-2">
          <Trouble title={fact.message} detail={fact.next} />
        </div>
      )}
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('deleteTitle')}
        description={t('deleteText', { name })}
        action={t('delete')}
        onConfirm={() => remove.mutate(provider.id)}
      />
    </li>
  )
}
