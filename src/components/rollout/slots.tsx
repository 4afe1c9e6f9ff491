'use client'
import type { RolloutRow } from '../../protocol/rollout.ts'
import { CompareButton } from './compare/compare-button.tsx'
import { ExportButton } from './export/export-button.tsx'
import { ImportButton } from './import/import-dialog.tsx'
import { CommentAction, Comments } from './review/comments.tsx'
import { ReviewButton } from './review/review-button.tsx'
import { RowMark } from './review/row-mark.tsx'

/**
 * Where other parts of the viewer stand in its screens: actions on a rollout, on what is selected, marks on a row, notes
 * below the head of what is selected. What is mounted here knows the thread and the row, and nothing of the layout.
 */
export type RolloutSlot = { threadId: string }
export type RowSlot = RolloutSlot & { row: RolloutRow }

/** At the right end of the rollout's header. */
export function RolloutActions({ threadId }: RolloutSlot) {
  return (
    <>
      <span className="inline-flex items-center gap-2 max-md:hidden">
        <CompareButton threadId={threadId} />
        <ExportButton threadId={threadId} />
      </span>
      <ReviewButton threadId={threadId} />
    </>
  )
}

/** At the right end of the head of the selected row: one or two small buttons. */
export function SelectedActions({ row }: RowSlot) {
  return <CommentAction row={row} />
}

/** Between the head of the selected row and its tabs: what people said of it. */
export function SelectedNotes({ threadId, row }: RowSlot) {
  return <Comments threadId={threadId} row={row} />
}

/** At the end of a line in the list: at most 24 pixels wide. Drawn for every visible row, so all of them ask once. */
export function RowMarks({ threadId, row }: RowSlot) {
  return <RowMark threadId={threadId} row={row} />
}

/** At the right end of the header of the list of rollouts. */
export function ListActions() {
  return <ImportButton />
}
