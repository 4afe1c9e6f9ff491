/** Reads again what a change made old. Knows what is cached, and nothing of what it says. */
import type { QueryClient, QueryKey } from '@tanstack/react-query'

const readings = (queries: QueryClient, queryKey: QueryKey) =>
  queries.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' })

/** Resolves when none of these is being read any more; null when none is. */
export function whenRead(queries: QueryClient, queryKey: QueryKey): Promise<void> | null {
  const wait = async (): Promise<void> => {
    for (let now = readings(queries, queryKey); now.length > 0; now = readings(queries, queryKey))
      await Promise.allSettled(now.map(({ promise }) => promise))
  }
  return readings(queries, queryKey).length === 0 ? null : wait()
}

/**
 * Invalidates these queries, also those that are read for the first time now: such a reading is not begun anew by the
 * library, and its answer may be older than the change.
 */
export async function readAgain(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  const first = readings(queries, queryKey).filter(({ state }) => state.data === undefined)
  await queries.invalidateQueries({ queryKey, predicate: (query) => !first.includes(query) })
  await Promise.allSettled(first.map(({ promise }) => promise))
  await Promise.all(
    first.map((query) => queries.invalidateQueries({ queryKey: query.queryKey, exact: true })),
  )
}
