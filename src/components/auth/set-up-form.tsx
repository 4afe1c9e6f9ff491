'use client'
import Link from 'next/link'
import { type FormEvent, useState } from 'react'
import { setUp } from '../../client/auth.ts'
import { useMe } from '../../client/query.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { passwordLength } from '../../protocol/account.ts'
import type { ErrorFact } from '../../protocol/error.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Trouble } from '../ui/states.tsx'
import { Card } from './card.tsx'
import { textOf } from './text-of.ts'

const fields = ['name', 'email', 'password'] as const
type Field = (typeof fields)[number]

/** The owner's account, by the one-time link that the server printed. */
export function SetUpForm({ token }: { token: string | null }) {
  const t = useTranslations('auth')
  const errors = useTranslations('errors')
  const me = useMe()
  const [busy, setBusy] = useState(false)
  const [wrong, setWrong] = useState<Partial<Record<Field, string>>>({})
  const [fact, setFact] = useState<ErrorFact | null>(null)

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const input = {
      name: textOf(data, 'name').trim(),
      email: textOf(data, 'email').trim(),
      password: textOf(data, 'password'),
    }
    const missing: Partial<Record<Field, string>> = {
      ...(input.name === '' ? { name: t('nameMissing') } : {}),
      ...(/^\S+@\S+$/.test(input.email) ? {} : { email: t('emailWrong') }),
      ...(input.password.length < passwordLength.min
        ? { password: t('passwordShort', { count: passwordLength.min }) }
        : input.password.length > passwordLength.max
          ? { password: t('passwordLong', { count: passwordLength.max }) }
          : {}),
    }
    setWrong(missing)
    setFact(null)
    if (Object.keys(missing).length > 0) return
    setBusy(true)
    const failure = await setUp({ token: token ?? '', ...input })
    if (failure === null) return window.location.assign('/')
    setBusy(false)
    const field = fields.find((name) => name === failure.details?.field)
    if (field) setWrong({ [field]: errors('atField', { text: failure.message.replace(/^\w+: /, '') }) })
    else setFact(failure)
  }

  if (me.data && !me.data.setupNeeded)
    return (
      <Card title={t('hasOwner')} text={t('hasOwnerText')}>
        <Link href="/" className="text-brand underline underline-offset-2">
          {t(me.data.user === null ? 'signIn' : 'toThreads')}
        </Link>
      </Card>
    )
  if (token === null) return <Card title={t('needsLink')} text={t('needsLinkText')} />
  return (
    <Card title={t('setUp')} text={t('setUpText')}>
      <form method="post" onSubmit={submit} noValidate className="space-y-4">
        <TextField label={t('name')} name="name" autoComplete="name" autoFocus error={wrong.name} />
        <TextField label={t('email')} name="email" type="email" autoComplete="username" error={wrong.email} />
        <TextField
          label={t('password')}
          name="password"
          type="password"
          autoComplete="new-password"
          hint={t('passwordHint', { count: passwordLength.min })}
          error={wrong.password}
        />
        {fact !== null && <Trouble fact={fact} />}
        <Button type="submit" look="primary" className="w-full" disabled={busy}>
          {busy ? t('settingUp') : t('setUpAction')}
        </Button>
      </form>
    </Card>
  )
}
