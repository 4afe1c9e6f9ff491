/**
 * Numbers as people read them. The units of time are words, which the caller may give in its language; k, M, KB and $ are
 * read in every language of the screen, and tokens and prices are published in them.
 */

export type DurationUnit = 'ms' | 's' | 'm' | 'h' | 'd'

/** A number with its unit in some language; `value` is already written out. */
export type UnitWord = (unit: DurationUnit, value: string) => string

const englishUnit: UnitWord = (unit, value) => `${value} ${unit}`

/** 4_200 → "4.2 s", 252_000 → "4 m 12 s", 7_500_000 → "2 h 5 m"; in English unless `word` says otherwise. */
export function formatDuration(ms: number, word: UnitWord = englishUnit): string {
  if (ms < 10_000) return word('s', (Math.floor(Math.max(0, ms) / 100) / 10).toFixed(1))
  const two = (first: DurationUnit, many: number, second: DurationUnit, rest: number): string =>
    `${word(first, String(many))} ${word(second, String(rest))}`
  const seconds = Math.floor(ms / 1_000)
  if (seconds < 60) return word('s', String(seconds))
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return two('m', minutes, 's', seconds % 60)
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return two('h', hours, 'm', minutes % 60)
  return two('d', Math.floor(hours / 24), 'h', hours % 24)
}

/** A running clock: 134_000 → "2:14". */
export function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const [h, m, s] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  const two = (n: number): string => String(n).padStart(2, '0')
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}

/** Micro-dollars with two digits, or "< $0.01"; nothing at all is "$0.00". */
export function formatMoney(micros: number): string {
  if (micros > 0 && micros < 10_000) return '< $0.01'
  return `$${(micros / 1_000_000).toFixed(2)}`
}

/** 48_120 → "48.1k"; below a thousand as it is. */
export function formatCount(count: number): string {
  if (count < 1_000) return String(count)
  if (count < 1_000_000) return `${(count / 1_000).toFixed(count < 100_000 ? 1 : 0)}k`
  return `${(count / 1_000_000).toFixed(1)}M`
}

/** 1_536 → "1.5 KB" (1 KB = 1,024 bytes). */
export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(1)} KB`
  if (bytes < 1_073_741_824) return `${(bytes / 1_048_576).toFixed(1)} MB`
  return `${(bytes / 1_073_741_824).toFixed(1)} GB`
}
