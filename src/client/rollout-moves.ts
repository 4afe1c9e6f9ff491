/** Moves along columns of row numbers, which are in rising order. Pure. */

/** The first entry of a rising column for which `value > than`; its length when there is none. */
export function firstAfter(column: readonly number[], than: number): number {
  let [low, high] = [0, column.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((column[middle] ?? 0) > than) high = middle
    else low = middle + 1
  }
  return low
}

/** The entry whose value is nearest to `to`; -1 in an empty column. */
export function nearestIn(column: readonly number[], to: number): number {
  const after = firstAfter(column, to)
  const [before, next] = [column[after - 1], column[after]]
  if (before === undefined) return next === undefined ? -1 : after
  if (next === undefined) return after - 1
  return to - before <= next - to ? after - 1 : after
}
