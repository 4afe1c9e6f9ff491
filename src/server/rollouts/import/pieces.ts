/**
 * What one imported rollout becomes: events with their place, and blobs, in order. Knows neither what a turn is nor the
 * format, a clock or a database.
 */
import { sha256 } from '../../../lib/sha256.ts'
import { type EventBody, type EventType, maxEventBodyBytes, type NewEvent } from '../../../protocol/event.ts'
import type { Item } from '../../../protocol/item.ts'
import type { Piece, ReaderContext, RolloutHead } from './types.ts'

/** Blobs that are known to be given: the same text twice is one blob. */
const knownBlobs = 4_096
/** What an event of an item has beside the item, in bytes of JSON. */
const aroundItem = 100

export type Place = { windowId: string; turnId?: string; stepId?: string }
export type More = { itemId?: string; stepId?: string; actorId?: string; at?: number }

export type Pieces = ReturnType<typeof createPieces>

/** `place`: what is open when an event is told. */
export const createPieces = (
  { out, report, importedAt }: ReaderContext,
  head: RolloutHead,
  place: () => Place,
) => {
  const known = new Set<string>()
  let now: number | null = null
  let line = 1

  const push = (piece: Piece): void => {
    out.push({ head, piece })
  }
  const time = (): number => now ?? importedAt

  const emit = <T extends EventType>(type: T, body: EventBody<T>, more: More = {}): void => {
    const at = more.at ?? time()
    const event = {
      type,
      ...place(),
      ...(more.stepId === undefined ? {} : { stepId: more.stepId }),
      ...(more.itemId === undefined ? {} : { itemId: more.itemId }),
      actorId: more.actorId ?? 'agent',
      body,
    } as NewEvent
    head.firstAt ??= at
    push({ type: 'event', event, at })
  }

  return {
    push,
    emit,
    time,
    line: () => line,

    /** Stores the bytes as a blob; answers with its hash. */
    keep: (bytes: Uint8Array): string => {
      const hash = sha256(bytes)
      if (known.has(hash)) return hash
      if (known.size >= knownBlobs) known.clear()
      known.add(hash)
      push({ type: 'blob', hash, bytes })
      return hash
    },

    emitItem: (item: Item, more: Omit<More, 'itemId'> = {}): void => {
      if (Buffer.byteLength(JSON.stringify(item)) > maxEventBodyBytes - aroundItem)
        report.problem(line, `an item of type ${item.type} is larger than an event should be`)
      emit('item.completed', { item }, { ...more, itemId: item.id })
    },

    /** Where in the file the reading is; a time before the last one is told. */
    place: (atLine: number, at: number | null): void => {
      line = atLine
      if (at === null) return
      if (now !== null && at < now - 1_000)
        report.problem(atLine, `the clock goes back by ${((now - at) / 1_000).toFixed(1)} s`)
      now = at
    },

    /** A time that may lie before the last one without that being odd: things that ran side by side. */
    clock: (at: number | null): void => {
      now = at ?? now
    },
  }
}
