import { describe, expect, it } from 'vitest'
import type { EventBody, EventType, ThreadEvent } from '../../protocol/event.ts'
import { noUsage } from '../../protocol/event.ts'
import { defaultThreadSettings } from '../../protocol/settings.ts'
import { firstState } from './new-thread.ts'
import { firstLine, nextState } from './thread-state.ts'

const start = firstState({ windowId: 'win', seq: 1, at: 1 } as ThreadEvent, defaultThreadSettings)
const end = { usage: noUsage, costMicros: 0, durationMs: 1, steps: 1 }
const error = { code: 'internal' as const, message: 'm', next: 'n' }

/** Folds events, given as type and body. */
const fold = (...events: { [T in EventType]: [T, EventBody<T>] }[EventType][]) =>
  events.reduce(
    (state, [type, body], index) =>
      nextState(state, {
        type,
        body,
        seq: index + 2,
        at: index + 2,
        turnId: 'trn',
        windowId: 'win',
      } as ThreadEvent),
    start,
  )
const started = ['turn.started', { model: { providerId: 'p', model: 'm' }, modelLabel: 'M' }] as [
  'turn.started',
  EventBody<'turn.started'>,
]
const queue = (...ids: string[]): ['queue.changed', EventBody<'queue.changed'>] => [
  'queue.changed',
  { queue: ids.map((opId) => ({ opId, actorId: 'system', preview: '', queuedAt: 0 })) },
]

describe('the state of a thread', () => {
  it('follows its turns', () => {
    expect(fold(started)).toMatchObject({ status: 'working', turnId: 'trn', turns: 1, head: 2 })
    expect(fold(started, ['turn.completed', end])).toMatchObject({ status: 'idle', turnId: null })
    expect(fold(started, ['turn.failed', { ...end, error }])).toMatchObject({
      status: 'failed',
      lastError: error,
    })
    expect(fold(started, queue('a'), ['turn.completed', end])).toMatchObject({ status: 'queued', queued: 1 })
    expect(fold(queue('a'), queue())).toMatchObject({ status: 'idle', queued: 0 })
    expect(fold(started, ['input.requested', { itemId: 'i' }])).toMatchObject({
      status: 'waiting_for_person',
    })
    expect(
      fold(started, ['thread.closed', {}], ['turn.interrupted', { ...end, reason: 'person' }]),
    ).toMatchObject({
      status: 'closed',
      turnId: null,
    })
  })

  it('adds tokens and money; an unknown price makes the sum unknown', () => {
    const used = { ...noUsage, input: 10, output: 5 }
    const cut = (costMicros: number | null, usage = used): ['step.cut', EventBody<'step.cut'>] => [
      'step.cut',
      { error, usage, costMicros, totalMs: 1 },
    ]
    expect(fold(cut(3), cut(4))).toMatchObject({ costMicros: 7, usage: { input: 20, output: 10 } })
    expect(fold(cut(3), cut(null, noUsage))).toMatchObject({ costMicros: 3 })
    expect(fold(cut(3), cut(null), cut(4))).toMatchObject({ costMicros: null })
  })

  it('shows the first words of the last message on one line', () => {
    expect(firstLine('  a\n\tb  ', 10)).toBe('a b')
    expect(firstLine('abcdef', 4)).toBe('abc…')
    expect(firstLine('😀😀😀😀', 4).isWellFormed()).toBe(true)
  })
})
