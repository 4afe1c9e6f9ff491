'use client'
import type { RolloutRow } from '../../protocol/rollout.ts'

/**
 * Where other parts of the viewer stand in its screens: actions on a rollout, on what is selected, marks on a row, notes
 * below the head of what is selected. What is mounted here knows the thread and the row, and nothing of the layout.
 */
export type RolloutSlot = { threadId: string }
export type RowSlot = RolloutSlot & { row: RolloutRow }

/** At the right end of the rollout's header. */
export function RolloutActions(_: RolloutSlot) {
  return null
}

/** At the right end of the head of the selected row: one or two small buttons. */
export function SelectedActions(_: RowSlot) {
  return null
}

/** Between the head of the selected row and its tabs: what people said of it. */
export function SelectedNotes(_: RowSlot) {
  return null
}

/** At the end of a line in the list: at most 24 pixels wide. Drawn for every visible row, so it asks nobody. */
export function RowMarks(_: RowSlot) {
  return null
}

/** At the right end of the header of the list of rollouts. */
export function ListActions() {
  return null
}
