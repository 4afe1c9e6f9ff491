// Imports on a real database: threads that viewer, search and export find whole; nothing of what failed or died.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestStore, type TestStore } from '../../../../test/setup/store.ts'
import type { ThreadEvent } from '../../../protocol/event.ts'
import { newId } from '../../../protocol/ids.ts'
import { createLog } from '../../log.ts'
import { firstState } from '../../runtime/new-thread.ts'
import { nextState } from '../../runtime/thread-state.ts'
import { createImporter, type Importer } from './importer.ts'

const person = newId('usr')
const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString()

const codexLines = (calls: number): string[] => [
  JSON.stringify({
    timestamp: at(0),
    type: 'session_meta',
    payload: { id: 'a', originator: 'codex_cli', cli_version: '1.2.3' },
  }),
  JSON.stringify({ timestamp: at(1), type: 'turn_context', payload: { model: 'gpt-test' } }),
  JSON.stringify({
    timestamp: at(2),
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Mend the test' }] },
  }),
  ...Array.from({ length: calls }, (_, n) => [
    JSON.stringify({
      timestamp: at(3),
      type: 'response_item',
      payload: {
        type: 'function_call',
        name: 'exec_command',
        arguments: `{"cmd":"echo ${n}"}`,
        call_id: `c${n}`,
      },
    }),
    JSON.stringify({
      timestamp: at(4),
      type: 'response_item',
      payload: { type: 'function_call_output', call_id: `c${n}`, output: 'x'.repeat(n === 0 ? 20_000 : 10) },
    }),
  ]).flat(),
  JSON.stringify({
    timestamp: at(5),
    type: 'response_item',
    payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
  }),
]

async function* chunks(text: string, size = 65_536): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

describe('imports', () => {
  let testStore: TestStore
  let projectId: string
  let owner: string
  let importer: Importer

  const makeImporter = (): Importer =>
    createImporter({
      store: testStore.store,
      ownerId: () => owner,
      firstState,
      nextState,
      log: createLog('error', () => undefined),
    })
  const give = (text: string, importId?: string) =>
    importer.run({
      source: chunks(text),
      fileName: '/home/me/rollout.jsonl',
      bytes: null,
      projectId,
      actorId: person,
      ...(importId === undefined ? {} : { importId }),
    })
  const events = (threadId: string): Promise<ThreadEvent[]> => testStore.store.log.after(threadId, 0, 10_000)

  beforeAll(async () => {
    testStore = await openTestStore()
    owner = newId('own')
    await testStore.store.leases.register({ ownerId: owner, installId: 'test', worker: 'main' })
    projectId = (await testStore.store.projects.create({ name: 'Imports' }, person)).id
    importer = makeImporter()
  }, 120_000)
  afterAll(() => testStore?.close())

  it('make a thread with its log, window, blocks, steps and blobs', async () => {
    const state = await give(`${codexLines(3).join('\n')}\n`)
    expect(state).toMatchObject({ status: 'done', fileName: 'rollout.jsonl', error: null })
    const [threadId = ''] = state.threadIds
    const { store } = testStore
    const thread = await store.threads.get(threadId)
    expect(thread).toMatchObject({
      title: 'Mend the test',
      ownerId: person,
      projectId,
      status: 'idle',
      turns: 1,
      lastLine: 'Done.',
      createdAt: Date.parse(at(0)),
    })
    const log = await events(threadId)
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, n) => n + 1))
    expect(log.slice(0, 2).map(({ type }) => type)).toEqual(['thread.created', 'rollout.imported'])
    expect(thread.head).toBe(log.length)
    // Its viewer has nothing left to make.
    expect(await store.rollouts.mark(threadId)).toMatchObject({ seq: log.length, head: log.length })
    const call = log.find(
      (event) => event.type === 'item.completed' && event.body.item.type === 'tool_call',
    ) as Extract<ThreadEvent, { type: 'item.completed' }>
    const { state: end } = call.body.item as Extract<typeof call.body.item, { type: 'tool_call' }>
    const blob = end.status === 'succeeded' ? end.output.blob : undefined
    expect((await store.blobs.get(blob ?? '')).byteLength).toBe(20_000)
    expect(await store.blobs.reachable(threadId, blob ?? '')).toBe(true)
    const blocks = await store.windows.blocks(thread.windowId)
    expect(blocks.map(({ kind }) => kind)).toEqual([
      'user',
      ...['tool_call', 'tool_result', 'tool_call', 'tool_result', 'tool_call', 'tool_result'],
      'assistant',
    ])
    expect(
      (await store.windows.steps(threadId)).every(({ end: ended }) => ended?.status === 'completed'),
    ).toBe(true)
    expect(await store.threads.origin(threadId)).toMatchObject({
      format: 'codex',
      program: 'codex_cli 1.2.3',
    })
    expect(await importer.state(state.importId, person)).toMatchObject({
      status: 'done',
      threadIds: [threadId],
    })
  })

  it('twice are two threads', async () => {
    const text = codexLines(1).join('\n')
    const [first, second] = await Promise.all([give(text), give(text)])
    expect(first.threadIds[0]).not.toBe(second.threadIds[0])
    expect((await events(first.threadIds[0] ?? '')).length).toBe(
      (await events(second.threadIds[0] ?? '')).length,
    )
  })

  it('of what is no rollout say so and leave nothing', async () => {
    const before = (await testStore.store.threads.list({ ownerId: person })).length
    for (const text of [
      '',
      'hello, this is a letter\nto you',
      '{"a":1}\n{"b":2}\n',
      '\u0000\u0001\u0002binary',
    ]) {
      const state = await give(text)
      expect(state).toMatchObject({ status: 'failed', error: { code: 'import_rejected' }, threadIds: [] })
    }
    expect((await testStore.store.threads.list({ ownerId: person })).length).toBe(before)
  })

  it('show no thread before they are done, and leave none when they are stopped', async () => {
    const importId = newId('imp')
    const { promise: held, resolve } = Promise.withResolvers<void>()
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield* chunks(`${codexLines(900).join('\n')}\n`)
      await held
      yield* chunks(`${codexLines(1).join('\n')}\n`)
    }
    const running = importer.run({
      importId,
      source: slow(),
      fileName: 'x',
      bytes: 5,
      projectId,
      actorId: person,
    })
    let hidden: string[] = []
    while (hidden.length === 0) {
      hidden = await testStore.store.imports.hidden(importId)
      await new Promise((done) => setTimeout(done, 20))
    }
    const [threadId = ''] = hidden
    await expect(testStore.store.threads.get(threadId)).rejects.toMatchObject({ code: 'not_found' })
    expect(await importer.state(importId, person)).toMatchObject({ status: 'running', bytes: 5 })
    await expect(importer.state(importId, newId('usr'))).rejects.toMatchObject({ code: 'not_found' })
    await expect(importer.cancel(importId, newId('usr'))).rejects.toMatchObject({ code: 'not_found' })
    const cancelled = importer.cancel(importId, person)
    resolve()
    await cancelled
    expect(await running).toMatchObject({ status: 'failed', error: { code: 'import_rejected' } })
    expect(await testStore.store.imports.hidden(importId)).toEqual([])
    expect(await events(threadId)).toEqual([])
  })

  it('end at once when they are stopped while nothing comes, and do not keep others waiting', async () => {
    const never = new Promise<void>(() => undefined)
    async function* stalled(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(codexLines(1)[0] ?? '')
      await never
    }
    const stall = (importId: string, actorId = person) =>
      importer.run({ importId, source: stalled(), fileName: 'x', bytes: null, projectId, actorId })
    const others = [newId('usr'), newId('usr')]
    const asked: { id: string; who: string; waitsFor: 'own' | 'others' | null }[] = [
      { id: newId('imp'), who: person, waitsFor: null },
      // Somebody who has a file under way takes no second place.
      { id: newId('imp'), who: person, waitsFor: 'own' },
      { id: newId('imp'), who: others[0] ?? '', waitsFor: null },
      { id: newId('imp'), who: others[1] ?? '', waitsFor: 'others' },
    ]
    const all: Promise<unknown>[] = []
    for (const { id, who, waitsFor } of asked) {
      all.push(stall(id, who))
      await expect
        .poll(() => importer.state(id, who).catch(() => null), { timeout: 60_000 })
        .toMatchObject({ status: 'running', waitsFor, readBytes: waitsFor === null ? expect.any(Number) : 0 })
    }
    // Two are being read, two wait for their turn: both kinds go when they are told to.
    for (const { id, who } of asked.toReversed()) await importer.cancel(id, who)
    for (const state of await Promise.all(all))
      expect(state).toMatchObject({ status: 'failed', error: { code: 'import_rejected' } })
    expect(await give(`${codexLines(1).join('\n')}\n`)).toMatchObject({ status: 'done' })
  })

  it('of one person wait in a line that has an end, and all of it is read', async () => {
    const held = Promise.withResolvers<void>()
    async function* slow(): AsyncGenerator<Uint8Array> {
      await held.promise
      yield* chunks(`${codexLines(1).join('\n')}\n`)
    }
    const who = newId('usr')
    const ask = () => importer.run({ source: slow(), fileName: 'x', bytes: null, projectId, actorId: who })
    const running: Promise<unknown>[] = []
    for (let n = 0; n < 21; n += 1) {
      running.push(ask())
      await expect.poll(async () => (await importer.list(who)).length, { timeout: 60_000 }).toBe(n + 1)
    }
    await expect
      .poll(() =>
        ask().then(
          () => null,
          (fault: { code: string }) => fault.code,
        ),
      )
      .toBe('rate_limited')
    held.resolve()
    for (const state of await Promise.all(running)) expect(state).toMatchObject({ status: 'done' })
    expect(await give(`${codexLines(1).join('\n')}\n`)).toMatchObject({ status: 'done' })
  })

  it('are given up when hardly anything comes', async () => {
    const impatient = createImporter({
      store: testStore.store,
      ownerId: () => owner,
      firstState,
      nextState,
      log: createLog('error', () => undefined),
      upload: { patienceMs: 100, leastBytes: 1_000_000 },
    })
    async function* drops(): AsyncGenerator<Uint8Array> {
      for (const char of codexLines(500).join('\n')) {
        await new Promise((done) => setTimeout(done, 5))
        yield Buffer.from(char)
      }
    }
    const slow = { source: drops(), fileName: 'x', bytes: null, projectId, actorId: person }
    expect(await impatient.run(slow)).toMatchObject({
      status: 'failed',
      threadIds: [],
      error: { code: 'import_rejected', next: expect.stringContaining('better line') },
    })
  })

  it('with NUL and halves of surrogate pairs leave lists, queue and history to be read', async () => {
    const odd = 'odd \u0000 and \ud800 end'
    const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: odd }] }
    const lines = [
      ...codexLines(1),
      JSON.stringify({ timestamp: at(6), type: 'response_item', payload: said }),
    ]
    lines[0] = (lines[0] ?? '').replace('codex_cli', 'codex\\u0000cli')
    const [threadId = ''] = (await give(`${lines.join('\n')}\n`)).threadIds
    const { store } = testStore
    const read = await store.history.items(
      threadId,
      { role: 'assistant' },
      { limit: 1, recentFirst: true, cursor: null },
    )
    expect(read.map(({ item }) => item)).toMatchObject([{ type: 'agent_message', text: { text: odd } }])
    expect(await store.history.lastCall(threadId, ['exec_command'])).toMatchObject({
      item: { type: 'tool_call' },
    })
    expect((await store.history.windows(threadId)).length).toBeGreaterThan(0)
    expect(await store.log.openCommands(threadId)).toEqual([])
    const list = await store.rollouts.list({ visibleTo: person, after: null, limit: 100 })
    expect(list.map((line) => line.threadId)).toContain(threadId)
    // What was read in from a file asks nobody to review it, until somebody says something of it.
    const queue = async () =>
      (await store.reviews.queue({ heap: 'to_review', actorId: person, limit: 100 })).lines.map(
        (line) => line.threadId,
      )
    expect(await queue()).toEqual([])
    expect(await store.reviews.reviewedTurns(person)).toMatchObject({ [threadId]: 1 })
    const on = read[0]?.item.id ?? ''
    await store.reviews.comment({
      commentId: newId('cmt'),
      threadId,
      authorId: newId('usr'),
      text: 'look at this',
      on: { itemId: on },
    })
    expect(await queue()).toEqual([threadId])
    expect(await store.reviews.reviewedTurns(person)).not.toHaveProperty(threadId)
  })

  it('that died with their server are failed at the next start, and their threads are gone', async () => {
    const importId = newId('imp')
    const dead = newId('own')
    await testStore.store.leases.register({ ownerId: dead, installId: 'test', worker: 'main' })
    const { promise: never } = Promise.withResolvers<void>()
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield* chunks(`${codexLines(900).join('\n')}\n`)
      await never
    }
    const old = createImporter({
      store: testStore.store,
      ownerId: () => dead,
      firstState,
      nextState,
      log: createLog('error', () => undefined),
    })
    void old.run({ importId, source: endless(), fileName: 'x', bytes: null, projectId, actorId: person })
    let hidden: string[] = []
    while (hidden.length === 0) {
      hidden = await testStore.store.imports.hidden(importId)
      await new Promise((done) => setTimeout(done, 20))
    }
    // A thread that is being read is nobody's to go on with.
    expect((await testStore.store.leases.unfinished(dead)).map(({ threadId }) => threadId)).toEqual([])
    await testStore.store.leases.takePredecessors({ ownerId: owner, installId: 'test', worker: 'main' })
    await makeImporter().recover()
    const state = await makeImporter().state(importId, person)
    expect(state).toMatchObject({
      status: 'failed',
      error: { next: 'Import the file again.' },
      threadIds: [],
    })
    expect(await testStore.store.imports.hidden(importId)).toEqual([])
    expect(await events(hidden[0] ?? '')).toEqual([])
  })
})
