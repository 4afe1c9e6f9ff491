'use client'
import { useCreateToken, useRevokeToken, useTokens } from '../../../client/account.ts'
import { useTranslations } from '../../../i18n/translations.ts'
import { Section } from '../settings-frame.tsx'
import { Tokens } from './tokens.tsx'

/** Tokens of one's own. */
export function OwnTokens() {
  const t = useTranslations('people.tokens')
  const tokens = useTokens()
  return (
    <Section title={t('title')} text={t('text')}>
      <Tokens label={t('title')} query={tokens} create={useCreateToken()} revoke={useRevokeToken()} />
    </Section>
  )
}
