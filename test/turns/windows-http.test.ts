// Hand-overs on the real runtime and database with models over real HTTP: another model, commands and questions that
// outlast a window, threads that go on from others, deaths in between.
import { afterEach, expect, it } from 'vitest'
import type { ThreadEvent } from '../../src/protocol/event.ts'
import type { Item } from '../../src/protocol/item.ts'
import type { WireKind } from '../../src/server/providers/types.ts'
import { sessionNumber } from '../../src/server/tools/sessions.ts'
import type { Reply } from '../scripted-model/scripted-model.ts'
import { type HttpRuntime, inOrder, startHttpRuntime } from '../setup/http-runtime.ts'
import { shownRequest } from '../setup/shown-request.ts'

let test: HttpRuntime
afterEach(() => test?.close())

const call = (name: string, args: Record<string, unknown>, more: Partial<Reply> = {}): Reply => ({
  ...more,
  calls: [{ name, arguments: args }],
})
const renew = call('new_context', {})
const openings = (events: readonly ThreadEvent[]) =>
  events.flatMap((event) =>
    event.type === 'window.opened' ? [{ ...event.body, windowId: event.windowId }] : [],
  )
const ends = (events: readonly ThreadEvent[]) => events.filter(({ type }) => /^turn\.(c|f|l|i)/.test(type))
const say = async (threadId: string, text: string): Promise<ThreadEvent[]> => {
  const before = ends(await test.events(threadId)).length
  await test.say(threadId, text)
  return test.until(threadId, (_, all) => ends(all).length > before)
}
const words = (items: Item[]): string[] =>
  items.flatMap((item) => (item.type === 'agent_message' ? [item.text.text] : []))

/** A thread on the scripted model `m`, which gives these answers in order. */
const begin = async (replies: Reply[], settings: Record<string, unknown> = {}): Promise<string> => {
  test = await startHttpRuntime([inOrder('m', replies)])
  return test.createThread({ model: test.ref('openai-responses', 'm'), ...settings })
}

// One pixel; what a picture shows is nothing to the loop.
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

it.each<[WireKind, WireKind]>([
  ['openai-responses', 'anthropic-messages'],
  ['anthropic-messages', 'google-genai'],
  ['google-genai', 'openai-chat'],
  ['openai-chat', 'openai-responses'],
])('a thread with pictures and thoughts goes on with another model: %s, then %s', async (from, to) => {
  test = await startHttpRuntime([
    inOrder('first', [
      call(
        'exec_command',
        { cmd: 'cat a.txt' },
        { reasoning: 'Secret thoughts of the first.', text: 'I look.' },
      ),
      { reasoning: 'More of them.', text: 'A grey pixel.' },
    ]),
    inOrder('second', [
      call('read_file', { path: 'a.txt' }, { reasoning: 'I weigh it.', text: 'I look again.' }),
      { text: 'Still grey.' },
      { text: 'As before.' },
    ]),
  ])
  const threadId = await test.createThread({ model: test.ref(from, 'first') })
  test.sandbox(threadId).write('a.txt', 'grey\n')
  test.sandbox(threadId).write('AGENTS.md', 'Name colours in English.\n')
  const blob = await test.store.blobs.put(picture)
  await test.store.blobs.ref(threadId, blob)
  const image = { type: 'image' as const, blob, mediaType: 'image/png' as const, name: 'pixel.png' }
  const content = [{ type: 'text' as const, text: 'What do you see?' }, image]
  await test.send(threadId, { type: 'turn.start', content })
  const first = await test.until(threadId, ({ type }) => type === 'turn.completed')
  const message = first.find((event) => 'item' in event.body && event.body.item.type === 'user_message')
  await test.send(threadId, { type: 'window.pin', itemId: message?.itemId ?? '', pinned: true })

  await test.send(threadId, { type: 'thread.settings', settings: { model: test.ref(to, 'second') } })
  const second = await say(threadId, 'And now?')
  expect(openings(second).map(({ reason }) => reason)).toEqual(['first_turn', 'model_changed'])
  const [body = '', next = ''] = test.sent('second')
  expect(shownRequest(body)).toMatchSnapshot()
  // Whole requests are long, and a failure would print them.
  const has = (text: string): boolean => body.includes(text)
  expect([has(picture.toString('base64')), has('Name colours in English.')]).toEqual([true, true])
  expect(has('Secret thoughts')).toBe(false)
  const changed = second.flatMap((event) => (event.type === 'rules.changed' ? [event.body.files] : []))
  expect(changed.length).toBeGreaterThan(0)
  expect(openings(second)[1]?.rules).toEqual(changed.at(-1))
  // Thoughts of the new model are its own again, within its window; wires that hand none back have none.
  if (to !== 'openai-chat') expect(/I weigh it|encrypted_content|thoughtSignature/.test(next)).toBe(true)
  await say(threadId, 'Are you sure?')
  expect(test.sent('second')).toHaveLength(3)
  expect(openings(await test.events(threadId))).toHaveLength(2)
  expect(words(await test.items(threadId))).toEqual([
    'I look.',
    'A grey pixel.',
    'I look again.',
    'Still grey.',
    'As before.',
  ])
})

it('a command that goes on is named in the hint, and the next window asks it for its output', async () => {
  const session = (): number => Number(/session (\d{7})/.exec(test.sent('m').at(-1) ?? '')?.[1])
  test = await startHttpRuntime([
    {
      name: 'm',
      rules: [
        { times: 1, reply: call('exec_command', { cmd: 'npm run serve', tty: true, yield_time_ms: 250 }) },
        { times: 1, reply: renew },
        { times: 1, reply: () => call('write_stdin', { session_id: session(), chars: 'stop\n' }) },
        { reply: { text: 'It listened.' } },
      ],
    },
  ])
  const threadId = await test.createThread({ model: test.ref('openai-responses', 'm') })
  test.sandbox(threadId).play(async ({ print, typed, more }) => {
    print('listening on 48213\n')
    while (!typed().includes('stop')) await more()
    print('closed in good order\n')
  })
  const events = await say(threadId, 'Serve it, and see.')
  expect(openings(events).map(({ reason }) => reason)).toEqual(['first_turn', 'asked'])
  const started = events.find(({ type }) => type === 'command.started')
  const commandId = started?.type === 'command.started' ? started.body.commandId : ''
  const [, , renewed = '', last = ''] = test.sent('m')
  expect(renewed).toContain(`session ${sessionNumber(commandId)}: npm run serve`)
  expect(renewed).not.toContain('listening on 48213')
  expect(last.includes('closed in good order')).toBe(true)
  const exits = (await test.until(threadId, ({ type }) => type === 'command.exited')).filter(
    ({ type }) => type === 'command.exited',
  )
  expect(exits).toHaveLength(1)
})

it('a question outlasts the window that it was asked in: the answer is in the next one', async () => {
  const ask = {
    calls: [
      { name: 'request_user_input', arguments: { questions: [{ id: 'port', question: 'Which port?' }] } },
      { name: 'new_context', arguments: {} },
    ],
  }
  const threadId = await begin([ask, { text: 'It is set.' }])
  await test.say(threadId, 'Set the port.')
  const waiting = await test.until(threadId, ({ type }) => type === 'input.requested')
  // A person may ask for a new window meanwhile: one is opened, when the question is answered.
  const asked = await test.send(threadId, { type: 'window.start', focus: 'Only the port.' })
  expect(asked.status).toBe('accepted')
  expect(openings(await test.events(threadId))).toHaveLength(1)
  const itemId = waiting.find(({ type }) => type === 'input.requested')?.itemId ?? ''
  await test.send(threadId, { type: 'input.answer', itemId, answers: { port: ['48213'] } })
  const events = await test.until(threadId, ({ type }) => type === 'turn.completed')
  expect(openings(events).map(({ reason }) => reason)).toEqual(['first_turn', 'person'])
  expect(test.sent('m').at(-1)).toContain('Which port? → 48213')
  expect((await test.store.ops.get(threadId, asked.opId))?.status).toBe('applied')
})

it('a thread that goes on from one of several windows begins with its files and none of its past', async () => {
  const threadId = await begin([
    call('notes_write', { path: 'plan.md', text: 'The word is quetzal.' }),
    renew,
    renew,
    { text: 'Third window.' },
    call('notes_list', {}),
    call('history_search', { query: 'quetzal' }),
    { text: 'Nothing is known.' },
  ])
  expect(openings(await say(threadId, 'Begin.'))).toHaveLength(3)
  const ref = test.ref('openai-responses', 'm')
  const from = await test.runtime.createThread({
    projectId: (await test.store.threads.get(threadId)).projectId,
    actorId: (await test.store.threads.get(threadId)).ownerId,
    settings: { model: ref },
    fromThreadId: threadId,
  })
  const events = await say(from.id, 'What is known?')
  expect(openings(events).map(({ index, reason }) => [index, reason])).toEqual([[0, 'first_turn']])
  const [list = '', found = ''] = test.sent('m').slice(-2)
  expect(list).toContain('There are no notes here.')
  expect(found).toContain('No match.')
  expect(test.sent('m').slice(-3).join('')).not.toContain('The word is quetzal')
})

it('two hand-overs in a row keep the request, and number the windows as people do', async () => {
  const threadId = await begin([renew, renew, call('get_context_remaining', {}), { text: 'Done.' }])
  const events = await say(threadId, 'Count the beans.')
  expect(openings(events).map(({ index, reason }) => [index, reason])).toEqual([
    [0, 'first_turn'],
    [1, 'asked'],
    [2, 'asked'],
  ])
  const [first = '', second = '', third = '', remaining = ''] = test.sent('m')
  expect(first).not.toContain('This is window')
  expect(second).toMatch(/This is window 2 \(win_[^)]+\) of the thread; before it: window 1 /)
  expect(third).toMatch(/This is window 3 \(win_[^)]+\) of the thread; before it: window 2 /)
  expect(remaining).toContain('in this context window (window 3;')
  for (const body of [first, second, third]) expect(body.match(/"Count the beans\."/g)).toHaveLength(1)
})

it.each(['before', 'after'] as const)(
  'a server that is killed %s the new window is written goes on in it, and opens it once',
  async (moment) => {
    const deadly = { reached: Promise.withResolvers<void>(), armed: true }
    const dies = async (): Promise<void> => {
      if (!deadly.armed) return
      deadly.armed = false
      deadly.reached.resolve()
      await new Promise<never>(() => undefined)
    }
    test = await startHttpRuntime(
      [inOrder('m', [renew, { text: 'On with it.' }])],
      [
        {
          window: async ({ reason }, next) => {
            if (reason !== 'asked') return next()
            if (moment === 'before') await dies()
            const opened = await next()
            if (moment === 'after') await dies()
            return opened
          },
        },
      ],
    )
    const threadId = await test.createThread({ model: test.ref('openai-responses', 'm') })
    await test.say(threadId, 'Count the beans.')
    await deadly.reached.promise
    await test.restart('crash')
    const events = await test.until(threadId, ({ type }) => type === 'turn.completed')
    expect(openings(events).map(({ reason }) => reason)).toEqual(['first_turn', 'asked'])
    expect(events.filter(({ type }) => type === 'window.closed')).toHaveLength(1)
    expect(test.sent('m')).toHaveLength(2)
    expect(test.sent('m')[1]?.match(/"Count the beans\."/g)).toHaveLength(1)
    expect(words(await test.items(threadId))).toEqual(['On with it.'])
  },
)
