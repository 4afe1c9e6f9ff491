// A command that outlives its call, on the real runtime and database: its end is recorded when it comes, and its last
// output is still there when the model asks for it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sessionNumber } from '../../src/server/tools/sessions.ts'
import { startTestRuntime, type TestRuntime } from '../setup/runtime.ts'
import { answers, calls, ends, type Script } from '../setup/scripted-provider.ts'

let test: TestRuntime
beforeAll(async () => {
  test = await startTestRuntime()
})
afterAll(async () => {
  await test.close()
})

it('gives its last output to a later turn, and its end to the log at once', async () => {
  const threadId = await test.createThread()
  const finish = Promise.withResolvers<void>()
  test.sandbox(threadId).play(async ({ print }) => {
    print('begun\n')
    await finish.promise
    print('and finished\n')
  })
  const run = { cmd: 'npm test', yield_time_ms: 250 }
  test.play([[...calls('c1', 'exec_command', run), ...ends('tool_calls')], answers('It runs.')])
  await test.say(threadId, 'Run the tests.')
  const first = await test.until(threadId, ({ type }) => type === 'turn.completed')
  const started = first.find(({ type }) => type === 'command.started')
  const commandId = started?.type === 'command.started' ? started.body.commandId : ''
  expect(first.some(({ type }) => type === 'command.exited')).toBe(false)

  finish.resolve()
  const exited = await test.until(threadId, ({ type }) => type === 'command.exited')
  expect(exited.filter(({ type }) => type === 'command.exited')).toHaveLength(1)

  const poll: Script = [
    ...calls('c2', 'write_stdin', { session_id: sessionNumber(commandId) }),
    ...ends('tool_calls'),
  ]
  test.play([poll, answers('It is done.')])
  await test.say(threadId, 'And now?')
  await test.until(threadId, (_, all) => all.filter(({ type }) => type === 'turn.completed').length === 2)
  expect(test.bodies.at(-1)).toContain('and finished')
  expect(test.bodies.at(-1)).toContain('Exit code: 0')
  const all = await test.events(threadId)
  expect(all.filter(({ type }) => type === 'command.exited')).toHaveLength(1)
})
