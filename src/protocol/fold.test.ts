// Any way to cut a log into pages and batches gives the same view, and pieces of text may come in any cut, twice or late.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventBody, EventType, ItemDelta, ThreadEvent } from './event.ts'
import { noUsage } from './event.ts'
import { applyEvents, foldPage, prependView, runningCommands } from './fold.ts'
import type { Item } from './item.ts'
import { applyDeltas, applyDrafts, type LiveText, liveKey, settle } from './live-text.ts'
import { defaultThreadSettings } from './settings.ts'
import { emptyView, type ThreadView } from './view.ts'

const end = { usage: noUsage, costMicros: 5, durationMs: 10, steps: 1 }
const error = { code: 'internal', message: 'm', next: 'n' } as const

const message = (id: string, text: string): Item => ({
  id,
  type: 'agent_message',
  phase: 'commentary',
  text: { text },
})
const call = (id: string, status: 'proposed' | 'refused'): Item => ({
  id,
  type: 'tool_call',
  callId: id,
  tool: 'exec_command',
  arguments: { text: '{}' },
  state: status === 'proposed' ? { status } : { status, error, output: { text: 'no' } },
})

type Loose = Pick<ThreadEvent, 'type' | 'body'> & { turnId?: string; stepId?: string; itemId?: string }
const make = <T extends EventType>(type: T, body: EventBody<T>, more: Partial<Loose> = {}): Loose =>
  ({ type, body, ...more }) as Loose

/** Events that need not make sense together: the fold has to cope with any order. */
const anyEvent: fc.Arbitrary<Loose> = fc
  .record({
    kind: fc.integer({ min: 0, max: 17 }),
    n: fc.integer({ min: 0, max: 5 }),
    turn: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
    step: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
  })
  .map(({ kind, n, turn, step }) => {
    const where: Partial<Loose> = {}
    if (turn !== undefined) where.turnId = `trn_${turn}`
    if (step !== undefined) where.stepId = `stp_${step}`
    switch (kind) {
      case 0:
        return make('turn.queued', { opId: `op_${n}`, preview: 'p' }, where)
      case 1:
        return make('turn.started', { model: { providerId: 'prv', model: 'm' }, modelLabel: 'M' }, where)
      case 2:
        return make('turn.completed', end, where)
      case 3:
        return make('turn.failed', { ...end, error }, where)
      case 4:
        return make('item.started', { item: message(`itm_${n}`, '') }, where)
      case 5:
        return make('item.completed', { item: message(`itm_${n}`, `text ${n}`) }, where)
      case 6:
        return make('item.started', { item: call(`itm_c${n}`, 'proposed') }, where)
      case 7:
        return make('item.completed', { item: call(`itm_c${n}`, 'refused') }, where)
      case 8:
        return make(
          'step.started',
          {
            index: n,
            blockCount: 1,
            newBlocks: 1,
            bodySha256: 'x',
            estimatedTokens: 1,
            ...(n % 2 === 0 ? {} : { purpose: 'hand_over_document' as const }),
          },
          where,
        )
      case 9:
        return make('step.retried', { error, attempt: n, waitMs: 1, nextAt: 2 }, where)
      case 10:
        return make(
          'step.completed',
          {
            usage: noUsage,
            costMicros: null,
            firstTokenMs: 1,
            totalMs: 2,
            retries: 0,
            stopReason: 'end',
            toolCalls: 0,
            contextTokens: n,
            contextLimit: 100,
          },
          where,
        )
      case 11:
        return make(
          'command.started',
          { commandId: `cmd_${n}`, itemId: `itm_c${n}`, command: 'ls', mode: 'workspace-write', tty: false },
          where,
        )
      case 12:
        return make(
          'command.exited',
          {
            commandId: `cmd_${n}`,
            itemId: `itm_c${n}`,
            status: 'exited',
            exitCode: 0,
            signal: null,
            bytes: 3,
          },
          where,
        )
      case 13:
        return make('queue.changed', { queue: [] }, where)
      case 14:
        return make('thread.settings_changed', { settings: defaultThreadSettings, changed: ['model'] }, where)
      case 15:
        return make('item.completed', { item: { id: `itm_p${n}`, type: 'plan', entries: [] } }, where)
      case 16:
        return make('sandbox.stopped', { sandboxId: 'sbx', why: 'idle' }, where)
      default:
        return make('input.requested', { itemId: `itm_${n}` }, where)
    }
  })

const log = fc.array(anyEvent, { maxLength: 60 }).map((loose) =>
  loose.map(
    (event, index) =>
      ({
        threadId: 'thr_1',
        windowId: 'win_1',
        actorId: 'agent',
        at: 1_000 + index,
        ...event,
        seq: index + 1,
      }) as ThreadEvent,
  ),
)

const plain = (view: ThreadView): unknown => ({
  ...view,
  items: [...view.items].sort(),
  turns: [...view.turns].sort(),
  steps: [...view.steps].sort(),
  commands: [...view.commands].sort(),
  markers: [...view.markers].sort(),
})
const cut = <T>(list: readonly T[], points: readonly number[]): T[][] => {
  const at = [...new Set(points.map((point) => point % (list.length + 1)))].sort((a, b) => a - b)
  const parts: T[][] = []
  let from = 0
  for (const to of [...at, list.length]) {
    parts.push(list.slice(from, to))
    from = to
  }
  return parts
}
const points = fc.array(fc.nat(100), { maxLength: 6 })

describe('fold', () => {
  it('gives the same view for any cut into batches', () => {
    fc.assert(
      fc.property(log, points, (events, at) => {
        const view = emptyView()
        for (const batch of cut(events, at)) applyEvents(view, batch)
        expect(plain(view)).toEqual(plain(foldPage(events)))
      }),
      { numRuns: 100 },
    )
  })

  it('gives the same view when older pages, each folded alone, are put in front', () => {
    fc.assert(
      fc.property(log, points, (events, at) => {
        const pages = cut(events, at).map(foldPage).reverse()
        const view = pages.reduce((newer, older) => prependView(older, newer), emptyView())
        expect(plain(view)).toEqual(plain(foldPage(events)))
      }),
      { numRuns: 100 },
    )
  })

  it('knows every window with its end, and what is pinned, however the log is cut', () => {
    const opened = (index: number) =>
      make('window.opened', { index, reason: 'asked', blocks: 1, tokens: 10, limitTokens: 100 })
    const closed = (index: number) => make('window.closed', { index, reason: 'asked', tokens: 50 })
    const pin = (n: number, pinned: boolean) => make('window.pinned', { itemId: `itm_${n}`, pinned })
    const loose = [
      opened(0),
      pin(1, true),
      closed(0),
      opened(1),
      pin(1, false),
      pin(2, true),
      closed(1),
      opened(2),
    ]
    const windows = [0, 0, 0, 1, 1, 1, 1, 2]
    const events = loose.map(
      (event, at) =>
        ({
          ...event,
          seq: at + 1,
          threadId: 'thr',
          actorId: 'system',
          at: 1_000 + at,
          windowId: `win_${windows[at]}`,
        }) as ThreadEvent,
    )
    const whole = foldPage(events)
    expect([...whole.windows.values()].map(({ windowId, closed: end }) => [windowId, end?.at])).toEqual([
      ['win_0', 1_002],
      ['win_1', 1_006],
      ['win_2', undefined],
    ])
    expect([...whole.pins].map(([id, { value }]) => [id, value])).toEqual([
      ['itm_1', false],
      ['itm_2', true],
    ])
    expect(whole.context?.value).toEqual({ contextTokens: 10, contextLimit: 100, cachedInput: 0 })
    for (let at = 0; at <= events.length; at += 1)
      expect(plain(prependView(foldPage(events.slice(0, at)), foldPage(events.slice(at))))).toEqual(
        plain(whole),
      )
  })

  it('goes on after older pages were put in front', () => {
    fc.assert(
      fc.property(log, fc.nat(100), fc.nat(100), (events, a, b) => {
        const [x, y] = [a % (events.length + 1), b % (events.length + 1)].sort((m, n) => m - n)
        const view = prependView(foldPage(events.slice(0, x)), foldPage(events.slice(x, y)))
        applyEvents(view, events.slice(y))
        expect(plain(view)).toEqual(plain(foldPage(events)))
      }),
      { numRuns: 100 },
    )
  })

  it('skips what is in and stops at a hole', () => {
    fc.assert(
      fc.property(log, (events) => {
        fc.pre(events.length > 4)
        const view = foldPage(events.slice(0, 3))
        expect(applyEvents(view, events.slice(1, 3))).toEqual({ gap: null })
        expect(applyEvents(view, events.slice(4))).toEqual({ gap: 4 })
        expect(plain(view)).toEqual(plain(foldPage(events.slice(0, 3))))
        expect(applyEvents(view, events)).toEqual({ gap: null })
        expect(plain(view)).toEqual(plain(foldPage(events)))
      }),
      { numRuns: 50 },
    )
  })

  it('refuses a page that does not join', () => {
    const events = fc.sample(log, 20).find((sample) => sample.length > 5) ?? []
    expect(() => prependView(foldPage(events.slice(0, 2)), foldPage(events.slice(3)))).toThrow(RangeError)
  })

  it('replaces an entry that changed and keeps the others', () => {
    const at = { threadId: 't', windowId: 'w', actorId: 'agent' as const, at: 1 }
    const started = (seq: number, id: string): ThreadEvent => ({
      ...at,
      seq,
      type: 'item.started',
      body: { item: message(id, '') },
    })
    const view = foldPage([started(1, 'a'), started(2, 'b')])
    const [a, b] = [view.items.get('a'), view.items.get('b')]
    applyEvents(view, [{ ...at, seq: 3, type: 'item.completed', body: { item: message('b', 'done') } }])
    expect(view.items.get('a')).toBe(a)
    expect(view.items.get('b')).not.toBe(b)
    expect(view.timeline.map((entry) => entry.key)).toEqual(['a', 'b'])
  })

  it('knows which commands still run', () => {
    const at = { threadId: 't', windowId: 'w', actorId: 'agent' as const, at: 1 }
    const started = (seq: number, commandId: string): ThreadEvent => ({
      ...at,
      seq,
      type: 'command.started',
      body: { commandId, itemId: 'i', command: 'sleep 9', mode: 'workspace-write', tty: false },
    })
    const exited: ThreadEvent = {
      ...at,
      seq: 3,
      type: 'command.exited',
      body: { commandId: 'a', itemId: 'i', status: 'exited', exitCode: 0, signal: null, bytes: 0 },
    }
    expect(runningCommands(foldPage([started(1, 'a'), started(2, 'b'), exited])).map((c) => c.id)).toEqual([
      'b',
    ])
  })
})

describe('text in flight', () => {
  const never = () => false

  it('is the same for any cut into pieces, with repeats', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        points,
        fc.boolean(),
        (text, at, output) => {
          const part = output ? 'output' : 'text'
          const live: LiveText = new Map()
          let offset = 0
          const deltas: ItemDelta[] = cut([...text], at).map((units) => {
            const piece = units.join('')
            const delta: ItemDelta = {
              type: 'item.delta',
              threadId: 't',
              itemId: 'i',
              part,
              offset,
              text: piece,
            }
            offset += output ? new TextEncoder().encode(piece).length : piece.length
            return output ? { ...delta, nextOffset: offset } : delta
          })
          for (const [index, delta] of deltas.entries()) {
            const repeated = deltas.slice(Math.max(0, index - 2), index)
            expect(applyDeltas(live, [...repeated, delta], never)).toBe(false)
          }
          expect(live.get(liveKey('i', part))?.text ?? '').toBe(text)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('notices a missing piece, and a draft heals it', () => {
    const live: LiveText = new Map()
    const piece = (offset: number, text: string): ItemDelta => ({
      type: 'item.delta',
      threadId: 't',
      itemId: 'i',
      part: 'text',
      offset,
      text,
    })
    expect(applyDeltas(live, [piece(0, 'ab'), piece(4, 'ef')], never)).toBe(true)
    applyDrafts(live, [{ itemId: 'i', part: 'text', offset: 0, text: 'abcdef' }], never)
    expect(applyDeltas(live, [piece(3, 'defgh')], never)).toBe(false)
    expect(live.get('i:text')?.text).toBe('abcdefgh')
  })

  it('drops late text of a finished item but goes on with its output', () => {
    const live: LiveText = new Map([
      ['i:text', { from: 0, to: 1, text: 'a' }],
      ['i:output', { from: 0, to: 1, text: 'a' }],
    ])
    const done: ThreadEvent = {
      threadId: 't',
      windowId: 'w',
      actorId: 'agent',
      at: 1,
      seq: 1,
      type: 'item.completed',
      body: { item: message('i', 'a') },
    }
    settle(live, [done])
    const delta = { type: 'item.delta', threadId: 't', itemId: 'i', offset: 1, text: 'b' } as const
    applyDeltas(
      live,
      [
        { ...delta, part: 'text' },
        { ...delta, part: 'output' },
      ],
      () => true,
    )
    expect([...live.keys()]).toEqual(['i:output'])
    expect(live.get('i:output')?.text).toBe('ab')
  })
})
