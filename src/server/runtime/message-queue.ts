/**
 * The messages that wait for the running turn to end: pure changes of an ordered list. Positions are numbers with room
 * between them, so that moving one changes one.
 */
import type { EventBody } from '../../protocol/event.ts'
import type { ContentPart } from '../../protocol/item.ts'
import type { StoredOp } from '../../protocol/op.ts'
import { firstLine } from './thread-state.ts'

export type TurnStart = Extract<StoredOp['op'], { type: 'turn.start' }>

/** A waiting message; a steer whose turn ended waits here too, under its own op. */
export type QueuedMessage = {
  opId: string
  actorId: string
  op: TurnStart
  position: number
  queuedAt: number
}

/** Characters of a message that the queue's event shows. */
const previewLength = 200

/** The words of a message, or the names of what is attached. */
export const previewOf = (content: ContentPart[]): string => {
  const words = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const names = content.flatMap((part) => (part.type === 'text' ? [] : [part.name ?? part.type]))
  return firstLine(words.length > 0 ? words.join(' ') : names.join(', '), previewLength)
}

export const queueBody = (queue: QueuedMessage[]): EventBody<'queue.changed'> => ({
  queue: queue.map(({ opId, actorId, op, queuedAt }) => ({
    opId,
    actorId,
    preview: previewOf(op.content),
    queuedAt,
  })),
})

/** The position behind the last message. */
export const lastPosition = (queue: QueuedMessage[]): number => (queue.at(-1)?.position ?? 0) + 1

/** The position before the first message. */
export const firstPosition = (queue: QueuedMessage[]): number => (queue[0]?.position ?? 2) - 1

const sorted = (queue: QueuedMessage[]): QueuedMessage[] =>
  [...queue].sort((a, b) => a.position - b.position || (a.opId < b.opId ? -1 : 1))

export const insert = (queue: QueuedMessage[], message: QueuedMessage): QueuedMessage[] =>
  sorted([...queue.filter((other) => other.opId !== message.opId), message])

export const remove = (queue: QueuedMessage[], opId: string): QueuedMessage[] =>
  queue.filter((message) => message.opId !== opId)

export const edit = (queue: QueuedMessage[], opId: string, content: ContentPart[]): QueuedMessage[] =>
  queue.map((message) => (message.opId === opId ? { ...message, op: { ...message.op, content } } : message))

/** Moves a message before another one, or to the end; null when one of the two is not in the queue. */
export const move = (queue: QueuedMessage[], opId: string, before: string | null): QueuedMessage[] | null => {
  const moved = queue.find((message) => message.opId === opId)
  if (!moved) return null
  const others = remove(queue, opId)
  if (before === null) return insert(others, { ...moved, position: lastPosition(others) })
  const at = others.findIndex((message) => message.opId === before)
  const next = others[at]
  if (!next) return null
  const previous = others[at - 1]
  const position = previous ? (previous.position + next.position) / 2 : next.position - 1
  if (position !== previous?.position && position < next.position)
    return insert(others, { ...moved, position })
  // No number is left between the two: all are numbered anew.
  return [...others.slice(0, at), moved, ...others.slice(at)].map((each, index) => ({
    ...each,
    position: index + 1,
  }))
}
