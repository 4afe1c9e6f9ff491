// Whole turns in a real container, on the real runtime and database: files, rules, a stop that leaves nothing running,
// and a command that outlives its server. Only the model is a script.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ThreadEvent } from '../../src/protocol/event.ts'
import { startTestRuntime, type TestRuntime } from '../setup/runtime.ts'
import { type RealSandboxes, realSandboxes } from '../setup/sandboxes.ts'
import { answers, calls, ends, type Script } from '../setup/scripted-provider.ts'

let sandboxes: RealSandboxes
let test: TestRuntime
beforeAll(async () => {
  sandboxes = await realSandboxes()
  test = await startTestRuntime({ sandboxes: sandboxes.manager() })
})
afterAll(async () => {
  await test?.close()
  await sandboxes?.clean()
})

let callCount = 0
const run = (cmd: string, more: Record<string, unknown> = {}): Script => {
  callCount += 1
  return [...calls(`c${callCount}`, 'exec_command', { cmd, ...more }), ...ends('tool_calls')]
}
const patch = (input: string): Script => {
  callCount += 1
  return [...calls(`c${callCount}`, 'apply_patch', { input }), ...ends('tool_calls')]
}
const done: Script = answers('Done.')

const count = (events: ThreadEvent[], type: ThreadEvent['type']): number =>
  events.filter((event) => event.type === type).length
const turnsOver = (many: number) => (_: ThreadEvent, all: ThreadEvent[]) =>
  count(all, 'turn.completed') + count(all, 'turn.interrupted') === many
const lastBody = (): string => test.bodies.at(-1) ?? ''

it('looks, patches and looks again; checkpoints tell what changed; new rules are read', async () => {
  const threadId = await test.createThread()
  test.play([
    run(`echo 'return a - b' > sum.js && echo 'Use tabs.' > AGENTS.md && ls`),
    patch('*** Begin Patch\n*** Update File: sum.js\n@@\n-return a - b\n+return a + b\n*** End Patch'),
    run('cat sum.js'),
    done,
  ])
  await test.say(threadId, 'Fix the sum.')
  const events = await test.until(threadId, turnsOver(1))
  expect(count(events, 'turn.completed')).toBe(1)
  expect(lastBody()).toContain('return a + b')
  expect(lastBody()).toContain('Use tabs.')
  const files = events.flatMap((event) =>
    event.type === 'checkpoint.created' ? event.body.files.map(({ path }) => path) : [],
  )
  expect(files).toContain('sum.js')
  const exits = events.flatMap((event) => (event.type === 'command.exited' ? [event.body.exitCode] : []))
  expect(exits).toEqual([0, 0])
})

it('a stop kills the whole tree of what runs, and the next turn goes on', async () => {
  const threadId = await test.createThread()
  test.play([run('setsid sleep 4321 & (sleep 4321 &) ; echo begun; sleep 4321', { yield_time_ms: 30_000 })])
  await test.say(threadId, 'Wait.')
  const running = await test.until(threadId, ({ type }) => type === 'command.started')
  const turnId = running.find(({ type }) => type === 'turn.started')?.turnId ?? ''
  await test.send(threadId, { type: 'turn.interrupt', turnId })
  const stopped = await test.until(threadId, turnsOver(1))
  expect(count(stopped, 'turn.interrupted')).toBe(1)
  test.play([run(`pgrep -f 'sleep 432[1]' || echo nothing is left`), done])
  await test.say(threadId, 'Is anything left?')
  await test.until(threadId, turnsOver(2))
  expect(lastBody()).toContain('nothing is left')
  expect(lastBody()).toContain('stopped this turn on purpose')
})

it('a command outlives its server: it runs once, and its result reaches the model', async () => {
  const threadId = await test.createThread()
  test.play([
    run('echo once >> ran; until [ -e go ]; do sleep 0.1; done; echo survived', { yield_time_ms: 30_000 }),
    done,
  ])
  await test.say(threadId, 'Start it.')
  await test.until(threadId, ({ type }) => type === 'command.started')
  test.play([run('cat ran'), done])
  await test.restart('crash')
  const restarted = await test.until(threadId, ({ type }) => type === 'server.restarted')
  expect(count(restarted, 'turn.started')).toBe(1)
  const manager = await sandboxes.open(sandboxes.manager(), threadId)
  await manager.sandbox.writeFile('/workspace/go', new Uint8Array(), 'workspace-write')
  const events = await test.until(threadId, turnsOver(1))
  const told = events.find(({ type }) => type === 'server.restarted')
  expect(count(events, 'command.started')).toBe(2)
  expect(told?.body).toMatchObject({ resumed: ['exec_command'], abandoned: [] })
  expect(lastBody()).toContain('survived')
  expect(lastBody().match(/once\\n/g)).toHaveLength(1)
})
