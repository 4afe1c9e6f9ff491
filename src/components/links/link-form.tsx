'use client'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useTranslations } from '../../i18n/translations.ts'
import type { ErrorFact } from '../../protocol/error.ts'
import { type LinkSettings, type LinkShow, linkShows } from '../../protocol/link.ts'
import { Button } from '../ui/button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Trouble } from '../ui/states.tsx'

const daysOffered = [1, 7, 30, 90]

type LinkFormProps = {
  first: LinkSettings
  busy: boolean
  fact: ErrorFact | null
  onLook: (settings: LinkSettings) => void
  onCancel: () => void
}

/** What a link will show; nothing is made here. */
export function LinkForm({ first, busy, fact, onLook, onCancel }: LinkFormProps) {
  const t = useTranslations('links')
  const [settings, setSettings] = useState(first)
  const [some, setSome] = useState(first.fromStep > 1 || first.toStep !== null)
  const change = (more: Partial<LinkSettings>): void => setSettings({ ...settings, ...more })
  const { title, live, fromStep, toStep, shows, redaction, days } = settings
  const field = fact?.details?.field

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onLook({
      ...settings,
      title: title.trim(),
      fromStep: some ? fromStep : 1,
      toStep: some && !live ? toStep : null,
    })
  }
  const step = (text: string): number | null => (/^[1-9]\d{0,6}$/.test(text) ? Number(text) : null)

  return (
    <form aria-label={t('form.title')} noValidate onSubmit={submit} className="space-y-4">
      <TextField
        label={t('form.name')}
        hint={t('form.nameHint')}
        value={title}
        maxLength={200}
        autoFocus
        autoComplete="off"
        onChange={(event) => change({ title: event.target.value })}
      />
      <Group label={t('form.kind')}>
        {([false, true] as const).map((value) => (
          <Radio
            key={String(value)}
            name="kind"
            checked={live === value}
            label={t(value ? 'form.live' : 'form.copy')}
            hint={t(value ? 'form.liveText' : 'form.copyText')}
            onChange={() => change({ live: value })}
          />
        ))}
      </Group>
      <Group label={t('form.range')}>
        {([false, true] as const).map((value) => (
          <Radio
            key={String(value)}
            name="range"
            checked={some === value}
            label={t(value ? 'form.some' : 'form.whole')}
            onChange={() => setSome(value)}
          />
        ))}
        {some && (
          <div className="grid grid-cols-2 gap-3 pt-1 pl-7">
            <TextField
              label={t('form.from')}
              inputMode="numeric"
              value={fromStep}
              onChange={(event) => change({ fromStep: step(event.target.value) ?? 1 })}
              error={field === 'fromStep' ? fact?.message : null}
            />
            {!live && (
              <TextField
                label={t('form.to')}
                inputMode="numeric"
                value={toStep ?? ''}
                onChange={(event) => change({ toStep: step(event.target.value) })}
                error={field === 'toStep' ? fact?.message : null}
              />
            )}
          </div>
        )}
      </Group>
      <Group label={t('form.shows')}>
        {linkShows.map((show: LinkShow) => (
          <label key={show} className="flex items-center gap-2.5 rounded-md px-2 py-1 text-sm row-hover">
            <input
              type="checkbox"
              checked={shows.includes(show)}
              onChange={(event) =>
                change({
                  shows: event.target.checked ? [...shows, show] : shows.filter((one) => one !== show),
                })
              }
              className="accent-(--brand)"
            />
            {t(`shows.${show}`)}
          </label>
        ))}
      </Group>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t('form.cut')}
          value={redaction}
          onChange={(event) =>
            change({ redaction: event.target.value === 'secrets' ? 'secrets' : 'personal' })
          }
        >
          <option value="personal">{t('redaction.personal')}</option>
          <option value="secrets">{t('redaction.secrets')}</option>
        </SelectField>
        <SelectField
          label={t('form.days')}
          value={days ?? ''}
          onChange={(event) =>
            change({ days: event.target.value === '' ? null : Number(event.target.value) })
          }
        >
          {daysOffered.map((count) => (
            <option key={count} value={count}>
              {t('form.daysValue', { count })}
            </option>
          ))}
          <option value="">{t('form.forever')}</option>
        </SelectField>
      </div>
      {fact !== null && <Trouble fact={fact} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t('form.cancel')}</Button>
        <Button type="submit" look="primary" disabled={busy}>
          {busy ? t('form.looking') : t('form.look')}
        </Button>
      </div>
    </form>
  )
}

function Group({ label, children }: { label: string; children: ReactNode }) {
  return (
    <fieldset>
      <legend className="pb-1 text-xs font-medium text-soft">{label}</legend>
      {children}
    </fieldset>
  )
}

type RadioProps = { name: string; checked: boolean; label: string; hint?: string; onChange: () => void }

function Radio({ name, checked, label, hint, onChange }: RadioProps) {
  return (
    <label className="flex cursor-pointer items-start gap-2.5 rounded-md px-2 py-1 text-sm row-hover">
      <input
        type="radio"
        name={name}
        checked={checked}
        onChange={onChange}
        className="mt-1 accent-(--brand)"
      />
      <span>
        <span className="block">{label}</span>
        {hint !== undefined && <span className="block text-xs text-soft">{hint}</span>}
      </span>
    </label>
  )
}
