import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ItemDelta, ThreadEvent } from '../../protocol/event.ts'
import type { LiveMessage } from '../../protocol/thread.ts'
import { createBus, mergeDelta } from './bus.ts'

const delta = (offset: number, text: string, itemId = 'i'): ItemDelta => ({
  type: 'item.delta',
  threadId: 't',
  itemId,
  part: 'text',
  offset,
  text,
})
const event = (seq: number): ThreadEvent => ({ threadId: 't', seq }) as ThreadEvent
const never = new AbortController().signal

describe('merging', () => {
  it('loses no text and keeps the order of each part', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.string()), { maxLength: 40 }), (pieces) => {
        const sent = new Map<string, string>()
        const merged: ItemDelta[] = []
        for (const [itemId, text] of pieces) {
          const before = sent.get(itemId) ?? ''
          sent.set(itemId, before + text)
          mergeDelta(merged, delta(before.length, text, itemId))
        }
        for (const [itemId, whole] of sent) {
          let got = ''
          for (const piece of merged.filter((each) => each.itemId === itemId)) {
            expect(piece.offset).toBe(got.length)
            got += piece.text
          }
          expect(got).toBe(whole)
        }
      }),
      { numRuns: 100 },
    )
  })
})

describe('a reader', () => {
  it('gets what came before it asked, in order, text joined', async () => {
    const bus = createBus()
    const reader = bus.open('t')
    bus.delta(delta(0, 'a'))
    bus.delta(delta(1, 'b'))
    bus.events('t', [event(1)])
    bus.events('t', [event(2)])
    bus.delta(delta(2, 'c'))
    const { messages, behind } = await reader.take(never)
    expect(behind).toBe(false)
    const short = messages.map((message: LiveMessage) =>
      message.type === 'events'
        ? message.events.map(({ seq }) => seq)
        : message.type === 'deltas'
          ? message.deltas.map(({ text }) => text)
          : message.type,
    )
    expect(short).toEqual([['ab'], [1, 2], ['c']])
    reader.close()
    expect(bus.readers('t')).toBe(0)
  })

  it('is woken by an event at once, by a stop, and by a delta soon', async () => {
    const bus = createBus()
    const reader = bus.open('t')
    const stop = new AbortController()
    for (const act of [
      () => bus.events('t', [event(1)]),
      () => bus.delta(delta(0, 'x')),
      () => stop.abort(),
    ]) {
      const taken = reader.take(stop.signal)
      act()
      await taken
    }
    reader.close()
  })

  it('that is far too slow is told to read the log again, and loses deltas rather than memory', async () => {
    const bus = createBus()
    const reader = bus.open('t')
    for (let seq = 1; seq <= 3_000; seq += 1) bus.events('t', [event(seq)])
    expect(await reader.take(never)).toMatchObject({ behind: true })
    const long = 'x'.repeat(100_000)
    for (let index = 0; index < 20; index += 1) bus.delta(delta(index * 100_000, long))
    const { messages } = await reader.take(never)
    const kept = messages.flatMap((message) => (message.type === 'deltas' ? message.deltas : []))
    expect(kept.reduce((sum, each) => sum + each.text.length, 0)).toBeLessThanOrEqual(600_000)
    expect(kept.at(-1)).toMatchObject({ text: expect.stringContaining('x') })
    reader.close()
  })
})
