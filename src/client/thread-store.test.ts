// An open thread against a server that loses, repeats and delays: what is on the screen equals the log.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ThreadEvent } from '../protocol/event.ts'
import type { OpRequest } from '../protocol/op.ts'
import type { LiveMessage } from '../protocol/thread.ts'

type Wire = {
  after: number
  onData(message: LiveMessage | { id: string; data: LiveMessage }): void
  open: boolean
}

const server = vi.hoisted(() => ({
  log: [] as unknown[],
  wires: [] as unknown[],
  drafts: [] as unknown[],
  draftsAsked: 0,
  submitted: [] as unknown[],
  answer: (() => ({ status: 'accepted' })) as (request: unknown) => unknown,
}))

vi.mock('./api.ts', () => ({
  factOf: (error: Error) => ({ code: 'internal', message: error.message, next: 'Try again.' }),
  shownFact: (fact: unknown) => fact,
  api: {
    sharing: { live: { subscribe: () => ({ unsubscribe: () => undefined }) } },
    thread: {
      get: { query: async () => ({ id: 'thr', head: server.log.length }) },
      page: {
        query: async ({ before, limit }: { before: number | null; limit: number }) => {
          const end = before === null ? server.log.length : before - 1
          const start = Math.max(0, end - limit)
          return {
            events: server.log.slice(start, end),
            before: start > 0 ? start + 1 : null,
            head: server.log.length,
          }
        },
      },
      live: {
        subscribe: ({ after }: { after: number }, { onData }: Pick<Wire, 'onData'>) => {
          const wire: Wire = { after, onData, open: true }
          server.wires.push(wire)
          return {
            unsubscribe: () => {
              wire.open = false
            },
          }
        },
      },
      drafts: {
        query: async () => {
          server.draftsAsked += 1
          return server.drafts
        },
      },
      submit: {
        mutate: async (request: OpRequest) => {
          server.submitted.push(request)
          return server.answer(request)
        },
      },
    },
  },
}))

const { createThreadStore } = await import('./thread-store.ts')

const wires = (): Wire[] => server.wires as Wire[]
const wire = (): Wire => {
  const last = wires().at(-1)
  if (!last) throw new Error('nobody subscribed')
  return last
}
const said = (seq: number): ThreadEvent => ({
  threadId: 'thr',
  windowId: 'win',
  actorId: 'agent',
  at: seq,
  seq,
  type: 'item.completed',
  body: { item: { id: `itm_${seq}`, type: 'agent_message', phase: 'final', text: { text: `${seq}` } } },
})
const delta = (offset: number, text: string): LiveMessage => ({
  type: 'deltas',
  deltas: [{ type: 'item.delta', threadId: 'thr', itemId: 'itm_live', part: 'text', offset, text }],
})
const opened = async (events: number) => {
  server.log = Array.from({ length: events }, (_, index) => said(index + 1))
  const store = createThreadStore('thr')
  const close = store.open()
  await vi.waitFor(() => expect(store.getState().phase).toBe('open'))
  return { store, close }
}

beforeEach(() => {
  const kept = new Map<string, string>()
  vi.stubGlobal('document', { hidden: true })
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  })
  Object.assign(server, {
    log: [],
    wires: [],
    drafts: [],
    draftsAsked: 0,
    submitted: [],
    answer: () => ({ status: 'accepted' }),
  })
})
afterEach(() => vi.unstubAllGlobals())

describe('an open thread', () => {
  it('opens with the newest page, subscribes after it, and puts older pages in front', async () => {
    const { store, close } = await opened(350)
    expect(store.getState().view.firstSeq).toBe(151)
    expect(wire().after).toBe(350)
    wire().onData({ id: '351', data: { type: 'events', events: [said(351)] } })
    await store.loadOlder()
    const { view, before } = store.getState()
    expect([view.firstSeq, view.lastSeq, view.items.size, before]).toEqual([1, 351, 351, null])
    close()
    expect(wire().open).toBe(false)
  })

  it('subscribes anew when an event is missing, and takes repeats once', async () => {
    const { store } = await opened(3)
    wire().onData({ type: 'events', events: [said(4), said(6)] })
    expect(wires().map(({ after, open }) => [after, open])).toEqual([
      [3, false],
      [4, true],
    ])
    wire().onData({ type: 'events', events: [said(4), said(5), said(6)] })
    expect(store.getState().view.timeline.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('asks for the drafts when a piece of text is missing', async () => {
    const { store } = await opened(1)
    wire().onData(delta(0, 'one '))
    server.drafts = [{ itemId: 'itm_live', part: 'text', offset: 0, text: 'one two three' }]
    wire().onData(delta(8, 'three'))
    await vi.waitFor(() => expect(store.getState().live.get('itm_live:text')?.text).toBe('one two three'))
    expect(server.draftsAsked).toBe(1)
    wire().onData(delta(13, '!'))
    expect(store.getState().live.get('itm_live:text')?.text).toBe('one two three!')
  })

  it('keeps a message until the server has it, over a reload too', async () => {
    server.answer = () => {
      throw new Error('the cable is cut')
    }
    const first = await opened(1)
    await first.store.submit({ type: 'turn.start', content: [{ type: 'text', text: 'hello' }] })
    expect(first.store.getState().pending).toMatchObject([{ status: 'failed' }])
    first.close()

    server.answer = () => ({ status: 'accepted' })
    const second = await opened(1)
    await vi.waitFor(() => expect(server.submitted.length).toBe(2))
    const [before, after] = server.submitted as OpRequest[]
    expect(after).toEqual(before)

    const opId = before?.clientId ?? ''
    wire().onData({
      type: 'events',
      events: [
        {
          ...said(2),
          body: {
            item: {
              id: 'itm_u',
              type: 'user_message',
              opId,
              actorId: 'system',
              content: [{ type: 'text', text: 'hello' }],
              via: 'start',
            },
          },
        } as ThreadEvent,
      ],
    })
    expect(second.store.getState().pending).toEqual([])
  })

  it('shows why a message was refused, and sends it again as a new one', async () => {
    const { store } = await opened(1)
    const error = { code: 'too_large', message: 'It is too large.', next: 'Send less.' }
    server.answer = () => ({ status: 'refused', error })
    await store.submit({ type: 'turn.start', content: [{ type: 'text', text: 'much' }] })
    const [refused] = store.getState().pending
    expect(refused).toMatchObject({ status: 'refused', error })
    server.answer = () => ({ status: 'accepted' })
    store.again(refused?.clientId ?? '')
    await vi.waitFor(() => expect(store.getState().pending).toMatchObject([{ status: 'accepted' }]))
    const [first, second] = server.submitted as OpRequest[]
    expect(second?.clientId).not.toBe(first?.clientId)
  })

  it('makes words that come too late for a turn the next message', async () => {
    const { store } = await opened(1)
    const error = { code: 'turn_mismatch', message: 'That turn is over.', next: 'Send it anew.' }
    server.answer = (request) =>
      (request as OpRequest).op.type === 'turn.steer' ? { status: 'refused', error } : { status: 'accepted' }
    const content = [{ type: 'text' as const, text: 'left' }]
    await store.submit({ type: 'turn.steer', content, expectedTurnId: 'trn_1' })
    expect((server.submitted as OpRequest[]).map(({ op }) => op)).toMatchObject([
      { type: 'turn.steer' },
      { type: 'turn.start', content },
    ])
    expect(store.getState().pending).toMatchObject([{ status: 'accepted' }])
  })
})
