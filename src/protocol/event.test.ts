import { expect, it } from 'vitest'
import { parseEvent } from './event.ts'
import { newId } from './ids.ts'

const event = {
  threadId: newId('thr'),
  seq: 1,
  type: 'thread.closed',
  windowId: newId('win'),
  actorId: newId('usr'),
  at: 1_700_000_000_000,
  body: {},
}

it('takes an event of the list and gives it back whole', () => {
  expect(parseEvent(event)).toEqual(event)
})

it('refuses an unknown type, a wrong body and a place before the first', () => {
  expect(() => parseEvent({ ...event, type: 'thread.vanished' })).toThrow(/unknown event type/)
  expect(() => parseEvent({ ...event, type: 'toString' })).toThrow(/unknown event type/)
  expect(() => parseEvent({ ...event, body: null })).toThrow()
  expect(() => parseEvent({ ...event, seq: 0 })).toThrow()
  expect(() => parseEvent(null)).toThrow(/unknown event type/)
})
