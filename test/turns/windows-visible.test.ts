// What a model is shown when its window begins, fills and is handed over, in each strategy: the requests as they went
// out over HTTP, on the real runtime and database.
import { afterEach, expect, it } from 'vitest'
import type { ThreadEvent } from '../../src/protocol/event.ts'
import type { Strategy } from '../../src/protocol/settings.ts'
import type { Reply } from '../scripted-model/scripted-model.ts'
import { type HttpRuntime, inOrder, startHttpRuntime } from '../setup/http-runtime.ts'
import { shownRequest } from '../setup/shown-request.ts'

let test: HttpRuntime
afterEach(() => test?.close())

const rules = 'Use semicolons nowhere.\nNever touch vendored files.\n'
const window = { limitTokens: 20_000, reminderTokens: 3_000, bufferTokens: 4_000 }

/** Reads a file and says so; `input` is what the provider counts. */
const reads = (n: number, input: number): Reply => ({
  text: `Step ${n}.`,
  calls: [{ name: 'read_file', arguments: { path: `file-${n}.txt` }, callId: `call_${n}` }],
  usage: { input, output: 100 },
})
const plan: Reply = {
  calls: [
    {
      name: 'update_plan',
      arguments: {
        plan: [
          { step: 'look', status: 'completed' },
          { step: 'fix', status: 'in_progress' },
        ],
      },
    },
    { name: 'notes_write', arguments: { path: 'progress.md', text: 'file-0 is fixed' } },
  ],
  usage: { input: 6_000, output: 100 },
}
const done: Reply = { text: 'It is done.' }

const play = async (
  strategy: Strategy,
  replies: Reply[],
): Promise<{ sent: string[]; events: ThreadEvent[] }> => {
  test = await startHttpRuntime([inOrder('m', replies)])
  const threadId = await test.createThread({ model: test.ref('openai-responses', 'm'), strategy, window })
  const sandbox = test.sandbox(threadId)
  await sandbox.ensure()
  sandbox.write('AGENTS.md', rules)
  for (let n = 0; n < 8; n += 1) sandbox.write(`file-${n}.txt`, `sum ${n}\n`)
  await test.say(threadId, 'Fix the sum in all files.')
  const events = await test.until(threadId, ({ type }) => /^turn\.(completed|failed|limited)$/.test(type))
  expect(events.at(-1)?.type).toBe('turn.completed')
  // Every window names the rules that it began with, and its first request has them word for word.
  const sent = test.sent('m')
  for (const event of events) if (event.type === 'window.opened') expect(event.body.rules).toHaveLength(1)
  const has = sent.map((body) => body.includes(JSON.stringify(rules.trim()).slice(1, -1)))
  expect(has).toEqual(sent.map(() => true))
  return { sent, events }
}

const reasons = (events: readonly ThreadEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'window.opened' ? [event.body.reason] : []))

it('the first window', async () => {
  const { sent } = await play('windows', [done])
  expect(shownRequest(sent[0])).toMatchSnapshot()
})

it('the reminder, and what is said at the limit', async () => {
  const { sent, events } = await play('windows', [
    reads(0, 17_500),
    reads(1, 17_900),
    reads(2, 20_500),
    reads(3, 20_900),
    done,
  ])
  expect(events.flatMap((event) => (event.type === 'window.warned' ? [event.body.kind] : []))).toEqual([
    'reminder',
    'limit',
  ])
  expect(reasons(events)).toEqual(['first_turn'])
  expect(shownRequest(sent[1])).toMatchSnapshot()
  expect(shownRequest(sent[3])).toMatchSnapshot()
})

it('a hand-over in the middle of a turn', async () => {
  const { sent, events } = await play('windows', [
    plan,
    { calls: [{ name: 'new_context', arguments: {} }], usage: { input: 7_000, output: 50 } },
    done,
  ])
  expect(reasons(events)).toEqual(['first_turn', 'asked'])
  expect(shownRequest(sent[2])).toMatchSnapshot()
})

it('a window that comes by itself', async () => {
  const { sent, events } = await play('windows', [plan, reads(0, 20_500), reads(1, 23_950), done])
  expect(reasons(events)).toEqual(['first_turn', 'budget'])
  expect(shownRequest(sent[3])).toMatchSnapshot()
})

it('the hand-over document of the strategy handoff, and what goes on from it', async () => {
  const { sent, events } = await play('handoff', [
    plan,
    reads(0, 20_500),
    { text: 'The sum of file-0 is fixed; file-1 is next.', usage: { input: 20_700, output: 40 } },
    done,
  ])
  expect(reasons(events)).toEqual(['first_turn', 'budget'])
  expect(shownRequest(sent[2])).toMatchSnapshot()
  expect(shownRequest(sent[3])).toMatchSnapshot()
})

it('the deepest cut of the strategy layers', async () => {
  const { sent, events } = await play('layers', [plan, reads(0, 9_000), reads(1, 18_500), done])
  expect(reasons(events)).toEqual(['first_turn', 'latest_only'])
  expect(shownRequest(sent[3])).toMatchSnapshot()
})
