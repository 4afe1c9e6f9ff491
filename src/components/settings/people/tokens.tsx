'use client'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { factOf } from '../../../client/api.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { visible } from '../../../lib/visible.ts'
import type { ApiToken } from '../../../protocol/access.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Shown } from '../../ui/shown.tsx'
import { Trouble } from '../../ui/states.tsx'
import { Ago, At } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import { Badge } from './badge.tsx'
import { RowList } from './row-list.tsx'
import { scopeKey } from './scope-key.ts'
import { ShownOnce } from './shown-once.tsx'
import { type NewToken, TokenForm } from './token-form.tsx'

type Sending<Input, Output> = {
  isPending: boolean
  isError: boolean
  error: unknown
  mutate(input: Input, options?: { onSuccess?: (output: Output) => void }): void
}

type TokensProps = {
  label: string
  query: { data: ApiToken[] | undefined; isError: boolean; error: unknown; refetch(): unknown }
  create: Sending<NewToken, { secret: string }>
  revoke: Sending<string, unknown>
}

/** Tokens of one account: made, shown once, revoked. Those that work no more are folded away. */
export function Tokens({ label, query, create, revoke }: TokensProps) {
  const t = useTranslations('people.tokens')
  const members = useTranslations('people.members')
  const [making, setMaking] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const now = Date.now()
  const works = ({ revokedAt, expiresAt }: ApiToken): boolean =>
    revokedAt === null && (expiresAt === null || expiresAt > now)
  const past = query.data?.filter((token) => !works(token)) ?? []
  const words = { none: t('none'), notRead: t('notRead'), retry: members('retry') }
  return (
    <div className="space-y-3">
      {making ? (
        <TokenForm
          busy={create.isPending}
          error={create.isError ? create.error : null}
          onCancel={() => setMaking(false)}
          onCreate={(input) =>
            create.mutate(input, {
              onSuccess: ({ secret }) => {
                setMaking(false)
                setSecret(secret)
              },
            })
          }
        />
      ) : (
        <div className="flex justify-end">
          <Button small onClick={() => setMaking(true)}>
            <Plus aria-hidden className="size-3.5" />
            {t('create')}
          </Button>
        </div>
      )}
      {secret !== null && (
        <ShownOnce
          key={secret}
          label={t('secretLabel')}
          value={secret}
          text={t('secretText')}
          onDone={() => setSecret(null)}
        />
      )}
      {revoke.isError && <Trouble fact={factOf(revoke.error)} />}
      <RowList
        label={label}
        query={{ ...query, data: query.data?.filter(works) }}
        words={words}
        keyOf={({ id }) => id}
      >
        {(token) => <TokenRow token={token} works revoke={revoke} />}
      </RowList>
      {past.length > 0 && (
        <details>
          <summary className="cursor-pointer text-xs text-soft">{t('past', { count: past.length })}</summary>
          <div className="mt-2">
            <RowList
              label={t('past', { count: past.length })}
              query={{ ...query, data: past }}
              words={words}
              keyOf={({ id }) => id}
            >
              {(token) => <TokenRow token={token} works={false} revoke={revoke} />}
            </RowList>
          </div>
        </details>
      )}
    </div>
  )
}

type TokenRowProps = { token: ApiToken; works: boolean; revoke: TokensProps['revoke'] }

function TokenRow({ token, works, revoke }: TokenRowProps) {
  const t = useTranslations('people.tokens')
  const [asked, setAsked] = useState(false)
  const { id, name, hint, scopes, lastUsedAt, expiresAt, revokedAt } = token
  return (
    <>
      <div className="min-w-0 flex-1">
        <p className="flex min-w-0 items-baseline gap-2">
          <span className="truncate font-medium">
            <Shown text={name} />
          </span>
          <code className="shrink-0 text-xs text-faint">…{visible(hint)}</code>
        </p>
        <p className="text-xs text-soft">
          {scopes.map((scope) => t(`scopeNames.${scopeKey(scope)}`)).join(' · ')}
        </p>
        <p className="text-xs text-faint">
          {lastUsedAt === null ? t('neverUsed') : t.rich('used', { when: () => <Ago at={lastUsedAt} /> })}
          {' · '}
          {expiresAt === null ? t('forever') : t.rich('until', { when: () => <At at={expiresAt} /> })}
        </p>
      </div>
      {works ? (
        <Button small look="danger" disabled={revoke.isPending} onClick={() => setAsked(true)}>
          {t('revoke')}
        </Button>
      ) : (
        <Badge>{revokedAt === null ? t('expired') : t('revoked')}</Badge>
      )}
      {asked && (
        <Confirm
          open
          onOpenChange={setAsked}
          title={t('revokeTitle', { name })}
          description={t('revokeText')}
          action={t('revoke')}
          onConfirm={() => revoke.mutate(id, { onSuccess: () => say(t('revokedSaid')) })}
        />
      )}
    </>
  )
}
