'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { factOfResponse } from '../../client/uploads.ts'
import type { ErrorFact } from '../../protocol/error.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Trouble } from '../ui/states.tsx'
import { Card } from './card.tsx'

const minPassword = 10

/** The first person of a new server becomes its owner, by the one-time link that the server printed. */
export function SetUp({ token }: { token: string | null }) {
  const t = useTranslations('setUp')
  const [busy, setBusy] = useState(false)
  const [fact, setFact] = useState<ErrorFact | null>(null)

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    setFact(null)
    try {
      const response = await fetch('/api/setup', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          token,
          name: form.get('name'),
          email: form.get('email'),
          password: form.get('password'),
        }),
      })
      if (response.ok) return window.location.assign('/')
      setFact(await factOfResponse(response))
    } catch {
      setFact({ code: 'internal', message: t('unreachable'), next: t('tryAgain') })
    }
    setBusy(false)
  }

  const field = fact?.details?.field
  if (token === null)
    return (
      <Card title={t('title')}>
        <p className="text-soft">{t('noToken')}</p>
      </Card>
    )
  return (
    <Card title={t('title')}>
      <p className="pb-4 text-soft">{t('text')}</p>
      <form onSubmit={(event) => void submit(event)} className="space-y-4">
        <TextField
          label={t('name')}
          name="name"
          autoComplete="name"
          required
          autoFocus
          error={field === 'name' ? fact?.message : null}
        />
        <TextField
          label={t('email')}
          name="email"
          type="email"
          autoComplete="username"
          required
          error={field === 'email' ? fact?.message : null}
        />
        <TextField
          label={t('password')}
          name="password"
          type="password"
          autoComplete="new-password"
          required
          minLength={minPassword}
          hint={t('passwordHint', { count: minPassword })}
          error={field === 'password' ? fact?.message : null}
        />
        {fact !== null && (field === undefined || field === '') && (
          <Trouble title={fact.message} detail={fact.next} />
        )}
        <Button type="submit" look="primary" className="w-full" disabled={busy}>
          {busy ? t('busy') : t('action')}
        </Button>
      </form>
    </Card>
  )
}
