import { describe, expect, it } from 'vitest'
import {
  answers,
  calls,
  ends,
  type Script,
  says,
  scriptedProvider,
} from '../../../test/setup/scripted-provider.ts'
import { stage, turnInput } from '../../../test/turns/edges.ts'
import { play, types } from '../../../test/turns/played.ts'
import { gatedTool, simpleTools, until } from '../../../test/turns/tools.ts'
import { runTurn } from './turn.ts'

describe('a turn', () => {
  it('is one message, one request and one answer', async () => {
    const { log, outcome, provider, ...rest } = await play([answers('Hello.')])
    expect(outcome).toEqual({ status: 'completed' })
    expect(types({ log, ...rest } as never)).toEqual([
      'turn.started',
      'item.completed',
      'window.opened',
      'step.started',
      'item.started',
      'item.completed',
      'step.completed',
      'turn.completed',
    ])
    expect(log.ofType('item.completed').at(-1)?.body.item).toMatchObject({
      type: 'agent_message',
      phase: 'final',
      text: { text: 'Hello.' },
    })
    expect(log.ofType('turn.completed')[0]?.body).toMatchObject({ steps: 1, costMicros: 200 })
    expect(provider.bodies).toHaveLength(1)
    expect(rest.defects).toEqual([])
  })

  it('calls tools until the model answers without one', async () => {
    const { log, provider, outcome, sandbox } = await play([
      [...says('Looking.'), ...calls('c1', 'write', { text: 'x' }, 1), ...ends('tool_calls')],
      answers('Done.'),
    ])
    expect(outcome.status).toBe('completed')
    expect(provider.bodies[1]).toContain('wrote x')
    const messages = log.ofType('item.completed').map(({ body }) => body.item)
    expect(messages.find((item) => item.type === 'agent_message')).toMatchObject({ phase: 'commentary' })
    expect(messages.find((item) => item.type === 'tool_call')).toMatchObject({
      state: { status: 'succeeded', output: { text: 'wrote x' } },
    })
    expect(sandbox.checkpoints).toBe(1)
    expect(log.ofType('checkpoint.created')).toHaveLength(1)
  })

  it('tells a long answer piece by piece, without a copy of the whole in each piece', async () => {
    const pieces = Array.from({ length: 1_000 }, (_, n) => `${n} `.padEnd(2_000, 'word '))
    const [first, ...rest] = says(pieces.join(''))
    const text = pieces.flatMap((piece) => says(piece)[1] ?? [])
    const provider = scriptedProvider('openai-responses', [
      [...(first ? [first] : []), ...text, ...rest.slice(1), ...ends()],
    ])
    const at = stage()
    const before = process.memoryUsage().heapUsed
    await runTurn(at.ports, turnInput(provider, simpleTools))
    // Whoever keeps the pieces keeps 2 MB and not the gigabyte of all beginnings.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(300_000_000)
    expect(at.log.deltas.map((delta) => delta.text).join('')).toBe(pieces.join(''))
    expect(at.log.deltas.map((delta) => delta.offset)).toEqual(pieces.map((_, n) => n * 2_000))
  })

  it('gives the world in full at the start and differences afterwards', async () => {
    const at = stage({ '/workspace/AGENTS.md': 'Be kind.' })
    const provider = scriptedProvider('openai-responses', [
      [...calls('c1', 'echo', { text: 'x' }), ...ends('tool_calls')],
      answers('Done.'),
    ])
    const input = turnInput(provider, simpleTools, { projectInstructions: 'Use tabs.' })
    const settings = at.control.settings
    let asked = 0
    at.control.settings = () => {
      asked += 1
      return provider.bodies.length === 1 ? { ...settings(), permission: 'read-only' } : settings()
    }
    await runTurn(at.ports, input)
    expect(asked).toBeGreaterThan(0)
    const kinds = at.log.blocks.map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind.startsWith('world:'))).toEqual([
      'world:rules',
      'world:permissions',
      'world:model',
      'world:project',
      'world:environment',
      'world:permissions',
    ])
    expect(provider.bodies[0]).toContain('Be kind.')
    expect(provider.bodies[1]).toContain('The permissions changed')
    expect(kinds.indexOf('instructions')).toBe(simpleTools.specs.length)
  })

  it('reads the rules again when the files changed, and says that they replace the old ones', async () => {
    const at = stage({ '/workspace/AGENTS.md': 'Be kind.' })
    const provider = scriptedProvider('openai-responses', [
      [...calls('c1', 'write', { text: 'x' }), ...ends('tool_calls')],
      [...calls('c2', 'echo', { text: 'y' }), ...ends('tool_calls')],
      answers('Done.'),
    ])
    at.sandbox.files.set('/workspace/AGENTS.override.md', 'Be brief.')
    const checkpoint = at.sandbox.checkpoint
    at.sandbox.files.delete('/workspace/AGENTS.override.md')
    at.sandbox.checkpoint = async () => {
      at.sandbox.files.set('/workspace/AGENTS.override.md', 'Be brief.')
      return checkpoint()
    }
    await runTurn(at.ports, turnInput(provider, simpleTools))
    expect(provider.bodies.at(-1)).toContain('replace all AGENTS.md instructions')
    expect(provider.bodies.at(-1)).toContain('Be brief.')
  })
})

describe('calls', () => {
  it('start while the answer still streams, side by side, and are recorded in call order', async () => {
    const gated = gatedTool(true)
    const rest = Promise.withResolvers<void>()
    const at = stage()
    const provider = scriptedProvider('openai-responses', [
      [
        ...calls('c1', 'gated', { name: 'a' }),
        ...calls('c2', 'gated', { name: 'b' }, 1),
        rest.promise,
        ...ends('tool_calls'),
      ],
      answers('Done.'),
    ])
    const turn = runTurn(at.ports, turnInput(provider, gated.tools))
    await until(() => gated.running.length === 2)
    gated.open('b', 'second')
    rest.resolve()
    gated.open('a', 'first')
    expect(await turn).toEqual({ status: 'completed' })
    const ended = at.log
      .ofType('item.completed')
      .flatMap(({ body: { item } }) => (item.type === 'tool_call' ? [item.callId] : []))
    expect(ended).toEqual(['c1', 'c2'])
    const body = provider.bodies[1] ?? ''
    expect(body.indexOf('first')).toBeLessThan(body.indexOf('second'))
  })

  it('run alone when they may not run beside others', async () => {
    const gated = gatedTool(false)
    const at = stage()
    const provider = scriptedProvider('openai-responses', [
      [
        ...calls('c1', 'gated', { name: 'a' }),
        ...calls('c2', 'gated', { name: 'b' }, 1),
        ...ends('tool_calls'),
      ],
      answers('Done.'),
    ])
    const turn = runTurn(at.ports, turnInput(provider, gated.tools))
    await until(() => gated.running.length === 1)
    expect(gated.running).toEqual(['a'])
    gated.open('a')
    await until(() => gated.running.length === 2)
    gated.open('b')
    await turn
  })

  it('bugs 2: two parallel calls keep their own ids and arguments', async () => {
    const { log, provider } = await play([
      [
        ...calls('call_a', 'echo', { text: 'a' }),
        ...calls('call_b', 'echo', { text: 'b' }, 1),
        ...ends('tool_calls'),
      ],
      answers('Done.'),
    ])
    const items = log
      .ofType('item.completed')
      .flatMap(({ body: { item } }) => (item.type === 'tool_call' ? [item] : []))
    expect(items.map(({ callId, arguments: given }) => [callId, given.text])).toEqual([
      ['call_a', '{"text":"a"}'],
      ['call_b', '{"text":"b"}'],
    ])
    expect(JSON.parse(provider.bodies[1] ?? '').input.slice(-2)).toMatchObject([
      { call_id: 'call_a', output: 'a' },
      { call_id: 'call_b', output: 'b' },
    ])
  })

  it('with one id are told apart', async () => {
    const { provider, outcome } = await play([
      [
        ...calls('same', 'echo', { text: 'a' }),
        ...calls('same', 'echo', { text: 'b' }, 1),
        ...ends('tool_calls'),
      ],
      [...calls('same', 'echo', { text: 'c' }), ...ends('tool_calls')],
      answers('Done.'),
    ])
    expect(outcome.status).toBe('completed')
    const ids = (JSON.parse(provider.bodies[2] ?? '').input as { type: string; call_id?: string }[]).flatMap(
      ({ type, call_id }) => (type === 'function_call_output' ? [call_id] : []),
    )
    expect(ids).toEqual(['same', 'same_2', 'same_3'])
  })

  it('of an unknown tool and with broken arguments are answered in words', async () => {
    const { log, provider, outcome } = await play([
      [...calls('c1', 'nothing', {}), ...calls('c2', 'echo', '{"text": "a', 1), ...ends('tool_calls')],
      answers('Done.'),
    ])
    expect(outcome.status).toBe('completed')
    const states = log
      .ofType('item.completed')
      .flatMap(({ body: { item } }) => (item.type === 'tool_call' ? [item.state] : []))
    expect(states).toMatchObject([
      { status: 'refused', error: { code: 'tool_unknown' } },
      { status: 'refused', error: { code: 'tool_bad_arguments' } },
    ])
    expect(provider.bodies[1]).toContain('There is no tool named')
  })

  it('may ask a person, whose time does not count', async () => {
    const at = stage()
    at.control.answers.push({ q: ['blue'] })
    const { log, provider } = await play(
      [[...calls('c1', 'question', { text: 'Which colour?' }), ...ends('tool_calls')], answers('Done.')],
      { at },
    )
    expect(log.ofType('input.requested')).toHaveLength(1)
    expect(log.ofType('input.resolved')[0]?.body).toMatchObject({ answers: { q: ['blue'] } })
    expect(provider.bodies[1]).toContain('blue')
  })
})

it('interceptors stand around turn, window, step and tool, outermost first', async () => {
  const at = stage()
  const seen: string[] = []
  const around =
    (name: string) =>
    async <T>(_context: unknown, next: () => Promise<T>): Promise<T> => {
      seen.push(`${name} (`)
      try {
        return await next()
      } finally {
        seen.push(`) ${name}`)
      }
    }
  at.ports.interceptors = [
    { turn: around('turn'), window: around('window'), step: around('step') },
    { turn: around('inner'), tool: around('tool') },
  ]
  await play([[...calls('c1', 'echo', { text: 'x' }), ...ends('tool_calls')], answers('Done.')], { at })
  expect(seen.join(' ')).toBe(
    'turn ( inner ( window ( ) window step ( tool ( ) tool ) step step ( ) step ) inner ) turn',
  )
})

it('pictures of people reach the model as data', async () => {
  const at = stage()
  const blob = await at.log.blob(Buffer.from('png'))
  const { provider } = await play([answers('A cat.')], {
    at,
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image', blob, mediaType: 'image/png' },
    ],
  })
  expect(provider.bodies[0]).toContain(`data:image/png;base64,${Buffer.from('png').toString('base64')}`)
})

it('long words of people are kept whole for the model and short in the event', async () => {
  const { log, provider } = await play([answers('Yes.')], {
    content: [{ type: 'text', text: `${'x'.repeat(9_000)} the end` }],
  })
  const item = log.ofType('item.completed')[0]?.body.item
  expect(JSON.stringify(item).length).toBeLessThan(3_000)
  expect(provider.bodies[0]).toContain('x the end')
})

it('a call that takes long to write is shown while it is written', async () => {
  const at = stage()
  const provider = scriptedProvider('openai-responses', [[]])
  const script: Script[] = [
    [
      { type: 'item.started', item: 0, kind: 'tool_call', callId: 'c1', name: 'echo' },
      { type: 'arguments.delta', item: 0, text: '{"text":' },
      { type: 'arguments.delta', item: 0, text: '"lo' },
      { type: 'arguments.delta', item: 0, text: 'ng"}' },
      ...calls('c1', 'echo', { text: 'long' }).slice(2),
      ...ends('tool_calls'),
    ],
    answers('Done.'),
  ]
  const plain = scriptedProvider('openai-responses', script)
  provider.stream = async function* (request, signal) {
    for await (const event of plain.stream(request, signal)) {
      at.clock.advance(30)
      yield event
    }
  }
  await runTurn(at.ports, turnInput(provider, simpleTools))
  const [first] = at.log.ofType('item.started')
  expect(first?.body.item).toMatchObject({ type: 'tool_call', tool: 'echo', state: { status: 'proposed' } })
  const deltas = at.log.deltas.filter(({ part }) => part === 'arguments')
  expect(deltas.map(({ offset, text }) => [offset, text])).toEqual([
    [0, '{"text":"lo'],
    [11, 'ng"}'],
  ])
})
