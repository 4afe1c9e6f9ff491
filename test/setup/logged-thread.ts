/** A thread whose log is written directly, for tests of what is read from it. */
import type { NewEvent, ThreadEvent } from '../../src/protocol/event.ts'
import { newId } from '../../src/protocol/ids.ts'
import type { Item, ToolCall, WindowReason } from '../../src/protocol/item.ts'
import type { Store } from '../../src/server/store/types.ts'
import { makeThread } from './store.ts'

export type LoggedThread = {
  threadId: string
  ownerId: string
  windowId: string
  /** Appends events; a completed item for each item given. */
  write(...given: (Item | NewEvent)[]): Promise<ThreadEvent[]>
  /** The window that later events bear, opened by an event. */
  openWindow(index: number, reason: WindowReason): Promise<string>
  remove(): Promise<void>
}

export const loggedThread = async (store: Store, threadOwner?: string): Promise<LoggedThread> => {
  const leaseOwner = newId('own')
  await store.leases.register({ ownerId: leaseOwner, installId: 'test', worker: leaseOwner })
  const thread = await makeThread(store, leaseOwner, threadOwner)
  const { threadId } = thread
  let head = 1
  let windowId = thread.state.windowId
  const isItem = (given: Item | NewEvent): given is Item => 'id' in given
  const write: LoggedThread['write'] = async (...given) => {
    const events = given.map((each): ThreadEvent => {
      head += 1
      const base = { threadId, seq: head, at: 1_800_000_000_000 + head * 1_000 }
      // An event may bring a time of its own.
      if (!isItem(each)) return { ...base, ...each } as ThreadEvent
      const body = { item: each }
      return { ...base, type: 'item.completed', windowId, itemId: each.id, actorId: 'agent', body }
    })
    const state = { ...thread.state, head }
    for (let from = 0; from < events.length; from += 1_000)
      await store.log.append(leaseOwner, [
        { threadId, fence: 1, events: events.slice(from, from + 1_000), state },
      ])
    return events
  }
  return {
    threadId,
    ownerId: thread.ownerId,
    get windowId() {
      return windowId
    },
    write,
    openWindow: async (index, reason) => {
      windowId = newId('win')
      const body = { index, reason, blocks: 1, tokens: 1 }
      await write({ type: 'window.opened', windowId, actorId: 'system', body })
      return windowId
    },
    remove: () => store.threads.remove(threadId, thread.ownerId),
  }
}

export const said = (text: string): Item => ({
  id: newId('itm'),
  type: 'agent_message',
  phase: 'final',
  text: { text },
})

export const asked = (text: string): Item => ({
  id: newId('itm'),
  type: 'user_message',
  actorId: 'system',
  content: [{ type: 'text', text }],
  via: 'start',
})

type Succeeded = Extract<ToolCall['state'], { status: 'succeeded' }>

export const called = (
  tool: string,
  input: unknown,
  output: string,
  more: Partial<Succeeded> = {},
): Item => ({
  id: newId('itm'),
  type: 'tool_call',
  callId: 'call_1',
  tool,
  arguments: { text: JSON.stringify(input) },
  state: {
    status: 'succeeded',
    startedAt: 1,
    endedAt: 2,
    output: { text: output },
    detail: { type: 'other' },
    ...more,
  },
})
