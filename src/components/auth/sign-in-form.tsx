'use client'
import { type FormEvent, useState } from 'react'
import { signIn, signOut } from '../../client/auth.ts'
import { useMe } from '../../client/query.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Trouble } from '../ui/states.tsx'
import { Card } from './card.tsx'
import { Or } from './or.tsx'
import { ProviderButton } from './provider-button.tsx'
import { textOf } from './text-of.ts'

type Fields = { email?: string; password?: string; form?: string }

/** Where a person wanted to go, when that is a place of this server. */
const inside = (next: string): string => (/^\/(?![/\\])/.test(next) ? next : '/')

/** What the company's sign-in may come back with. */
const refusals = [
  'account_disabled',
  'email_not_verified',
  'email_domain_not_allowed',
  'account_not_linked',
] as const

/** `refused`: why the company's sign-in did not work; null = it was not tried. */
export function SignInForm({ next, refused }: { next: string; refused: string | null }) {
  const t = useTranslations('auth')
  const people = useTranslations('people.signIn')
  const me = useMe()
  const oidc = me.data?.oidc ?? null
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
        : {
            form:
              status === 403
                ? people('errors.account_disabled')
                : status === 429
                  ? t('tooMany')
                  : t('unreachable'),
          },
    )
  }

  if (me.data?.guest)
    return (
      <Card title={people('guest', { email: me.data.guest })} text={people('guestText')}>
        <Button onClick={() => void signOut().finally(() => window.location.assign('/login'))}>
          {people('signOut')}
        </Button>
      </Card>
    )
  return (
    <Card title={t('signIn')} text={t('signInText')}>
      {refused !== null && (
        <div className="mb-4">
          <Trouble
            title={people(`errors.${refusals.find((known) => known === refused) ?? ('other' as const)}`)}
          />
        </div>
      )}
      {oidc !== null && (
        <div className="mb-4 space-y-3">
          <ProviderButton label={people('withProvider', { name: oidc.name })} callback={inside(next)} />
          <Or word={people('or')} />
        </div>
      )}
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
