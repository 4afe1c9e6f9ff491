import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isTurnEnd, startTestRuntime, type TestRuntime, testUser } from '../../../test/setup/runtime.ts'
import { answers, calls, ends } from '../../../test/setup/scripted-provider.ts'
import type { ThreadEvent } from '../../protocol/event.ts'
import { newId } from '../../protocol/ids.ts'

let test: TestRuntime
beforeEach(async () => {
  test = await startTestRuntime()
})
afterEach(async () => {
  await test?.close()
})

const never = () => new Promise<void>(() => {})
const count = (events: ThreadEvent[], type: ThreadEvent['type']) =>
  events.filter((event) => event.type === type).length
const turnIdOf = (events: ThreadEvent[]) =>
  events.findLast((event) => event.type === 'turn.started')?.turnId ?? ''
const started = (event: ThreadEvent) => event.type === 'step.started'
const wholeLog = async (threadId: string) => {
  const events = await test.events(threadId)
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1))
  return events
}
const ways = ['crash', 'stop'] as const

describe.each(ways)('after a %s', (way) => {
  it('a turn in the middle of an answer goes on, and the thread says so', async () => {
    test.play([
      [
        { type: 'item.started', item: 0, kind: 'assistant' },
        { type: 'text.delta', item: 0, text: 'Half' },
        never(),
      ],
    ])
    const threadId = await test.createThread()
    await test.say(threadId, 'write')
    await test.until(threadId, (event) => event.type === 'item.started')
    test.play([answers('Whole.')])
    await test.restart(way)
    const events = await test.until(threadId, isTurnEnd)
    expect(count(events, 'turn.started')).toBe(1)
    expect(count(events, 'server.restarted')).toBe(1)
    expect(events.at(-1)?.type).toBe('turn.completed')
    await wholeLog(threadId)
    expect((await test.store.threads.get(threadId)).status).toBe('idle')
  })

  it('a command of an open call is taken up, never run twice', async () => {
    const gate = Promise.withResolvers<void>()
    test.play([[...calls('c1', 'exec_command', { cmd: 'slow' }), ...ends('tool_calls')], answers('Done.')])
    const threadId = await test.createThread()
    const box = test.sandbox(threadId)
    box.play(async ({ print }) => {
      print('begun\n')
      await gate.promise
      print('finished\n')
    })
    await test.say(threadId, 'run it')
    await test.until(threadId, (event) => event.type === 'command.started')
    test.play([answers('Done.')])
    await test.restart(way)
    gate.resolve()
    const events = await test.until(threadId, isTurnEnd)
    expect(box.ran).toHaveLength(1)
    expect(box.killed).toEqual([])
    expect(test.bodies.at(-1)).toContain('finished')
    expect(count(events, 'command.exited')).toBe(1)
    await wholeLog(threadId)
  })

  it('a background command is followed to its end', async () => {
    const gate = Promise.withResolvers<void>()
    test.play([
      [...calls('c1', 'exec_command', { cmd: 'server', yield_time_ms: 250 }), ...ends('tool_calls')],
      answers('It runs.'),
    ])
    const threadId = await test.createThread()
    test.sandbox(threadId).play(async ({ print }) => {
      print('up\n')
      await gate.promise
      print('down\n')
    })
    await test.say(threadId, 'start it')
    await test.until(threadId, isTurnEnd)
    await test.restart(way)
    // Somebody looks at the thread: the runtime opens it again.
    await test.runtime.queue(threadId)
    gate.resolve()
    const exited = (event: ThreadEvent) => event.type === 'command.exited'
    const end = (await test.until(threadId, exited)).find(exited)
    expect(end?.body).toMatchObject({ status: 'exited', exitCode: 0, bytes: 8 })
    await wholeLog(threadId)
  })

  it('a question still waits for its answer', async () => {
    const questions = [{ id: 'q', header: 'Colour', question: 'Which colour?', options: [] }]
    test.play([[...calls('c1', 'request_user_input', { questions }), ...ends('tool_calls')]])
    const threadId = await test.createThread()
    await test.say(threadId, 'ask me')
    const asked = (event: ThreadEvent) => event.type === 'input.requested'
    const itemId = (await test.until(threadId, asked)).find(asked)?.itemId ?? ''
    test.play([answers('Blue it is.')])
    await test.restart(way)
    expect(
      await test.send(threadId, { type: 'input.answer', itemId, answers: { q: ['blue'] } }),
    ).toMatchObject({
      status: 'accepted',
    })
    await test.until(threadId, isTurnEnd)
    expect(test.bodies.at(-1)).toContain('blue')
  })

  it('waiting messages and a steer are still sent', async () => {
    test.play([[never()]])
    const threadId = await test.createThread()
    await test.say(threadId, 'one')
    const turnId = turnIdOf(await test.until(threadId, started))
    await test.say(threadId, 'two')
    const content = [{ type: 'text' as const, text: 'steered' }]
    await test.send(threadId, { type: 'turn.steer', expectedTurnId: turnId, content })
    test.play([answers('Yes.')])
    await test.restart(way)
    const events = await test.until(threadId, (_, all) => count(all, 'turn.completed') === 2)
    const said = JSON.stringify(
      events.filter((event) => event.type === 'item.completed' && event.body.item.type === 'user_message'),
    )
    for (const word of ['one', 'two', 'steered']) expect(said.split(`"${word}"`)).toHaveLength(2)
    expect(await test.store.ops.pending(threadId)).toEqual([])
    await wholeLog(threadId)
  })
})

describe('after a crash', () => {
  it('another worker takes the threads over once the heartbeat has expired', async () => {
    test.play([[never()]])
    const threadId = await test.createThread()
    await test.say(threadId, 'x')
    await test.until(threadId, started)
    test.play([answers('Taken over.')])
    await test.restart('crash', 'two')
    await test.until(threadId, isTurnEnd)
    expect((await test.store.threads.get(threadId)).lastLine).toBe('Taken over.')
    await wholeLog(threadId)
  })

  it('text that was on its way is kept to the last second', async () => {
    const begun = [
      { type: 'item.started' as const, item: 0, kind: 'assistant' as const },
      { type: 'text.delta' as const, item: 0, text: 'Half of it' },
    ]
    test.play([[...begun, never()]])
    const threadId = await test.createThread()
    await test.say(threadId, 'write')
    await expect
      .poll(async () => (await test.store.drafts.list(threadId)).map(({ text }) => text), { timeout: 60_000 })
      .toEqual(['Half of it'])
    expect(await test.runtime.drafts(threadId)).toMatchObject([{ part: 'text', text: 'Half of it' }])
    test.play([answers('Whole.')])
    await test.restart('crash')
    const events = await test.until(threadId, isTurnEnd)
    const cut = events.find(
      (event) =>
        event.type === 'item.completed' && event.body.item.type === 'agent_message' && event.body.item.cut,
    )
    expect(cut?.body).toMatchObject({ item: { text: { text: 'Half of it' } } })
    await expect.poll(() => test.store.drafts.list(threadId), { timeout: 60_000 }).toEqual([])
  })

  it('an op that was stored and not yet decided is decided', async () => {
    test.play([answers('Late.')])
    const threadId = await test.createThread()
    await test.store.ops.accept({
      threadId,
      clientId: newId('op'),
      op: { type: 'turn.start', content: [{ type: 'text', text: 'x' }] },
      actorId: testUser,
      status: 'accepted',
      acceptedAt: Date.now(),
      position: null,
    })
    await test.restart('crash')
    await test.until(threadId, isTurnEnd)
    expect(await test.store.ops.pending(threadId)).toEqual([])
  })

  it('a stop that was asked for before still stops the turn', async () => {
    test.play([[never()]])
    const threadId = await test.createThread()
    await test.say(threadId, 'x')
    const turnId = turnIdOf(await test.until(threadId, started))
    await test.store.ops.accept({
      threadId,
      clientId: newId('op'),
      op: { type: 'turn.interrupt', turnId },
      actorId: testUser,
      status: 'accepted',
      acceptedAt: Date.now(),
      position: null,
    })
    await test.restart('crash')
    const events = await test.until(threadId, isTurnEnd)
    expect(events.at(-1)?.type).toBe('turn.interrupted')
  })

  it('a command whose container is gone is told as lost', async () => {
    test.play([
      [...calls('c1', 'exec_command', { cmd: 'server', yield_time_ms: 250 }), ...ends('tool_calls')],
      answers('It runs.'),
    ])
    const threadId = await test.createThread()
    const box = test.sandbox(threadId)
    box.play(() => never())
    await test.say(threadId, 'start it')
    const events = await test.until(threadId, isTurnEnd)
    const command = events.find((event) => event.type === 'command.started')
    await box.forget(command?.type === 'command.started' ? command.body.commandId : '')
    await test.restart('crash')
    await test.runtime.queue(threadId)
    const exited = (event: ThreadEvent) => event.type === 'command.exited'
    expect((await test.until(threadId, exited)).find(exited)?.body).toMatchObject({ status: 'lost' })
  })

  it('a turn that ends its server again and again is failed, and the thread lives on', async () => {
    const steps = (many: number) => (_: ThreadEvent, all: ThreadEvent[]) =>
      all.filter(started).length === many
    test.play([
      [...calls('c0', 'list_dir', { path: '.' }), ...ends('tool_calls')],
      [...calls('c1', 'exec_command', { cmd: 'poison', yield_time_ms: 30_000 }), never()],
    ])
    const threadId = await test.createThread()
    test.sandbox(threadId).play(() => never())
    await test.say(threadId, 'do it')
    await test.until(threadId, (event) => event.type === 'command.started')
    test.play([[{ type: 'item.started', item: 0, kind: 'assistant' }, never()]])
    // A command that still runs would keep the turn waiting for it, as it should.
    test.sandbox(threadId).play(() => undefined)
    const command = (await test.events(threadId)).find(({ type }) => type === 'command.started')
    await test.sandbox(threadId).forget(command?.type === 'command.started' ? command.body.commandId : '')
    for (let life = 1; life <= 5; life += 1) {
      await test.restart('crash')
      await test.until(threadId, steps(2 + life))
      expect((await test.events(threadId)).filter(isTurnEnd), `life ${life}`).toEqual([])
    }
    await test.restart('crash')
    const events = await test.until(threadId, isTurnEnd)
    const end = events.findLast(isTurnEnd)
    expect(end).toMatchObject({ type: 'turn.failed', body: { error: { code: 'internal' } } })
    expect(end?.type === 'turn.failed' && end.body.error.message).toContain('ended 6 times')
    expect(end?.type === 'turn.failed' && end.body.error.next).toContain('new window')
    // Nothing is left as if it still ran.
    const open = new Map(
      events.flatMap((event) => ('item' in event.body ? [[event.itemId, event.type]] : [])),
    )
    expect([...open.values()]).not.toContain('item.started')
    const ended = new Set(
      events.flatMap(({ type, stepId }) => (/^step\.(completed|cut|failed)$/.test(type) ? [stepId] : [])),
    )
    for (const event of events.filter(started)) expect(ended).toContain(event.stepId)
    const { status, lastError } = await test.store.threads.get(threadId)
    expect([status, lastError?.code]).toEqual(['failed', 'internal'])
    test.play([answers('Here I am.')])
    await test.say(threadId, 'And now?')
    const after = await test.until(threadId, (event) => event.type === 'turn.completed')
    expect(count(after, 'turn.completed')).toBe(1)
    await wholeLog(threadId)
  })

  it('a turn that finishes steps between its restarts goes on, however many there are', async () => {
    const step = (n: number) => [...calls(`c${n}`, 'list_dir', { path: '.' }), ...ends('tool_calls')]
    test.play([step(0), [never()]])
    const threadId = await test.createThread()
    await test.say(threadId, 'do it')
    for (let life = 1; life <= 7; life += 1) {
      await test.until(threadId, (_, all) => all.filter(started).length === 2 * life)
      test.play([step(life), [never()]])
      await test.restart('crash')
    }
    await test.until(threadId, (_, all) => all.filter(started).length === 16)
    test.play([answers('Done.')])
    await test.restart('crash')
    const events = await test.until(threadId, isTurnEnd)
    expect(events.findLast(isTurnEnd)?.type).toBe('turn.completed')
    await wholeLog(threadId)
  })
})
