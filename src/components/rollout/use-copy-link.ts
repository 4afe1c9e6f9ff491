'use client'
import { useCallback } from 'react'
import { noAddress, writeAddress } from '../../client/rollout-address.ts'
import { useRolloutStore } from '../../client/use-rollout.ts'
import { useTranslations } from '../../i18n/translations.ts'
import { say } from '../ui/toast.tsx'

/** Copies a link to what is selected: the place and its tab, without the filter of whoever copies it. */
export function useCopyLink(): () => void {
  const t = useTranslations('rollout')
  const store = useRolloutStore()
  return useCallback(() => {
    const { address } = store.getState()
    const { origin, pathname } = window.location
    const link =
      origin +
      pathname +
      writeAddress({ ...noAddress, at: address.at, tab: address.tab, against: address.against })
    navigator.clipboard.writeText(link).then(
      () => say(t('copied')),
      () => say(t('notCopied', { link })),
    )
  }, [store, t])
}
