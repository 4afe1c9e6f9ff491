'use client'
import { Monitor, Moon, Sun } from 'lucide-react'
import { useState } from 'react'
import { leaveTo } from '../../client/api.ts'
import { signOut } from '../../client/auth.ts'
import { useMe } from '../../client/query.ts'
import { useHealth } from '../../client/settings.ts'
import { chooseTheme, type Theme, useUi } from '../../client/ui-store.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { LanguageChoice } from '../shell/language.tsx'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Dot, Skeleton, Trouble } from '../ui/states.tsx'
import { LeaveTeam } from './people/leave-team.tsx'
import { OwnTokens } from './people/own-tokens.tsx'
import { Password } from './people/password.tsx'
import { Sessions } from './people/sessions.tsx'
import { Section } from './settings-frame.tsx'

export function AccountPage() {
  const t = useTranslations('account')
  const me = useMe()
  const user = me.data?.user
  const [leaving, setLeaving] = useState(false)
  const [failed, setFailed] = useState(false)

  const leave = async (): Promise<void> => {
    setLeaving(true)
    setFailed(false)
    try {
      await signOut()
      leaveTo('/login')
    } catch {
      setLeaving(false)
      setFailed(true)
    }
  }

  return (
    <>
      <Section
        title={t('you')}
        action={
          <Button disabled={leaving} onClick={() => void leave()}>
            {t('signOut')}
          </Button>
        }
      >
        {failed && (
          <div className="mb-3">
            <Trouble title={t('signOutFailed')} />
          </div>
        )}
        <Facts
          facts={[
            [t('name'), user?.name],
            [t('email'), user?.email],
            [t('role'), user ? t(`roles.${user.role}`) : undefined],
          ]}
        />
      </Section>
      <Appearance />
      <Language />
      <Password />
      <Sessions />
      <OwnTokens />
      <LeaveTeam />
      <ServerFacts version={me.data?.version} />
    </>
  )
}

const themes = [
  { theme: 'system', Icon: Monitor },
  { theme: 'light', Icon: Sun },
  { theme: 'dark', Icon: Moon },
] as const satisfies readonly { theme: Theme; Icon: unknown }[]

function Appearance() {
  const t = useTranslations('account')
  const chosen = useUi((ui) => ui.theme)
  return (
    <Section title={t('appearance')} text={t('appearanceText')}>
      <Choice
        label={t('appearance')}
        name="theme"
        value={chosen}
        choices={themes.map(({ theme, Icon }) => ({
          value: theme,
          content: (
            <>
              <Icon aria-hidden className="size-4" />
              {t(`themes.${theme}`)}
            </>
          ),
        }))}
        onChange={chooseTheme}
      />
    </Section>
  )
}

function Language() {
  const t = useTranslations('account')
  return (
    <Section title={t('language')} text={t('appearanceText')}>
      <LanguageChoice />
    </Section>
  )
}

function ServerFacts({ version }: { version: string | undefined }) {
  const t = useTranslations('account')
  const health = useHealth()
  const state = (ok: boolean, words: string) => (
    <span className="inline-flex items-center gap-2">
      <Dot className={ok ? 'bg-good' : 'bg-bad'} />
      <span className="wrap-anywhere">{words}</span>
    </span>
  )
  return (
    <Section title={t('server')}>
      <Facts
        facts={[
          [t('version'), version],
          [
            t('database'),
            health.data && state(health.data.database, t(health.data.database ? 'ok' : 'down')),
          ],
          [
            t('engine'),
            health.data &&
              state(health.data.engine.ok, health.data.engine.ok ? t('ok') : health.data.engine.message),
          ],
          [t('activeThreads'), health.data && <span className="tabular">{health.data.threads}</span>],
        ]}
      />
      {health.isError && (
        <div className="mt-3">
          <Trouble title={t('healthFailed')}>
            <Button small onClick={() => void health.refetch()}>
              {t('retry')}
            </Button>
          </Trouble>
        </div>
      )}
    </Section>
  )
}

function Facts({ facts }: { facts: [string, React.ReactNode][] }) {
  return (
    <dl className="divide-y divide-line rounded-lg border border-line">
      {facts.map(([name, value]) => (
        <div key={name} className="flex min-h-9.5 items-center gap-4 px-3 py-1.5">
          <dt className="w-40 shrink-0 max-sm:w-32 text-soft">{name}</dt>
          <dd className="min-w-0 flex-1 wrap-anywhere">{value ?? <Skeleton className="h-4 w-24" />}</dd>
        </div>
      ))}
    </dl>
  )
}
