import { describe, expect, it } from 'vitest'
import type { ThreadEvent } from '../protocol/event.ts'
import { noUsage } from '../protocol/event.ts'
import { foldPage } from '../protocol/fold.ts'
import type { Item, ToolCallState } from '../protocol/item.ts'
import { deriveRows, type RowOptions } from './rows.ts'

const end = { usage: noUsage, costMicros: 5, durationMs: 10, steps: 1 }
const error = { code: 'provider_auth', message: 'm', next: 'n' } as const
const model = { providerId: 'prv', model: 'm' }

let seq = 0
const at = (event: Pick<ThreadEvent, 'type' | 'body'>, turnId?: string): ThreadEvent =>
  ({
    threadId: 't',
    windowId: 'w',
    actorId: 'agent',
    at: 1,
    seq: ++seq,
    ...event,
    ...(turnId === undefined ? {} : { turnId }),
  }) as ThreadEvent
const item = (value: Item, turnId?: string) => at({ type: 'item.completed', body: { item: value } }, turnId)
const user = (id: string, via: 'start' | 'steer' = 'start'): Item => ({
  id,
  type: 'user_message',
  actorId: 'usr',
  content: [{ type: 'text', text: id }],
  via,
})
const says = (id: string): Item => ({ id, type: 'agent_message', phase: 'final', text: { text: id } })
const call = (id: string, tool: string, state?: ToolCallState): Item => ({
  id,
  type: 'tool_call',
  callId: id,
  tool,
  arguments: { text: '{}' },
  state: state ?? { status: 'proposed' },
})
const started = (turnId: string) => at({ type: 'turn.started', body: { model, modelLabel: 'M' } }, turnId)
const options = (more: Partial<RowOptions> = {}): RowOptions => ({
  unfolded: new Set(),
  pending: [],
  hasOlder: false,
  ...more,
})
const keysOf = (events: ThreadEvent[], more: Partial<RowOptions> = {}): string[] =>
  deriveRows(foldPage(events), options(more)).map((row) => row.key)

const work = () => {
  seq = 0
  return [
    started('a'),
    item(user('u1'), 'a'),
    item(says('first'), 'a'),
    item(call('r1', 'read_file'), 'a'),
    item(call('r2', 'list_dir'), 'a'),
    item(call('x', 'exec_command'), 'a'),
    item(user('u2', 'steer'), 'a'),
    item(call('r3', 'search_files'), 'a'),
    item(says('answer'), 'a'),
  ]
}

describe('rows', () => {
  it('shows the work of a running turn, runs of looking folded, and what is waited for', () => {
    expect(keysOf(work())).toEqual(['u1', 'first', 'group:r1', 'x', 'u2', 'r3', 'answer', 'working:a'])
  })

  it('folds a finished turn to what people said, figures and answer', () => {
    const done = [...work(), at({ type: 'turn.completed', body: end }, 'a')]
    expect(keysOf(done)).toEqual(['u1', 'turn:a', 'u2', 'answer'])
    expect(keysOf(done, { unfolded: new Set(['a']) })).toEqual([
      'u1',
      'turn:a',
      'first',
      'group:r1',
      'x',
      'u2',
      'r3',
      'answer',
    ])
  })

  it('tells where a window took over, whether the work is folded or not', () => {
    const opened = (id: string, index: number) =>
      item({ id, type: 'hand_over', fromWindowId: 'w1', toWindowId: 'w2', reason: 'budget', index }, 'a')
    const [start, question, ...rest] = work()
    if (start === undefined || question === undefined) throw new Error('there is no work')
    const events = [
      start,
      opened('h1', 1),
      question,
      ...rest.slice(0, 2),
      opened('h2', 2),
      ...rest.slice(2),
    ].map((event, index) => ({ ...event, seq: index + 1 }))
    seq = events.length
    const done = [...events, at({ type: 'turn.completed', body: end }, 'a')]
    expect(keysOf(done)).toEqual(['h1', 'u1', 'turn:a', 'h2', 'u2', 'answer'])
    expect(keysOf(done, { unfolded: new Set(['a']) })).toContain('h2')
  })

  it('says how a turn ended that did not end well', () => {
    const failed = [...work(), at({ type: 'turn.failed', body: { ...end, error } }, 'a')]
    expect(keysOf(failed).slice(-2)).toEqual(['answer', 'end:a'])
    seq = 0
    const empty = [
      started('a'),
      item(user('u'), 'a'),
      at({ type: 'turn.failed', body: { ...end, error } }, 'a'),
    ]
    expect(keysOf(empty)).toEqual(['u', 'turn:a', 'end:a'])
  })

  it('hides the calls behind plans and questions, unless they went wrong', () => {
    seq = 0
    const refused: ToolCallState = { status: 'refused', error, output: { text: '' } }
    const events = [
      started('a'),
      item(call('p', 'update_plan'), 'a'),
      item(call('q', 'request_user_input', refused), 'a'),
      item(call('bad', 'read_file', refused), 'a'),
      item({ id: 'plan', type: 'plan', entries: [] }, 'a'),
    ]
    expect(keysOf(events)).toEqual(['q', 'bad', 'plan', 'working:a'])
  })

  it('puts older pages, markers and unsent messages in their places', () => {
    seq = 0
    const first = item(user('u'))
    const restarted = at({ type: 'server.restarted', body: { resumed: ['x'], repeated: [], abandoned: [] } })
    const events = [first, restarted, started('a')]
    const pending = [
      {
        clientId: 'op_1',
        op: { type: 'turn.start', content: [{ type: 'text', text: 'hi' }] },
        status: 'sending',
        at: 1,
        error: null,
      },
    ] as const
    expect(keysOf(events, { hasOlder: true, pending: pending as never })).toEqual([
      'older',
      'u',
      'seq:2',
      'working:a',
      'pending:op_1',
    ])
  })
})
