/** What benchmarks share: quantiles, and one JSON line per figure on stdout. Progress belongs on stderr. */

export type Figure = {
  name: string
  value: number
  unit: string
  /** A bound in the figure's unit; none for figures that only explain others. */
  goal?: { atMost: number } | { atLeast: number }
  /** How it was measured: counts, load, what stands beside it. One line. */
  method: string
}

/** Writes the line `{ name, value, unit, goal, ok, method }`; `ok` is null without a goal. Returns `ok`. */
export function figure({ name, value, unit, goal, method }: Figure): boolean | null {
  const rounded = Number(value.toPrecision(5))
  let words: string | null = null
  let ok: boolean | null = null
  if (goal !== undefined && 'atMost' in goal) {
    words = `≤ ${Number(goal.atMost.toPrecision(4))} ${unit}`
    ok = value <= goal.atMost
  } else if (goal !== undefined) {
    words = `≥ ${Number(goal.atLeast.toPrecision(4))} ${unit}`
    ok = value >= goal.atLeast
  }
  process.stdout.write(`${JSON.stringify({ name, value: rounded, unit, goal: words, ok, method })}\n`)
  return ok
}

/** The value below which the share `q` (0 to 1) of the values lies; NaN without values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const at = Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))
  return sorted[at] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** A line of progress; stdout carries figures only. */
export function progress(text: string): void {
  process.stderr.write(`  ${text}\n`)
}
