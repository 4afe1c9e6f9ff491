'use client'
import { type FormEvent, useState } from 'react'
import { factOf, type Inputs } from '../../../client/api.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { type TokenScope, tokenScopes } from '../../../protocol/access.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Trouble } from '../../ui/states.tsx'
import { scopeKey } from './scope-key.ts'

export type NewToken = Inputs['token']['create']

/** What most scripts need: they read projects, start threads and read what came of them. */
const usual: readonly TokenScope[] = ['projects:read', 'threads:read', 'threads:write']
const daysOffered = [7, 30, 90, 365]

type TokenFormProps = {
  busy: boolean
  /** Null = none. */
  error: unknown
  onCreate: (input: NewToken) => void
  onCancel: () => void
}

export function TokenForm({ busy, error, onCreate, onCancel }: TokenFormProps) {
  const t = useTranslations('people.tokens')
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly TokenScope[]>(usual)
  const [days, setDays] = useState<number | null>(90)
  const [tried, setTried] = useState(false)
  const nameWrong = name.trim() === ''
  const scopesWrong = scopes.length === 0

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setTried(true)
    if (!nameWrong && !scopesWrong) onCreate({ name: name.trim(), scopes: [...scopes], days })
  }

  return (
    <form
      aria-label={t('createTitle')}
      noValidate
      onSubmit={submit}
      className="space-y-4 rounded-lg border border-line-strong bg-raised p-4"
    >
      <div className="grid gap-4 sm:grid-cols-[1fr_12rem]">
        <TextField
          label={t('name')}
          hint={t('nameHint')}
          autoFocus
          autoComplete="off"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={tried && nameWrong ? t('nameMissing') : null}
        />
        <SelectField
          label={t('days')}
          value={days ?? ''}
          onChange={(event) => setDays(event.target.value === '' ? null : Number(event.target.value))}
        >
          {daysOffered.map((count) => (
            <option key={count} value={count}>
              {t('daysValue', { count })}
            </option>
          ))}
          <option value="">{t('forever')}</option>
        </SelectField>
      </div>
      <fieldset>
        <legend className="pb-1.5 text-xs font-medium text-soft">{t('scopes')}</legend>
        <div className="grid gap-x-4 sm:grid-cols-2">
          {tokenScopes.map((scope) => (
            <label key={scope} className="flex items-center gap-2 rounded-md px-1.5 py-1 text-sm row-hover">
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={(event) =>
                  setScopes(event.target.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
                }
                className="accent-(--brand)"
              />
              {t(`scopeNames.${scopeKey(scope)}`)}
            </label>
          ))}
        </div>
        {tried && scopesWrong && (
          <p role="alert" className="pt-1 text-xs text-bad">
            {t('scopesMissing')}
          </p>
        )}
      </fieldset>
      {error !== null && <Trouble fact={factOf(error)} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t('cancel')}</Button>
        <Button type="submit" look="primary" disabled={busy}>
          {t('createAction')}
        </Button>
      </div>
    </form>
  )
}
