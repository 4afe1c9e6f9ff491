'use client'
import { type FormEvent, useId, useState } from 'react'
import { factOf } from '../../../client/api.ts'
import { useThread, useThreadStore } from '../../../client/use-thread.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { Strategy, type ThreadSettings, WindowSettings } from '../../../protocol/settings.ts'
import { Button } from '../../ui/button.tsx'
import { useFactLine } from '../../ui/fact.ts'
import { TextField } from '../../ui/field.tsx'

const strategies = Strategy.options
const fields = ['limitTokens', 'reminderTokens', 'bufferTokens'] as const

/** How windows follow each other in this thread, and its own figures for when one is full. */
export function WindowSettingsForm() {
  const factLine = useFactLine()
  const store = useThreadStore()
  const settings = useThread((state) => state.view.settings?.value ?? state.projection?.settings)
  const [problem, setProblem] = useState<string | null>(null)
  if (settings === undefined) return null
  const change = async (to: Partial<ThreadSettings>): Promise<boolean> => {
    setProblem(null)
    try {
      const receipt = await store.submit({ type: 'thread.settings', settings: to })
      if (receipt?.error) setProblem(factLine(receipt.error))
      return receipt?.error === undefined
    } catch (error) {
      setProblem(factOf(error).message)
      return false
    }
  }
  return (
    <div className="space-y-4">
      <StrategyChoice chosen={settings.strategy} onChange={(strategy) => void change({ strategy })} />
      <Budget own={settings.window ?? {}} onChange={(window) => change({ window })} />
      {problem !== null && (
        <p role="alert" className="text-xs text-bad">
          {problem}
        </p>
      )}
    </div>
  )
}

function StrategyChoice({ chosen, onChange }: { chosen: Strategy; onChange: (to: Strategy) => void }) {
  const t = useTranslations('strategies')
  const name = useId()
  return (
    <fieldset>
      <legend className="pb-1 text-sm font-medium">{t('title')}</legend>
      {strategies.map((strategy) => (
        <label
          key={strategy}
          className="flex cursor-pointer items-start gap-2 rounded-md px-1 py-1 text-sm row-hover"
        >
          <input
            type="radio"
            name={name}
            value={strategy}
            checked={chosen === strategy}
            onChange={() => onChange(strategy)}
            className="mt-1 accent-(--brand)"
          />
          <span>
            {t(`names.${strategy}`)}
            <span className="block text-xs text-soft">{t(`explain.${strategy}`)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

type BudgetProps = { own: WindowSettings; onChange: (to: WindowSettings) => Promise<boolean> }

function Budget({ own, onChange }: BudgetProps) {
  const t = useTranslations('windows')
  const [values, setValues] = useState<Record<string, string>>({})
  const [wrong, setWrong] = useState<string | null>(null)
  const [saved, setSaved] = useState(false)
  const shownIn = (field: (typeof fields)[number]): string => values[field] ?? String(own[field] ?? '')
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setSaved(false)
    const asked = Object.fromEntries(
      fields.flatMap((field) => {
        const text = shownIn(field).replace(/[\s,._]/g, '')
        return text === '' ? [] : [[field, Number(text)]]
      }),
    )
    const parsed = WindowSettings.safeParse(asked)
    setWrong(parsed.success ? null : String(parsed.error.issues[0]?.path[0] ?? fields[0]))
    if (parsed.success && (await onChange(parsed.data as WindowSettings))) {
      setValues({})
      setSaved(true)
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="space-y-2" aria-label={t('budget')}>
      <h2 className="text-sm font-medium">{t('budget')}</h2>
      <p className="text-xs text-soft">{t('budgetText')}</p>
      <div className="grid gap-2 sm:grid-cols-3">
        {fields.map((field) => (
          <TextField
            key={field}
            label={t(`budgetFields.${field}`)}
            value={shownIn(field)}
            inputMode="numeric"
            placeholder={t('ofModel')}
            error={wrong === field ? t(`budgetWrong.${field}`) : null}
            onChange={(event) => {
              setSaved(false)
              setValues({ ...values, [field]: event.target.value })
            }}
          />
        ))}
      </div>
      <div className="flex items-center gap-2">
        <Button small type="submit">
          {t('save')}
        </Button>
        {saved && (
          <span role="status" className="text-xs text-soft">
            {t('saved')}
          </span>
        )}
      </div>
    </form>
  )
}
