'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { signIn } from '../../client/auth.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Trouble } from '../ui/states.tsx'
import { Card } from './card.tsx'

export function SignIn() {
  const t = useTranslations('signIn')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<'wrong' | 'often' | 'unreachable' | null>(null)

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    setProblem(null)
    try {
      const status = await signIn(String(form.get('email')), String(form.get('password')))
      // The whole page anew: the socket has to carry the new cookie.
      if (status === null) return window.location.assign('/')
      setProblem(status === 429 ? 'often' : status >= 500 ? 'unreachable' : 'wrong')
    } catch {
      setProblem('unreachable')
    }
    setBusy(false)
  }

  return (
    <Card title={t('title')}>
      <form onSubmit={(event) => void submit(event)} className="space-y-4">
        <TextField label={t('email')} name="email" type="email" autoComplete="username" required autoFocus />
        <TextField
          label={t('password')}
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        {problem !== null && <Trouble title={t(`problems.${problem}`)} />}
        <Button type="submit" look="primary" className="w-full" disabled={busy}>
          {busy ? t('busy') : t('action')}
        </Button>
      </form>
    </Card>
  )
}
