'use client'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from '../../i18n/translations.ts'
import { formatCount } from '../../lib/format.ts'
import { visible } from '../../lib/visible.ts'
import type { ModelInfo } from '../../protocol/settings.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Chevron } from '../ui/chevron.tsx'
import { inputClass, TextField } from '../ui/field.tsx'
import { Shown } from '../ui/shown.tsx'
import { ModelFields } from './model-fields.tsx'

/** For a model of which nothing is known; people correct it in its row. */
const unknownModel = (id: string): ModelInfo => ({
  id,
  label: id,
  family: id,
  contextTokens: 128_000,
  maxOutputTokens: null,
  efforts: [],
  images: false,
  prices: null,
})

const shownOffers = 12

type EditorProps = {
  models: ModelInfo[]
  /** What the vendor listed, or what is known of its kind. */
  offered: readonly ModelInfo[]
  error: string | undefined
  onChange: (models: ModelInfo[]) => void
}

/** Which models people may choose, and what is known of each. */
export function ModelsEditor({ models, offered, error, onChange }: EditorProps) {
  const t = useTranslations('providers')
  const [filter, setFilter] = useState('')
  const [opened, setOpened] = useState<string | null>(null)
  const chosen = new Set(models.map(({ id }) => id))
  const wanted = filter.trim()
  const offers = offered.filter(
    ({ id, label }) => !chosen.has(id) && `${id} ${label}`.toLowerCase().includes(wanted.toLowerCase()),
  )
  const add = (model: ModelInfo): void => {
    onChange([...models, model])
    setFilter('')
  }
  const addNamed = (): void => {
    if (wanted === '' || chosen.has(wanted)) return
    add(offered.find(({ id }) => id === wanted) ?? unknownModel(wanted))
  }

  return (
    <fieldset className="space-y-2">
      <legend className="text-xs font-medium text-soft">{t('models')}</legend>
      {models.length > 0 && (
        <ul className="divide-y divide-line rounded-md border border-line">
          {models.map((model) => (
            <li key={model.id}>
              <div className="flex items-center gap-2 py-0.5 pr-1 pl-2">
                <button
                  type="button"
                  aria-expanded={opened === model.id}
                  onClick={() => setOpened(opened === model.id ? null : model.id)}
                  className="flex min-w-0 flex-1 items-center gap-1.5 rounded py-1 text-left"
                >
                  <Chevron open={opened === model.id} />
                  <span className="truncate">
                    <Shown text={model.label || model.id} />
                  </span>
                  <span className="ml-auto shrink-0 pl-2 text-xs text-faint tabular">
                    {t('contextShort', { tokens: formatCount(model.contextTokens) })}
                  </span>
                </button>
                <IconButton
                  label={t('removeModel', { name: visible(model.label || model.id) })}
                  onClick={() => onChange(models.filter(({ id }) => id !== model.id))}
                >
                  <X aria-hidden />
                </IconButton>
              </div>
              {opened === model.id && (
                <ModelFields
                  model={model}
                  onChange={(next) => onChange(models.map((each) => (each.id === model.id ? next : each)))}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            label={t('addModel')}
            value={filter}
            spellCheck={false}
            maxLength={200}
            placeholder={t('addModelExample')}
            className={inputClass}
            onChange={(event) => setFilter(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              addNamed()
            }}
          />
        </div>
        <Button onClick={addNamed} disabled={wanted === '' || chosen.has(wanted)} className="h-8.5">
          {t('addNamed')}
        </Button>
      </div>
      {offers.length > 0 && (
        <ul aria-label={t('offered')} className="flex flex-wrap gap-1.5">
          {offers.slice(0, shownOffers).map((model) => (
            <li key={model.id} className="max-w-full">
              <button
                type="button"
                onClick={() => add(model)}
                className="inline-flex max-w-full items-center gap-1 rounded-full border border-line px-2 py-0.5 text-xs row-hover"
              >
                <Plus aria-hidden className="size-3 shrink-0 text-soft" />
                <span className="truncate">
                  <Shown text={model.label || model.id} />
                </span>
              </button>
            </li>
          ))}
          {offers.length > shownOffers && (
            <li className="px-1 py-0.5 text-xs text-faint">
              {t('moreOffers', { count: offers.length - shownOffers })}
            </li>
          )}
        </ul>
      )}
      {error !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {error}
        </p>
      )}
    </fieldset>
  )
}
