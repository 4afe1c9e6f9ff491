// A window that the model asked for, and that its turn did not live to see: the next turn begins in it, or says why not.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ThreadEvent } from '../../src/protocol/event.ts'
import { startTestRuntime, type TestRuntime } from '../setup/runtime.ts'
import { answers, calls, ends, type Script } from '../setup/scripted-provider.ts'

let test: TestRuntime
beforeAll(async () => {
  test = await startTestRuntime()
})
afterAll(() => test?.close())

const answer: Script = answers('Forty-one.')
const wish: Script = [...calls('n', 'new_context', {}), ...ends('tool_calls')]
const reasons = (events: readonly ThreadEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'window.opened' ? [event.body.reason] : []))
const warnings = (events: readonly ThreadEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'window.warned' ? [event.body.kind] : []))
const isEnd = ({ type }: ThreadEvent): boolean => /^turn\.(completed|failed|limited|interrupted)$/.test(type)
const until = (threadId: string, type: ThreadEvent['type'], count = 1): Promise<ThreadEvent[]> =>
  test.until(threadId, (_, all) => all.filter((event) => event.type === type).length >= count)
const say = async (threadId: string, text: string): Promise<ThreadEvent[]> => {
  const before = (await test.events(threadId)).filter(isEnd).length
  await test.say(threadId, text)
  return test.until(threadId, (_, all) => all.filter(isEnd).length > before)
}
const limits = (steps: number) => ({ steps, durationMs: 3_600_000, costMicros: null })
const wished = async (threadId: string): Promise<boolean> =>
  (await test.store.threads.get(threadId)).landmarks.renewal !== null

describe('a wish for a new window', () => {
  it('that a stop outruns is granted at the next turn, once', async () => {
    const threadId = await test.createThread()
    test.sandbox(threadId).play(async ({ more, signal }) => {
      while (!signal.aborted) await more()
    })
    test.play([
      [
        ...calls('n', 'new_context', {}),
        ...calls('w', 'exec_command', { cmd: 'wait', yield_time_ms: 30_000 }, 1),
        ...ends('tool_calls'),
      ],
    ])
    await test.say(threadId, 'Count the beans.')
    const running = await until(threadId, 'command.started')
    const turnId = running.find(({ type }) => type === 'turn.started')?.turnId ?? ''
    await test.send(threadId, { type: 'turn.interrupt', turnId })
    expect(reasons(await until(threadId, 'turn.interrupted'))).toEqual(['first_turn'])
    expect(await wished(threadId)).toBe(true)
    test.play([answer])
    expect(reasons(await say(threadId, 'And now?'))).toEqual(['first_turn', 'asked'])
    expect(await wished(threadId)).toBe(false)
    expect(test.bodies.at(-1)).toContain('It was opened because you called new_context.')
    expect(test.bodies.at(-1)?.match(/"And now\?"/g)).toHaveLength(1)
    expect(reasons(await say(threadId, 'Really?'))).toHaveLength(2)
  })

  it('that a limit outruns is granted at the next turn, after a restart too', async () => {
    const threadId = await test.createThread({ limits: limits(1) })
    test.play([wish])
    const first = await say(threadId, 'Count the beans.')
    expect(first.at(-1)?.type).toBe('turn.limited')
    expect(reasons(first)).toEqual(['first_turn'])
    await test.restart('crash')
    test.play([answer])
    expect(reasons(await say(threadId, 'And now?'))).toEqual(['first_turn', 'asked'])
  })

  it('in an answer that fails is granted at the next turn', async () => {
    const threadId = await test.createThread()
    test.play([[...calls('n', 'new_context', {}), { fail: 'provider_bad_request' }]])
    const first = await say(threadId, 'Count the beans.')
    expect(first.at(-1)?.type).toBe('turn.failed')
    test.play([answer])
    expect(reasons(await say(threadId, 'And now?'))).toEqual(['first_turn', 'asked'])
  })

  it('is granted by a window that is opened for another reason', async () => {
    const threadId = await test.createThread({ limits: limits(1) })
    test.play([wish])
    await say(threadId, 'Count the beans.')
    await test.send(threadId, { type: 'window.start' })
    await until(threadId, 'window.opened', 2)
    test.play([answer])
    expect(reasons(await say(threadId, 'And now?'))).toEqual(['first_turn', 'person'])
  })

  it('is told to be off when a note after it was not saved, and stays off', async () => {
    const threadId = await test.createThread({ limits: limits(1) })
    test.play([
      [
        ...calls('n', 'new_context', {}),
        ...calls('w', 'notes_write', { path: '../plan.md', text: 'x' }, 1),
        ...ends('tool_calls'),
      ],
    ])
    await say(threadId, 'Count the beans.')
    test.play([answer])
    const events = await say(threadId, 'And now?')
    expect(reasons(events)).toEqual(['first_turn'])
    expect(warnings(events)).toEqual(['not_renewed'])
    expect(test.bodies.at(-1)).toContain('No new window was started: a note of yours was not saved')
    expect(await wished(threadId)).toBe(false)
  })

  it('for a window that would be full from its start leaves the thread in the one that it has', async () => {
    const threadId = await test.createThread({ limits: limits(1) })
    test.play([wish])
    await say(threadId, 'Count the beans.')
    test.sandbox(threadId).write('AGENTS.md', 'rule '.repeat(6_000))
    await test.send(threadId, { type: 'sandbox.start' })
    await test.send(threadId, {
      type: 'thread.settings',
      settings: { window: { limitTokens: 9_000, bufferTokens: 9_000 } },
    })
    test.play([answer])
    const events = await say(threadId, 'And now?')
    expect(reasons(events)).toEqual(['first_turn'])
    expect(warnings(events)[0]).toBe('not_renewed')
    expect(test.bodies.at(-1)).toContain('would be full from its start')
  })
})
