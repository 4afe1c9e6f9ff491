'use client'
import { useState } from 'react'
import { useTranslations } from '../../i18n/translations.ts'
import { Effort, type ModelInfo, type Prices } from '../../protocol/settings.ts'
import { TextField } from '../ui/field.tsx'

/** Dollars for a million tokens as people write them; micro-dollars as they are kept. */
const toDollars = (micros: number | null): string => (micros === null ? '' : String(micros / 1_000_000))

const toMicros = (text: string): number | null => {
  const value = Number(text.trim().replace(',', '.'))
  return text.trim() === '' || !Number.isFinite(value) || value < 0 ? null : Math.round(value * 1_000_000)
}

type PriceDraft = Record<keyof Prices, number | null>
const noPrices: PriceDraft = { input: null, cachedInput: null, cacheWrite: null, output: null }

type FieldsProps = { model: ModelInfo; onChange: (model: ModelInfo) => void }

/** What is known of one model: sizes, prices, abilities. An empty price is unknown, never free. */
export function ModelFields({ model, onChange }: FieldsProps) {
  const t = useTranslations('providers')
  const change = (part: Partial<ModelInfo>): void => onChange({ ...model, ...part })
  const [draft, setDraft] = useState<PriceDraft>(model.prices ?? noPrices)
  // Half a price list is no price list: a cost made from it would be wrong.
  const price = (part: Partial<PriceDraft>): void => {
    const next = { ...draft, ...part }
    setDraft(next)
    const { input, output } = next
    change({ prices: input === null || output === null ? null : { ...next, input, output } })
  }
  return (
    <div className="space-y-3 border-t border-line bg-subtle px-3 py-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label={t('label')}
          value={model.label}
          maxLength={200}
          onChange={(event) => change({ label: event.target.value })}
        />
        <TextField
          label={t('family')}
          value={model.family}
          maxLength={200}
          onChange={(event) => change({ family: event.target.value })}
        />
        <NumberField
          label={t('contextTokens')}
          text={String(model.contextTokens)}
          onText={(text) => {
            const value = Math.trunc(Number(text.replace(/[,_\s]/g, '')))
            const fine = value >= 1_000
            if (fine) change({ contextTokens: value })
            return fine ? null : t('contextWrong')
          }}
        />
        <NumberField
          label={t('maxOutput')}
          text={model.maxOutputTokens === null ? '' : String(model.maxOutputTokens)}
          onText={(text) => {
            const digits = text.replace(/[,_\s]/g, '')
            const value = digits === '' ? null : Math.trunc(Number(digits))
            const fine = value === null || value >= 1
            if (fine) change({ maxOutputTokens: value })
            return fine ? null : t('numberWrong')
          }}
        />
      </div>
      <fieldset>
        <legend className="mb-1 text-xs font-medium text-soft">{t('prices')}</legend>
        <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
          {(['input', 'cachedInput', 'cacheWrite', 'output'] as const).map((name) => (
            <NumberField
              key={name}
              label={t(`price.${name}`)}
              text={toDollars(draft[name])}
              onText={(text) => {
                const micros = toMicros(text)
                if (micros === null && text.trim() !== '') return t('numberWrong')
                price({ [name]: micros })
                return null
              }}
            />
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend className="mb-1 text-xs font-medium text-soft">{t('abilities')}</legend>
        <div className="flex flex-wrap gap-x-4 gap-y-1">
          <Tick label={t('images')} checked={model.images} onChange={(images) => change({ images })} />
          {model.explicitCache !== undefined && (
            <Tick
              label={t('explicitCache')}
              checked={model.explicitCache}
              onChange={(explicitCache) => change({ explicitCache })}
            />
          )}
          {Effort.options.map((effort) => (
            <Tick
              key={effort}
              label={t('effort', { effort })}
              checked={model.efforts.includes(effort)}
              onChange={(on) =>
                change({
                  efforts: Effort.options.filter((each) =>
                    each === effort ? on : model.efforts.includes(each),
                  ),
                })
              }
            />
          ))}
        </div>
      </fieldset>
    </div>
  )
}

type TickProps = { label: string; checked: boolean; onChange: (checked: boolean) => void }

function Tick({ label, checked, onChange }: TickProps) {
  return (
    <label className="inline-flex items-center gap-1.5 text-sm">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="accent-(--brand)"
      />
      {label}
    </label>
  )
}

type NumberProps = { label: string; text: string; onText: (text: string) => string | null }

/** Keeps what is typed until it is a number; the last good one stays in force. */
function NumberField({ label, text, onText }: NumberProps) {
  const [typed, setTyped] = useState(text)
  const [error, setError] = useState<string | null>(null)
  return (
    <TextField
      label={label}
      inputMode="decimal"
      value={typed}
      onChange={(event) => {
        setTyped(event.target.value)
        setError(onText(event.target.value))
      }}
      error={error}
      className="tabular"
    />
  )
}
