import { useMembers } from '../../../client/people.ts'
import { useTranslations } from '../../../i18n/translations.ts'

/** Names of members by id; whoever left is called by the end of their id, which stays theirs. */
export function usePersonName(): (userId: string) => string {
  const t = useTranslations('people.audit')
  const members = useMembers()
  const names = new Map(members.data?.members.map(({ userId, name }) => [userId, name]))
  for (const { userId, name } of members.data?.gone ?? []) names.set(userId, name)
  return (userId) => (userId === 'system' ? t('server') : (names.get(userId) ?? `…${userId.slice(-6)}`))
}
