import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isTurnEnd, startTestRuntime, type TestRuntime, testUser } from '../../../test/setup/runtime.ts'
import { answers, calls, ends } from '../../../test/setup/scripted-provider.ts'
import type { ThreadEvent } from '../../protocol/event.ts'
import { applyEvents } from '../../protocol/fold.ts'
import { newId } from '../../protocol/ids.ts'
import type { LiveMessage } from '../../protocol/thread.ts'
import { emptyView } from '../../protocol/view.ts'

let test: TestRuntime
beforeEach(async () => {
  test = await startTestRuntime()
})
afterEach(async () => {
  await test?.close()
})

const types = (events: ThreadEvent[]) => events.map((event) => event.type)
const endsOf = (events: ThreadEvent[]) => events.filter(isTurnEnd)
const turnIdOf = (events: ThreadEvent[]) =>
  events.findLast((event) => event.type === 'turn.started')?.turnId ?? ''
const started = (event: ThreadEvent) => event.type === 'step.started'

/** The log has no hole, and folds to one view however it is read. */
const checkWhole = (events: ThreadEvent[]) => {
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1))
  expect(applyEvents(emptyView(), events).gap).toBeNull()
}

describe('a message', () => {
  it('becomes a turn, and the projection says what the log says', async () => {
    test.play([answers('Hello there.')])
    const threadId = await test.createThread()
    const receipt = await test.say(threadId, 'Hello, world!')
    expect(receipt.status).toBe('applied')
    const events = await test.until(threadId, isTurnEnd)
    checkWhole(events)
    const row = await test.store.threads.get(threadId)
    expect(row).toMatchObject({
      title: 'Hello, world!',
      status: 'idle',
      head: events.length,
      turns: 1,
      steps: 1,
      lastLine: 'Hello there.',
      lockedModel: { wire: 'openai-responses', family: 'test' },
    })
    const [step] = await test.store.windows.steps(threadId)
    expect(step).toMatchObject({ blockCount: (await test.store.windows.blocks(row.windowId)).length - 1 })
    expect(step?.end).toMatchObject({ status: 'completed' })
  })

  it('of any size leaves small events, and every byte can be read back', async () => {
    const words = '漢字"\\\n😀'.repeat(20_000)
    test.play([[...calls('c1', 'exec_command', { cmd: words }), ...ends('tool_calls')], answers(words)])
    const threadId = await test.createThread()
    test.sandbox(threadId).play(({ print }) => print(words))
    await test.say(threadId, words)
    const events = await test.until(threadId, isTurnEnd)
    for (const event of events)
      expect(Buffer.byteLength(JSON.stringify(event.body)), event.type).toBeLessThanOrEqual(8_192)
    const said = events.findLast(
      (event) => event.type === 'item.completed' && event.body.item.type === 'agent_message',
    )
    const item = said?.type === 'item.completed' ? said.body.item : null
    const blob = item?.type === 'agent_message' ? (item.text.blob ?? '') : ''
    expect(Buffer.from(await test.store.blobs.get(blob)).toString()).toBe(words)
    expect(await test.store.blobs.reachable(threadId, blob)).toBe(true)
  })

  it('sent twice under one id is one turn and one receipt', async () => {
    test.play([answers('Once.')])
    const threadId = await test.createThread()
    const op = { type: 'turn.start' as const, content: [{ type: 'text' as const, text: 'x' }] }
    const opId = newId('op')
    const receipts = await Promise.all([1, 2, 3].map(() => test.send(threadId, op, opId)))
    expect(new Set(receipts.map((receipt) => JSON.stringify(receipt))).size).toBe(1)
    await test.until(threadId, isTurnEnd)
    expect(await test.send(threadId, op, opId)).toEqual(receipts[0])
    await expect(
      test.send(threadId, { ...op, content: [{ type: 'text', text: 'y' }] }, opId),
    ).rejects.toMatchObject({ code: 'conflict' })
    expect(types(await test.events(threadId)).filter((type) => type === 'turn.started')).toHaveLength(1)
  })

  it('without a model, or into a closed thread, is refused with a next step', async () => {
    const threadId = await test.createThread({ model: null })
    expect(await test.say(threadId, 'x')).toMatchObject({
      status: 'refused',
      error: { code: 'model_not_found' },
    })
    await test.send(threadId, { type: 'thread.close' })
    expect(await test.say(threadId, 'x')).toMatchObject({ status: 'refused', error: { code: 'op_refused' } })
    expect((await test.store.threads.get(threadId)).status).toBe('closed')
  })
})

describe('while a turn runs', () => {
  it('messages wait in order, can be edited, moved and cancelled, and run one after the other', async () => {
    const gate = Promise.withResolvers<void>()
    test.play([[gate.promise, ...answers('First.')], answers('Next.')])
    const threadId = await test.createThread()
    await test.say(threadId, 'one')
    await test.until(threadId, started)
    const ids = [newId('op'), newId('op'), newId('op')] as const
    for (const [index, opId] of ids.entries()) {
      const content = [{ type: 'text' as const, text: `queued ${index}` }]
      expect(await test.send(threadId, { type: 'turn.start', content }, opId)).toMatchObject({
        status: 'queued',
      })
    }
    const edited = [{ type: 'text' as const, text: 'edited' }]
    await test.send(threadId, { type: 'queue.edit', opId: ids[0], content: edited })
    await test.send(threadId, { type: 'queue.move', opId: ids[2], before: ids[0] })
    await test.send(threadId, { type: 'queue.cancel', opId: ids[1] })
    expect((await test.runtime.queue(threadId)).map((entry) => entry.opId)).toEqual([ids[2], ids[0]])
    gate.resolve()
    const events = await test.until(threadId, (_, all) => endsOf(all).length === 3)
    checkWhole(events)
    const said = events.flatMap((event) =>
      event.type === 'item.completed' && event.body.item.type === 'user_message'
        ? event.body.item.content.map((part) => (part.type === 'text' ? part.text : ''))
        : [],
    )
    expect(said).toEqual(['one', 'queued 2', 'edited'])
    expect((await test.store.threads.get(threadId)).queued).toBe(0)
  })

  it('a steer is read before the next request; one that comes too late becomes the next message', async () => {
    const gate = Promise.withResolvers<void>()
    test.play([
      [gate.promise, ...calls('c1', 'exec_command', { cmd: 'echo hi' }), ...ends('tool_calls')],
      answers('Steered.'),
    ])
    const threadId = await test.createThread()
    await test.say(threadId, 'go')
    const turnId = turnIdOf(await test.until(threadId, started))
    const steer = (text: string) =>
      test.send(threadId, { type: 'turn.steer', expectedTurnId: turnId, content: [{ type: 'text', text }] })
    expect(await steer('left')).toMatchObject({ status: 'queued' })
    gate.resolve()
    await test.until(threadId, isTurnEnd)
    expect(test.bodies.at(-1)).toContain('left')
    expect(await steer('late')).toMatchObject({ status: 'refused', error: { code: 'turn_mismatch' } })
    expect(await test.store.ops.pending(threadId)).toEqual([])
  })

  it('a stop ends the turn, and what waited goes on', async () => {
    test.play([[new Promise(() => {})], answers('After.')])
    const threadId = await test.createThread()
    await test.say(threadId, 'forever')
    const turnId = turnIdOf(await test.until(threadId, started))
    await test.say(threadId, 'waiting')
    expect(await test.send(threadId, { type: 'turn.interrupt', turnId })).toMatchObject({
      status: 'accepted',
    })
    const events = await test.until(threadId, (event) => event.type === 'turn.completed')
    expect(types(events)).toContain('turn.interrupted')
    expect(await test.send(threadId, { type: 'turn.interrupt', turnId })).toMatchObject({
      status: 'refused',
      error: { code: 'turn_mismatch' },
    })
    expect(await test.store.ops.pending(threadId)).toEqual([])
  })

  it('a question waits for its answer', async () => {
    const questions = [{ id: 'q', header: 'Colour', question: 'Which colour?', options: [] }]
    test.play([
      [...calls('c1', 'request_user_input', { questions }), ...ends('tool_calls')],
      answers('Blue it is.'),
    ])
    const threadId = await test.createThread()
    await test.say(threadId, 'ask me')
    const asked = (event: ThreadEvent) => event.type === 'input.requested'
    const itemId = (await test.until(threadId, asked)).find(asked)?.itemId ?? ''
    expect((await test.store.threads.get(threadId)).status).toBe('waiting_for_person')
    await test.send(threadId, { type: 'input.answer', itemId, answers: { q: ['blue'] } })
    await test.until(threadId, isTurnEnd)
    expect(test.bodies.at(-1)).toContain('blue')
    expect(await test.store.ops.pending(threadId)).toEqual([])
  })
})

describe('a defect of our own', () => {
  it('before a turn refuses its message, within a turn fails it, and the thread goes on', async () => {
    await test.close()
    const faults = { turn: true, step: false }
    test = await startTestRuntime({
      interceptors: [
        {
          turn: async (_, next) => {
            if (faults.turn) throw new Error('planted')
            const outcome = await next()
            return outcome
          },
        },
        {
          step: async (_, next) => {
            const value = await next()
            if (faults.step) throw new Error('planted')
            return value
          },
        },
      ],
    })
    test.play([answers('Fine.')])
    const threadId = await test.createThread()
    expect(await test.say(threadId, 'one')).toMatchObject({ status: 'refused', error: { code: 'internal' } })
    faults.turn = false
    faults.step = true
    expect(await test.say(threadId, 'two')).toMatchObject({ status: 'applied' })
    const events = await test.until(threadId, isTurnEnd)
    expect(events.findLast(isTurnEnd)?.type).toBe('turn.failed')
    faults.step = false
    await test.say(threadId, 'three')
    await test.until(threadId, (event) => event.type === 'turn.completed')
    expect(await test.store.ops.pending(threadId)).toEqual([])
    expect((await test.store.threads.get(threadId)).status).toBe('idle')
  })
})

describe('a thread at rest', () => {
  it('leaves memory, and comes back where it was', async () => {
    await test.close()
    test = await startTestRuntime({ idleMs: 50 })
    test.play([answers('First.')])
    const threadId = await test.createThread()
    await test.say(threadId, 'one')
    await test.until(threadId, isTurnEnd)
    await expect.poll(async () => (await test.runtime.health()).threads, { timeout: 60_000 }).toBe(0)
    test.play([answers('Second.')])
    await test.say(threadId, 'two')
    const events = await test.until(threadId, (_, all) => endsOf(all).length === 2)
    checkWhole(events)
    // The window is the same: the first turn's words lead the second's.
    expect(test.bodies.at(-1)).toContain('First.')
    expect(types(events).filter((type) => type === 'window.opened')).toHaveLength(1)
    expect(types(events)).not.toContain('server.restarted')
  })
})

describe('a sandbox', () => {
  it('tells what happens to it, also when its thread has left memory', async () => {
    await test.close()
    test = await startTestRuntime({ idleMs: 50 })
    test.play([[...calls('c1', 'exec_command', { cmd: 'echo hi' }), ...ends('tool_calls')], answers('Done.')])
    const threadId = await test.createThread()
    await test.say(threadId, 'one')
    await test.until(threadId, isTurnEnd)
    const sandboxId = newId('sbx')
    test.news(threadId, { type: 'ready', sandboxId, fromPool: true, durationMs: 1.5 })
    await test.until(threadId, (event) => event.type === 'sandbox.ready')
    await expect.poll(async () => (await test.runtime.health()).threads, { timeout: 60_000 }).toBe(0)
    for (let times = 0; times < 2; times += 1)
      test.news(threadId, { type: 'stopped', sandboxId, why: 'idle' })
    const events = await test.until(threadId, (event) => event.type === 'sandbox.stopped')
    checkWhole(events)
    expect((await test.store.threads.get(threadId)).sandbox).toBe('stopped')
    await expect.poll(async () => (await test.runtime.health()).threads, { timeout: 60_000 }).toBe(0)
    expect(types(await test.events(threadId)).filter((type) => type === 'sandbox.stopped')).toHaveLength(1)
  })
})

describe('a background command', () => {
  it('is told when it ends, with its output, and can be typed to and killed', async () => {
    test.play([
      [...calls('c1', 'exec_command', { cmd: 'server', yield_time_ms: 250 }), ...ends('tool_calls')],
      answers('It runs.'),
    ])
    const threadId = await test.createThread()
    test.sandbox(threadId).play(async ({ print, more, typed, signal }) => {
      print('up\n')
      while (!signal.aborted && !typed().includes('quit')) await more()
      print('down\n')
    })
    await test.say(threadId, 'start it')
    const events = await test.until(threadId, isTurnEnd)
    const command = events.find((event) => event.type === 'command.started')
    const commandId = command?.type === 'command.started' ? command.body.commandId : ''
    expect(types(events)).not.toContain('command.exited')
    const live = await test.runtime.commandOutput(threadId, commandId, 0, 1_000)
    expect({ ...live, bytes: Buffer.from(live.bytes).toString() }).toMatchObject({
      bytes: 'up\n',
      done: false,
    })
    await test.send(threadId, { type: 'command.input', commandId, text: 'quit' })
    await test.until(threadId, (event) => event.type === 'command.exited')
    const after = await test.runtime.commandOutput(threadId, commandId, 3, 1_000)
    expect({ ...after, bytes: Buffer.from(after.bytes).toString() }).toEqual({
      bytes: 'down\n',
      from: 3,
      total: 8,
      done: true,
    })
  })
})

describe('a reader', () => {
  it('gets what it missed, then all that comes, once and in order', async () => {
    test.play([answers('Hello.')])
    const threadId = await test.createThread()
    await test.say(threadId, 'one')
    await test.until(threadId, isTurnEnd)
    const stop = new AbortController()
    const got: LiveMessage[] = []
    const reading = (async () => {
      for await (const message of test.runtime.subscribe(threadId, 2, stop.signal)) got.push(message)
    })()
    await test.say(threadId, 'two')
    const all = await test.until(threadId, (_, every) => endsOf(every).length === 2)
    const seqs = () =>
      got.flatMap((message) => (message.type === 'events' ? message.events : [])).map(({ seq }) => seq)
    await expect.poll(() => seqs().at(-1), { timeout: 60_000 }).toBe(all.length)
    stop.abort()
    await reading
    expect(seqs()).toEqual(all.map(({ seq }) => seq).filter((seq) => seq > 2))
    expect(got[0]).toMatchObject({ type: 'ready' })
    const text = got
      .flatMap((message) => (message.type === 'deltas' ? message.deltas : []))
      .map((d) => d.text)
    expect(text.join('')).toContain('Hello.')
  })

  it('of the list hears of changes and removals', async () => {
    const stop = new AbortController()
    const heard: string[] = []
    const reading = (async () => {
      for await (const change of test.runtime.subscribeList(stop.signal))
        heard.push(
          change.type === 'upsert' ? `${change.projection.title} ${change.projection.status}` : 'removed',
        )
    })()
    const threadId = await test.createThread()
    await test.store.threads.rename(threadId, 'Mine', testUser)
    await expect.poll(() => heard.at(-1), { timeout: 60_000 }).toBe('Mine idle')
    await test.runtime.deleteThread(threadId, testUser)
    await expect.poll(() => heard.at(-1), { timeout: 60_000 }).toBe('removed')
    stop.abort()
    await reading
    await expect(test.store.threads.get(threadId)).rejects.toMatchObject({ code: 'not_found' })
  })
})
