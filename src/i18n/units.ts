/** Durations, shares and lists in the words of the page's language; the server writes its own in English. */
import { useFormatter } from 'next-intl'
import { useCallback } from 'react'
import { formatDuration, type UnitWord } from '../lib/format.ts'
import { useTranslations } from './translations.ts'

/** "12 s", "12 秒": a number, written out, with its unit. */
export function useUnit(): UnitWord {
  const t = useTranslations('units')
  return useCallback((unit, value) => t(unit, { value }), [t])
}

/** As `formatDuration`, in the page's language. */
export function useDuration(): (ms: number) => string {
  const unit = useUnit()
  return useCallback((ms) => formatDuration(ms, unit), [unit])
}

/** 0.256 → "26 %"; a share of nothing is none of it. */
export function usePercent(): (part: number, of?: number) => string {
  const t = useTranslations('units')
  return useCallback(
    (part, of = 1) => t('percent', { value: of === 0 ? '0' : String(Math.round((part / of) * 100)) }),
    [t],
  )
}

/** "model, effort", "模型、推理强度": a few words one after the other. */
export function useList(): (words: readonly string[]) => string {
  const format = useFormatter()
  return useCallback((words) => format.list(words, { type: 'conjunction', style: 'narrow' }), [format])
}
