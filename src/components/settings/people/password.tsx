'use client'
import { type FormEvent, useEffect, useState } from 'react'
import { changePassword } from '../../../client/account.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { passwordLength } from '../../../protocol/account.ts'
import type { ErrorFact } from '../../../protocol/error.ts'
import { textOf } from '../../auth/text-of.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Trouble } from '../../ui/states.tsx'
import { say } from '../../ui/toast.tsx'
import { Section } from '../settings-frame.tsx'

type Wrong = { current?: string; next?: string }

const changedQuery = '?password=changed'

export function Password() {
  const t = useTranslations('people.password')
  const [open, setOpen] = useState(false)
  useEffect(() => {
    // The load after a change says so, once.
    if (window.location.search !== changedQuery) return
    say(t('changed'))
    window.history.replaceState(window.history.state, '', window.location.pathname)
  }, [t])
  return (
    <Section
      title={t('title')}
      text={t('text')}
      action={!open && <Button onClick={() => setOpen(true)}>{t('change')}</Button>}
    >
      {open && <PasswordForm onCancel={() => setOpen(false)} />}
    </Section>
  )
}

function PasswordForm({ onCancel }: { onCancel: () => void }) {
  const t = useTranslations('people.password')
  const errors = useTranslations('errors')
  const [busy, setBusy] = useState(false)
  const [wrong, setWrong] = useState<Wrong>({})
  const [fact, setFact] = useState<ErrorFact | null>(null)

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const [current, next] = [textOf(data, 'current'), textOf(data, 'next')]
    const missing: Wrong = {
      ...(current === '' ? { current: t('missing') } : {}),
      ...(next.length < passwordLength.min
        ? { next: t('short', { count: passwordLength.min }) }
        : next.length > passwordLength.max
          ? { next: t('long', { count: passwordLength.max }) }
          : next === current
            ? { next: t('same') }
            : {}),
    }
    setWrong(missing)
    setFact(null)
    if (Object.keys(missing).length > 0) return
    setBusy(true)
    const failure = await changePassword(current, next)
    // A new load, since the socket carries the old session.
    if (failure === null) return window.location.assign(`/settings/account${changedQuery}`)
    setBusy(false)
    const field = failure.details?.field
    if (field === 'current' || field === 'next')
      setWrong({ [field]: errors('atField', { text: failure.message.replace(/^\w+: /, '') }) })
    else setFact(failure)
  }

  return (
    <form
      method="post"
      aria-label={t('title')}
      noValidate
      onSubmit={submit}
      className="space-y-4 rounded-lg border border-line-strong bg-raised p-4"
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('current')}
          name="current"
          type="password"
          autoComplete="current-password"
          autoFocus
          error={wrong.current}
        />
        <TextField
          label={t('next')}
          name="next"
          type="password"
          autoComplete="new-password"
          hint={t('hint', { count: passwordLength.min })}
          error={wrong.next}
        />
      </div>
      {fact !== null && <Trouble fact={fact} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t('cancel')}</Button>
        <Button type="submit" look="primary" disabled={busy}>
          {busy ? t('changing') : t('action')}
        </Button>
      </div>
    </form>
  )
}
