'use client'
import { type FormEvent, useState } from 'react'
import { signIn } from '../../client/auth.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Trouble } from '../ui/states.tsx'
import { Card } from './card.tsx'
import { textOf } from './text-of.ts'

type Fields = { email?: string; password?: string; form?: string }

/** Where a person wanted to go, when that is a place of this server. */
const inside = (next: string): string => (/^\/(?![/\\])/.test(next) ? next : '/')

export function SignInForm({ next }: { next: string }) {
  const t = useTranslations('auth')
  const [busy, setBusy] = useState(false)
  const [wrong, setWrong] = useState<Fields>({})

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const email = textOf(data, 'email').trim()
    const password = textOf(data, 'password')
    const missing: Fields = {
      ...(email === '' ? { email: t('emailMissing') } : {}),
      ...(password === '' ? { password: t('passwordMissing') } : {}),
    }
    setWrong(missing)
    if (Object.keys(missing).length > 0) return
    setBusy(true)
    const status = await signIn(email, password)
    if (status === null) return window.location.assign(inside(next))
    setBusy(false)
    setWrong(
      status === 401 || status === 400
        ? { password: t('wrong') }
        : { form: status === 429 ? t('tooMany') : t('unreachable') },
    )
  }

  return (
    <Card title={t('signIn')} text={t('signInText')}>
      {/* Without its script the form must not put a password into an address. */}
      <form method="post" onSubmit={submit} noValidate className="space-y-4">
        <TextField
          label={t('email')}
          name="email"
          type="email"
          autoComplete="username"
          autoFocus
          error={wrong.email}
        />
        <TextField
          label={t('password')}
          name="password"
          type="password"
          autoComplete="current-password"
          error={wrong.password}
        />
        {wrong.form !== undefined && <Trouble title={wrong.form} />}
        <Button type="submit" look="primary" className="w-full" disabled={busy}>
          {busy ? t('signingIn') : t('signIn')}
        </Button>
        <p className="text-xs text-faint">{t('noAccount')}</p>
      </form>
    </Card>
  )
}
