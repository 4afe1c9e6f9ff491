'use client'
import Link from 'next/link'
import { useFormatter } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { type AcceptInvite, acceptInvite, useInviteLook } from '../../client/account.ts'
import { factOf, type Me } from '../../client/api.ts'
import { signOut } from '../../client/auth.ts'
import { useMe } from '../../client/query.ts'
import { useTranslations } from '../../i18n/translations.ts'
import type { InviteLook } from '../../protocol/access.ts'
import { passwordLength } from '../../protocol/account.ts'
import type { ErrorFact } from '../../protocol/error.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { TextField } from '../ui/field.tsx'
import { Skeleton, Trouble } from '../ui/states.tsx'
import { Card } from './card.tsx'
import { Or } from './or.tsx'
import { ProviderButton } from './provider-button.tsx'
import { textOf } from './text-of.ts'

/** Where a link of an invitation leads: what it is, and the ways to take it. */
export function InviteScreen({ token }: { token: string }) {
  const t = useTranslations('people.join')
  const look = useInviteLook(token)
  const me = useMe()
  if (look.isError) {
    const fact = factOf(look.error)
    if (fact.code === 'not_found' || fact.code === 'bad_input')
      return <Card title={t('unknown')} text={t('unknownText')} />
    return (
      <Card title={t('failed')} text="">
        <Trouble fact={fact} />
      </Card>
    )
  }
  if (look.data === undefined || me.data === undefined)
    return (
      <Card title={t('looking')} text="">
        <Skeleton className="h-32" />
      </Card>
    )
  const { state } = look.data
  if (state !== 'open')
    return (
      <Card title={t(state)} text={t(`${state}Text`)}>
        <Link
          href={me.data.user === null ? '/login' : '/'}
          className="text-brand underline underline-offset-2"
        >
          {me.data.user === null ? t('signIn') : t('toThreads')}
        </Link>
      </Card>
    )
  return <OpenInvite token={token} look={look.data} me={me.data} />
}

const leave = async (): Promise<void> => {
  await signOut().catch(() => undefined)
  window.location.reload()
}

function OpenInvite({ token, look, me }: { token: string; look: InviteLook; me: Me }) {
  const t = useTranslations('people.join')
  const signIn = useTranslations('people.signIn')
  const roles = useTranslations('people.teamRoles')
  const format = useFormatter()
  const [as, setAs] = useState<'new' | 'existing'>('new')
  const role = roles(`names.${look.role}`)
  const title = t('title', { team: look.teamName })
  const text = look.invitedBy === null ? t('textNobody', { role }) : t('text', { name: look.invitedBy, role })
  if (me.user !== null)
    return (
      <Card title={t('already')} text={t('alreadyText', { name: me.user.name })}>
        <div className="flex flex-wrap gap-2">
          <Button look="primary" onClick={() => window.location.assign('/')}>
            {t('toThreads')}
          </Button>
          <Button onClick={() => void leave()}>{t('signOut')}</Button>
        </div>
      </Card>
    )
  return (
    <Card title={title} text={text}>
      {me.guest !== null ? (
        <AsMe token={token} email={me.guest} />
      ) : (
        <div className="space-y-4">
          {me.oidc !== null && (
            <>
              <ProviderButton
                label={t('withProvider', { name: me.oidc.name })}
                callback={`/invite?token=${encodeURIComponent(token)}`}
              />
              <Or word={signIn('or')} />
            </>
          )}
          <Choice
            label={t('which')}
            name="as"
            value={as}
            choices={[
              { value: 'new', content: t('newAccount') },
              { value: 'existing', content: t('existing') },
            ]}
            onChange={setAs}
          />
          <JoinForm key={as} as={as} token={token} look={look} />
        </div>
      )}
      <p className="pt-4 text-xs text-faint">
        {t('until', {
          when: format.dateTime(new Date(look.expiresAt), { dateStyle: 'medium', timeStyle: 'short' }),
        })}
      </p>
    </Card>
  )
}

/** For whoever the company's sign-in brought back, and who is no member yet. */
function AsMe({ token, email }: { token: string; email: string }) {
  const t = useTranslations('people.join')
  const [busy, setBusy] = useState(false)
  const [fact, setFact] = useState<ErrorFact | null>(null)
  const join = async (): Promise<void> => {
    setBusy(true)
    const failure = await acceptInvite({ as: 'me', token })
    if (failure === null) return window.location.assign('/')
    setFact(failure)
    setBusy(false)
  }
  return (
    <div className="space-y-3">
      <p className="text-sm text-soft">{t('asMeText', { email })}</p>
      {fact !== null && <Trouble fact={fact} />}
      <Button look="primary" className="w-full" disabled={busy} onClick={() => void join()}>
        {busy ? t('joining') : t('join')}
      </Button>
      <p className="text-xs text-faint">
        {t('other')}{' '}
        <button
          type="button"
          className="text-brand underline underline-offset-2"
          onClick={() => void leave()}
        >
          {t('signOut')}
        </button>
      </p>
    </div>
  )
}

const fields = ['name', 'email', 'password'] as const
type Wrong = Partial<Record<(typeof fields)[number], string>>

type JoinFormProps = { as: 'new' | 'existing'; token: string; look: InviteLook }

function JoinForm({ as, token, look }: JoinFormProps) {
  const t = useTranslations('people.join')
  const auth = useTranslations('auth')
  const errors = useTranslations('errors')
  const [busy, setBusy] = useState(false)
  const [wrong, setWrong] = useState<Wrong>({})
  const [fact, setFact] = useState<ErrorFact | null>(null)
  const isNew = as === 'new'

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const email = look.email ?? textOf(data, 'email').trim()
    const name = textOf(data, 'name').trim()
    const password = textOf(data, 'password')
    const missing: Wrong = {
      ...(isNew && name === '' ? { name: auth('nameMissing') } : {}),
      ...(/^\S+@\S+$/.test(email) ? {} : { email: auth('emailWrong') }),
      ...(password === ''
        ? { password: auth('passwordMissing') }
        : isNew && password.length < passwordLength.min
          ? { password: auth('passwordShort', { count: passwordLength.min }) }
          : isNew && password.length > passwordLength.max
            ? { password: auth('passwordLong', { count: passwordLength.max }) }
            : {}),
    }
    setWrong(missing)
    setFact(null)
    if (Object.keys(missing).length > 0) return
    setBusy(true)
    const input: AcceptInvite = isNew
      ? { as: 'new', token, name, email, password }
      : { as: 'existing', token, email, password }
    const failure = await acceptInvite(input)
    if (failure === null) return window.location.assign('/')
    setBusy(false)
    const field = fields.find((one) => one === failure.details?.field)
    if (field) setWrong({ [field]: errors('atField', { text: failure.message.replace(/^\w+: /, '') }) })
    else setFact(failure)
  }

  return (
    <form method="post" aria-label={t('join')} noValidate onSubmit={submit} className="space-y-4">
      {isNew && (
        <TextField label={t('name')} name="name" autoComplete="name" maxLength={100} error={wrong.name} />
      )}
      <TextField
        label={t('email')}
        name="email"
        type="email"
        autoComplete="username"
        error={wrong.email}
        {...(look.email === null ? {} : { value: look.email, readOnly: true, hint: t('emailFixed') })}
      />
      <TextField
        label={t('password')}
        name="password"
        type="password"
        autoComplete={isNew ? 'new-password' : 'current-password'}
        {...(isNew ? { hint: auth('passwordHint', { count: passwordLength.min }) } : {})}
        error={wrong.password}
      />
      {fact !== null && <Trouble fact={fact} />}
      <Button type="submit" look="primary" className="w-full" disabled={busy}>
        {busy ? t('joining') : t('join')}
      </Button>
    </form>
  )
}
