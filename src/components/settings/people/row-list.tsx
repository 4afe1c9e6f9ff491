import type { ReactNode } from 'react'
import { factOf } from '../../../client/api.ts'
import { Button } from '../../ui/button.tsx'
import { Skeleton, Trouble } from '../../ui/states.tsx'

type RowListProps<Row> = {
  label: string
  query: { data: Row[] | undefined; isError: boolean; error: unknown; refetch(): unknown }
  words: { none: string; notRead: string; retry: string }
  keyOf: (row: Row) => string
  children: (row: Row) => ReactNode
}

/** Rows in one frame, with what stands there while they load, when there are none, and when they cannot be read. */
export function RowList<Row>({ label, query, words, keyOf, children }: RowListProps<Row>) {
  if (query.isError && query.data === undefined)
    return (
      <Trouble title={words.notRead} fact={factOf(query.error)}>
        <Button small onClick={() => void query.refetch()}>
          {words.retry}
        </Button>
      </Trouble>
    )
  if (query.data === undefined) return <Skeleton className="h-24" />
  if (query.data.length === 0)
    return (
      <p className="rounded-lg border border-dashed border-line-strong px-3 py-4 text-center text-sm text-soft">
        {words.none}
      </p>
    )
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line">
      {query.data.map((row) => (
        <li key={keyOf(row)} className="flex min-h-11 items-center gap-3 px-3 py-1.5">
          {children(row)}
        </li>
      ))}
    </ul>
  )
}
