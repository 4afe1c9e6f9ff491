import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeThread, openTestStore, type TestStore } from '../../../test/setup/store.ts'
import type { ThreadEvent } from '../../protocol/event.ts'
import { newId } from '../../protocol/ids.ts'
import { createBus } from '../runtime/bus.ts'
import { follow } from '../runtime/live.ts'

let test: TestStore
/** What an answer may weigh. */
const most = 1_000_000
const windows = 60

beforeAll(async () => {
  test = await openTestStore()
})
afterAll(async () => {
  await test?.close()
})

/** A thread of many windows, each of which was opened with much to say. */
const longThread = async (): Promise<{ threadId: string; opened: ThreadEvent[] }> => {
  const ownerId = newId('own')
  await test.store.leases.register({ ownerId, installId: 'test', worker: ownerId })
  const thread = await makeThread(test.store, ownerId)
  const opened = Array.from({ length: windows }, (_, at): ThreadEvent => {
    const body = {
      index: at + 1,
      reason: 'budget' as const,
      blocks: 1,
      tokens: 1,
      rules: [{ path: `${at}/${'字'.repeat(18_000)}`, sha256: '0'.repeat(64), bytes: 1 }],
    }
    return {
      threadId: thread.threadId,
      seq: at + 2,
      type: 'window.opened',
      windowId: newId('win'),
      actorId: 'system',
      at: 1_800_000_000_000 + at,
      body,
    } as unknown as ThreadEvent
  })
  await test.store.log.append(ownerId, [
    {
      threadId: thread.threadId,
      fence: 1,
      events: opened,
      state: { ...thread.state, head: windows + 1 },
    },
  ])
  return { threadId: thread.threadId, opened }
}

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

it('no answer about windows, no page and no message of the live stream is larger than an answer may be', async () => {
  const { threadId, opened } = await longThread()
  expect(bytes(opened)).toBeGreaterThan(3 * most)

  const told: ThreadEvent[] = []
  for (let after: number | null = 1; after !== null; ) {
    const page = await test.store.log.windows(threadId, { windowId: null, after })
    expect(bytes(page)).toBeLessThan(most)
    told.push(...page.events)
    after = page.next
  }
  expect(told).toEqual(opened)

  const read: ThreadEvent[] = []
  for (let before: number | null = null; ; ) {
    const page = await test.store.log.page(threadId, before, 500)
    expect(bytes(page)).toBeLessThan(most)
    read.unshift(...page.events)
    before = page.before
    if (before === null) break
  }
  expect(read.slice(1)).toEqual(opened)

  const end = new AbortController()
  const heard: ThreadEvent[] = []
  const { log } = test.store
  const deps = { bus: createBus(), log, drafts: async () => [] }
  for await (const message of follow(deps, threadId, 1, end.signal)) {
    expect(bytes(message)).toBeLessThan(most)
    if (message.type === 'events') heard.push(...message.events)
    if (heard.length === opened.length) break
  }
  end.abort()
  expect(heard).toEqual(opened)
})

it('one window is told of alone', async () => {
  const { threadId, opened } = await longThread()
  const [, second] = opened
  const found = await test.store.log.windows(threadId, { windowId: second?.windowId ?? '', after: 0 })
  expect(found).toEqual({ events: [second], next: null })
})
