/**
 * Writing a rollout to a file: the formats, what may be cut from it, and the preview of what would be cut.
 */
import { z } from 'zod'

export const ExportFormat = z.enum(['baton', 'codex', 'markdown', 'html'])
export type ExportFormat = z.infer<typeof ExportFormat>

/** `secrets` cuts keys and passwords, `personal` e-mail addresses and names in home paths as well, `none` nothing. */
export const ExportRedaction = z.enum(['secrets', 'personal', 'none'])
export type ExportRedaction = z.infer<typeof ExportRedaction>

/** Samples of one kind in a preview, and characters around each. */
export const exportSamples = 5
export const exportContextChars = 60

/** Where in the rollout a match stands; `seq` and `itemId` are for links. */
export type ExportPlace = {
  type: 'title' | 'event' | 'block' | 'note' | 'file'
  seq: number | null
  itemId: string | null
  /** A window's number and the block's, or a note's path. */
  label: string | null
}

/** A match with what stands around it; the match itself, and any other beside it, is not told. */
export type ExportSample = { place: ExportPlace; before: string; after: string; chars: number }

export type ExportPreview = {
  threadId: string
  /** Everything up to this event was looked through. */
  head: number
  /** What was looked for. */
  level: 'secrets' | 'personal'
  kinds: { kind: string; places: number; distinct: number; samples: ExportSample[] }[]
  /** Sums over the kinds. */
  places: number
  distinct: number
  /** Stored files that cannot be looked into (archives, packs of checkpoints); a redacted export leaves them out. */
  blobsLeftOut: number
  /** Names this finding. An export without redaction must repeat it when anything was found. */
  digest: string
}
