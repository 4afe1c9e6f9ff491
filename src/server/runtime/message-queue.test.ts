import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  edit,
  firstPosition,
  insert,
  lastPosition,
  move,
  previewOf,
  type QueuedMessage,
  remove,
} from './message-queue.ts'

const message = (opId: string, position: number): QueuedMessage => ({
  opId,
  actorId: 'system',
  op: { type: 'turn.start', content: [{ type: 'text', text: opId }] },
  position,
  queuedAt: 0,
})
const ids = (queue: QueuedMessage[]): string[] => queue.map((each) => each.opId)

/** The same moves on a plain list of names. */
type Move =
  | { do: 'add'; id: string }
  | { do: 'first'; id: string }
  | { do: 'remove'; id: string }
  | { do: 'move'; id: string; before: string | null }

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const anyMove: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ do: fc.constant('add' as const), id: name }),
  fc.record({ do: fc.constant('first' as const), id: name }),
  fc.record({ do: fc.constant('remove' as const), id: name }),
  fc.record({ do: fc.constant('move' as const), id: name, before: fc.option(name) }),
)

const onList = (list: string[], step: Move): string[] => {
  const others = list.filter((id) => id !== step.id)
  if (step.do === 'remove') return others
  if (step.do === 'add') return list.includes(step.id) ? list : [...list, step.id]
  if (step.do === 'first') return list.includes(step.id) ? list : [step.id, ...list]
  if (!list.includes(step.id)) return list
  if (step.before === null) return [...others, step.id]
  const at = others.indexOf(step.before)
  return at < 0 ? list : [...others.slice(0, at), step.id, ...others.slice(at)]
}

const onQueue = (queue: QueuedMessage[], step: Move): QueuedMessage[] => {
  const known = queue.some((each) => each.opId === step.id)
  if (step.do === 'remove') return remove(queue, step.id)
  if (step.do === 'move') return move(queue, step.id, step.before) ?? queue
  if (known) return queue
  const position = step.do === 'add' ? lastPosition(queue) : firstPosition(queue)
  return insert(queue, message(step.id, position))
}

describe('the queue', () => {
  it('keeps the order that people gave it, and reads back from its positions', () => {
    fc.assert(
      fc.property(fc.array(anyMove, { maxLength: 30 }), (moves) => {
        let queue: QueuedMessage[] = []
        let list: string[] = []
        for (const step of moves) {
          queue = onQueue(queue, step)
          list = onList(list, step)
          expect(ids(queue)).toEqual(list)
        }
        const stored = [...queue].sort((a, b) => a.position - b.position)
        expect(ids(stored)).toEqual(list)
      }),
      { numRuns: 100 },
    )
  })

  it('never runs out of places between two messages', () => {
    let queue = [message('a', 1), message('b', 2), message('c', 3)]
    for (let index = 0; index < 200; index += 1) {
      const last = ids(queue).at(-1) ?? ''
      queue = move(queue, last, ids(queue)[1] ?? '') ?? queue
      expect(new Set(queue.map(({ position }) => position)).size).toBe(3)
    }
    expect(ids(queue)).toEqual(['a', 'b', 'c'])
  })

  it('edits in place and previews words before attachments', () => {
    const queue = edit([message('a', 1), message('b', 2)], 'a', [{ type: 'text', text: '  two\n words ' }])
    expect(ids(queue)).toEqual(['a', 'b'])
    expect(previewOf(queue[0]?.op.content ?? [])).toBe('two words')
    const file = {
      type: 'file' as const,
      blob: 'a'.repeat(64),
      name: 'x.txt',
      mediaType: 'text/plain',
      bytes: 1,
    }
    expect(previewOf([file])).toBe('x.txt')
    expect(previewOf([{ type: 'text', text: '😀'.repeat(300) }]).isWellFormed()).toBe(true)
  })
})
