/**
 * Work that is kept by key for whoever asks next, until all that is kept is too large; then what was not asked for
 * longest goes. Whoever asks while it is being done waits for the same work.
 */

export type Kept<T> = (key: string, make: () => Promise<T>) => Promise<T>

/**
 * At most `most` of what `sizeOf` counts is kept, and always the newest. What fails is not kept, nor what has no size
 * (null): the next one who asks does it again.
 */
export const createKept = <T>(most: number, sizeOf: (value: T) => number | null): Kept<T> => {
  const kept = new Map<string, { value: Promise<T>; size: number }>()
  let all = 0
  const forget = (key: string, entry: { size: number }): void => {
    if (kept.get(key) !== entry) return
    kept.delete(key)
    all -= entry.size
  }
  return (key, make) => {
    const known = kept.get(key)
    if (known) {
      kept.delete(key)
      kept.set(key, known)
      return known.value
    }
    const entry = { value: make(), size: 0 }
    kept.set(key, entry)
    entry.value.then(
      (value) => {
        const size = sizeOf(value)
        if (size === null) return forget(key, entry)
        // It may have been forgotten meanwhile.
        if (kept.get(key) !== entry) return
        entry.size = size
        all += size
        for (const [oldest, each] of kept) {
          if (all <= most || kept.size === 1) break
          forget(oldest, each)
        }
      },
      () => forget(key, entry),
    )
    return entry.value
  }
}
