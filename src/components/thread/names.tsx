'use client'
import { useMe, useNames } from '../../client/query.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { visible } from '../../lib/visible.ts'

/** How a person is called here; the reader is "You". */
export function useName(actorId: string): string {
  const t = useTranslations('names')
  const me = useMe()
  const names = useNames([actorId])
  if (actorId === me.data?.user?.id) return t('you')
  if (actorId === 'agent') return t('agent')
  if (actorId === 'system') return t('system')
  return visible(names.get(actorId) ?? t('someone'))
}

/** The name of a person, also the reader's own; null for whoever is none, or until it is known. */
export function useOwnName(actorId: string): string | null {
  return useNames([actorId]).get(actorId) ?? null
}
