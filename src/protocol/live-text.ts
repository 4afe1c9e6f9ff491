/**
 * Text in flight: what models write and commands print before it is in the log. Pieces come with offsets, so that a
 * piece that comes twice changes nothing and a missing one is noticed. A command's output is kept apart from its item,
 * because the command may run on after its call is over.
 */
import type { ItemDelta, ThreadEvent } from './event.ts'
import type { DeltaPart } from './item.ts'
import type { Draft } from './thread.ts'

/** UTF-16 units of output that are kept; older output is read by range. */
export const liveOutputChars = 262_144

/** `from` and `to` are UTF-16 units for text and arguments, bytes for output. */
export type LivePiece = { from: number; to: number; text: string }

export type LiveText = Map<string, LivePiece>

export const liveKey = (itemId: string, part: DeltaPart): string => `${itemId}:${part}`

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

const endOf = (part: DeltaPart, offset: number, text: string, nextOffset: number | undefined): number =>
  part === 'output' ? (nextOffset ?? offset + bytesOf(text)) : offset + text.length

/** What of a piece lies behind `at`; null when that cannot be told (bytes that are not the text's own). */
function tail(part: DeltaPart, offset: number, end: number, text: string, at: number): string | null {
  if (part !== 'output') return text.slice(at - offset)
  const bytes = new TextEncoder().encode(text)
  if (bytes.length !== end - offset) return null
  return new TextDecoder().decode(bytes.subarray(at - offset))
}

function keep(part: DeltaPart, piece: LivePiece): LivePiece {
  if (part !== 'output' || piece.text.length <= liveOutputChars) return piece
  // Half at once, so that most pieces only add to what is there.
  const cut = piece.text.slice(-liveOutputChars / 2)
  return { from: piece.to - bytesOf(cut), to: piece.to, text: cut }
}

/**
 * Adds pieces. `done` tells whether an item is complete: late text for it is dropped, output is not. Returns true when a
 * piece does not join what is there, so that the drafts have to be asked for again.
 */
export function applyDeltas(
  live: LiveText,
  deltas: readonly ItemDelta[],
  done: (itemId: string) => boolean,
): boolean {
  let gap = false
  for (const { itemId, part, offset, text, nextOffset } of deltas) {
    if (part !== 'output' && done(itemId)) continue
    const key = liveKey(itemId, part)
    const known = live.get(key)
    const end = endOf(part, offset, text, nextOffset)
    if (known === undefined) {
      // Output may begin anywhere: what is older can be read by range. Text cannot.
      if (offset > 0 && part !== 'output') gap = true
      else live.set(key, keep(part, { from: offset, to: end, text }))
      continue
    }
    if (end <= known.to) continue
    if (offset > known.to) {
      gap = true
      continue
    }
    const added = offset === known.to ? text : tail(part, offset, end, text, known.to)
    if (added === null) gap = true
    else live.set(key, keep(part, { from: known.from, to: end, text: known.text + added }))
  }
  return gap
}

/** Puts drafts in: each stands for all that was in flight of its part, unless more is known already. */
export function applyDrafts(
  live: LiveText,
  drafts: readonly Draft[],
  done: (itemId: string) => boolean,
): void {
  for (const { itemId, part, offset, text, nextOffset } of drafts) {
    if (part !== 'output' && done(itemId)) continue
    const key = liveKey(itemId, part)
    const known = live.get(key)
    const end = endOf(part, offset, text, nextOffset)
    if (known !== undefined && known.to >= end) continue
    live.set(key, keep(part, { from: offset, to: end, text }))
  }
}

/** Forgets the text of items that these events complete; output stays until the screen is left. */
export function settle(live: LiveText, events: readonly ThreadEvent[]): void {
  for (const event of events) {
    if (event.type !== 'item.completed') continue
    live.delete(liveKey(event.body.item.id, 'text'))
    live.delete(liveKey(event.body.item.id, 'arguments'))
  }
}
