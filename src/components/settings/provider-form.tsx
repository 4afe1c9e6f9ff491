'use client'
import { type FormEvent, useState } from 'react'
import { factOf } from '../../client/api.ts'
import { type EditableKind, useCatalogue, useSaveProvider, useTestProvider } from '../../client/settings.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { visible } from '../../lib/visible.ts'
import type { ErrorFact } from '../../protocol/error.ts'
import type { ModelInfo, Provider } from '../../protocol/settings.ts'
import { Button } from '../ui/button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Trouble } from '../ui/states.tsx'
import { ModelsEditor } from './models-editor.tsx'

const kinds: EditableKind[] = ['openai-responses', 'openai-chat', 'anthropic-messages', 'google-genai']
/** Examples of what people put there; an empty address is the vendor's own. */
const addressExample: Record<EditableKind, string> = {
  'openai-responses': 'https://api.openai.com/v1',
  'openai-chat': 'http://localhost:11434/v1',
  'anthropic-messages': 'https://api.anthropic.com',
  'google-genai': 'https://generativelanguage.googleapis.com',
}

type Wrong = Partial<Record<'name' | 'baseUrl' | 'key' | 'models', string>>

const isAddress = (text: string): boolean => {
  try {
    return ['http:', 'https:'].includes(new URL(text).protocol)
  } catch {
    return false
  }
}

type FormProps = { provider: Provider | null; onSaved: (name: string) => void; onCancel: () => void }

/** Adds or changes a provider. The key goes in and never comes back. */
export function ProviderForm({ provider, onSaved, onCancel }: FormProps) {
  const t = useTranslations('providers')
  const errors = useTranslations('errors')
  const [name, setName] = useState(provider?.name ?? '')
  const [kind, setKind] = useState<EditableKind>(
    provider && provider.kind !== 'demo' ? provider.kind : 'openai-responses',
  )
  const [baseUrl, setBaseUrl] = useState(provider?.baseUrl ?? '')
  const [key, setKey] = useState('')
  const [models, setModels] = useState<ModelInfo[]>(provider?.models ?? [])
  const [wrong, setWrong] = useState<Wrong>({})
  const test = useTestProvider()
  const save = useSaveProvider()
  const catalogue = useCatalogue(kind)

  const address = baseUrl.trim() === '' ? null : baseUrl.trim()
  const addressWrong = (): Wrong =>
    address !== null && !isAddress(address)
      ? { baseUrl: t('addressWrong') }
      : address === null && kind === 'openai-chat'
        ? { baseUrl: t('addressMissing') }
        : {}

  const onTest = (): void => {
    const found = addressWrong()
    setWrong(found)
    if (Object.keys(found).length > 0) return
    test.mutate({
      kind,
      baseUrl: address,
      ...(provider ? { id: provider.id } : {}),
      ...(key.trim() === '' ? {} : { key: key.trim() }),
    })
  }

  const place = (fact: ErrorFact): Wrong => {
    const field = String(fact.details?.field ?? '').split('.')[0]
    const text = errors('atField', { text: fact.message.replace(/^[\w.]+: /, '') })
    return field === 'name' || field === 'baseUrl' || field === 'key' || field === 'models'
      ? { [field]: text }
      : {}
  }

  const onSubmit = (event: FormEvent): void => {
    event.preventDefault()
    const found: Wrong = {
      ...(name.trim() === '' ? { name: t('nameMissing') } : {}),
      ...addressWrong(),
      ...(models.length === 0 ? { models: t('modelsMissing') } : {}),
    }
    setWrong(found)
    if (Object.keys(found).length > 0) return
    save.mutate(
      {
        ...(provider ? { id: provider.id } : {}),
        name: name.trim(),
        kind,
        baseUrl: address,
        ...(key.trim() === '' ? {} : { key: key.trim() }),
        models,
      },
      {
        onSuccess: () => onSaved(name.trim()),
        onError: (error) => setWrong(place(factOf(error))),
      },
    )
  }

  const saveFact = save.isError ? factOf(save.error) : null
  const testFact = test.isError ? factOf(test.error) : test.data && !test.data.ok ? test.data.error : null
  const offered = test.data?.ok ? test.data.models : (catalogue.data ?? [])

  return (
    <form
      onSubmit={onSubmit}
      noValidate
      aria-label={provider ? t('editNamed', { name: visible(provider.name) }) : t('add')}
      className="space-y-4 rounded-lg border border-line-strong bg-raised p-4"
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('name')}
          value={name}
          maxLength={100}
          placeholder={t('nameExample')}
          autoFocus
          onChange={(event) => setName(event.target.value)}
          error={wrong.name}
        />
        <SelectField
          label={t('kind')}
          value={kind}
          onChange={(event) => {
            setKind(event.target.value as EditableKind)
            test.reset()
          }}
        >
          {kinds.map((each) => (
            <option key={each} value={each}>
              {t(`kinds.${each}`)}
            </option>
          ))}
        </SelectField>
      </div>
      <TextField
        label={t('address')}
        hint={t(`addressHint.${kind}`)}
        value={baseUrl}
        inputMode="url"
        spellCheck={false}
        placeholder={addressExample[kind]}
        onChange={(event) => {
          setBaseUrl(event.target.value)
          test.reset()
        }}
        error={wrong.baseUrl}
      />
      <TextField
        label={t('key')}
        hint={t(provider?.hasKey ? 'keyKept' : 'keyHint')}
        type="password"
        autoComplete="off"
        spellCheck={false}
        value={key}
        placeholder={provider?.hasKey ? t('keyUnchanged') : ''}
        onChange={(event) => {
          setKey(event.target.value)
          test.reset()
        }}
        error={wrong.key}
      />
      <div className="space-y-2">
        <div className="flex flex-wrap items-center gap-3">
          <Button onClick={onTest} disabled={test.isPending}>
            {test.isPending ? t('testing') : t('test')}
          </Button>
          <p role="status" className="text-sm text-soft">
            {test.data?.ok && t('testOk', { count: test.data.models.length })}
          </p>
        </div>
        {testFact && <Trouble fact={testFact} />}
      </div>
      <ModelsEditor models={models} offered={offered} error={wrong.models} onChange={setModels} />
      {saveFact && Object.keys(wrong).length === 0 && <Trouble fact={saveFact} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t('cancel')}</Button>
        <Button type="submit" look="primary" disabled={save.isPending}>
          {save.isPending ? t('saving') : t('save')}
        </Button>
      </div>
    </form>
  )
}
