'use client'
import { useTranslations } from '../../../i18n/translations.ts'
import { isPlainKey } from '../../../lib/own.ts'
import { visible } from '../../../lib/visible.ts'

/** Why a block is there, in words; a reason that is not known is said as it is. */
export function useReasonWords(): (reason: string) => string {
  const t = useTranslations('windows.reasons')
  return (reason) => {
    const key = reason as Parameters<typeof t.has>[0]
    return isPlainKey(reason) && t.has(key) ? t(key) : visible(reason.replaceAll('_', ' '))
  }
}

/** A part of the world state by its name, or null when the block is none. */
export function useSectionWords(): (kind: string) => string | null {
  const t = useTranslations('windows.sections')
  return (kind) => {
    if (!kind.startsWith('world:')) return null
    const section = kind.slice('world:'.length)
    const key = section as Parameters<typeof t.has>[0]
    return isPlainKey(section) && t.has(key) ? t(key) : visible(section)
  }
}
