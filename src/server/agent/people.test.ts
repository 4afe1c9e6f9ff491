// What people say while a turn runs, and how they stop it.
import { describe, expect, it } from 'vitest'
import { answers, calls, ends, says, scriptedProvider } from '../../../test/setup/scripted-provider.ts'
import { stage, turnInput } from '../../../test/turns/edges.ts'
import { play } from '../../../test/turns/played.ts'
import { gatedTool, simpleTools, until } from '../../../test/turns/tools.ts'
import { runTurn } from './turn.ts'

describe('people', () => {
  it('steer: their words come before the next request', async () => {
    const at = stage()
    const gated = gatedTool(true)
    const provider = scriptedProvider('openai-responses', [
      [...calls('c1', 'gated', { name: 'a' }), ...ends('tool_calls')],
      answers('Done.'),
    ])
    const turn = runTurn(at.ports, turnInput(provider, gated.tools))
    await until(() => gated.running.length === 1)
    at.control.steers.push({ opId: 'op_1', actorId: 'agent', content: [{ type: 'text', text: 'Use red.' }] })
    gated.open('a')
    await turn
    const input = JSON.parse(provider.bodies[1] ?? '').input as { role?: string }[]
    expect(input.at(-1)).toMatchObject({ role: 'user' })
    expect(JSON.stringify(input.at(-1))).toContain('Use red.')
    expect(
      at.log
        .ofType('item.completed')
        .some(({ body: { item } }) => item.type === 'user_message' && item.via === 'steer'),
    ).toBe(true)
  })

  it('keep the turn alive with words that arrive at its end', async () => {
    const at = stage()
    const late = Promise.withResolvers<void>()
    const provider = scriptedProvider('openai-responses', [
      [...says('Done.'), late.promise, ...ends()],
      answers('Really done.'),
    ])
    const turn = runTurn(at.ports, turnInput(provider, simpleTools))
    await until(() => at.log.deltas.length === 1)
    at.control.steers.push({
      opId: 'op_1',
      actorId: 'agent',
      content: [{ type: 'text', text: 'And green.' }],
    })
    late.resolve()
    expect(await turn).toEqual({ status: 'completed' })
    expect(provider.bodies[1]).toContain('And green.')
  })

  it('stop: the stream and running calls end, every call has a result, the next turn can go on', async () => {
    const at = stage()
    const gated = gatedTool(true)
    const provider = scriptedProvider('openai-responses', [
      [
        ...calls('c1', 'gated', { name: 'a' }),
        ...calls('c2', 'gated', { name: 'b' }, 1),
        ...ends('tool_calls'),
      ],
      answers('Going on.'),
    ])
    const input = turnInput(provider, gated.tools)
    const turn = runTurn(at.ports, input)
    await until(() => gated.running.length === 2)
    gated.open('a', 'whole')
    await until(() => at.log.ofType('item.completed').length === 2)
    at.control.stop({ type: 'person', actorId: 'agent' })
    expect(await turn).toEqual({ status: 'interrupted', reason: 'person' })
    const states = at.log
      .ofType('item.completed')
      .flatMap(({ body: { item } }) => (item.type === 'tool_call' ? [item.state.status] : []))
    expect(states).toEqual(['succeeded', 'interrupted'])
    expect(at.log.ofType('turn.interrupted')).toHaveLength(1)
    expect(input.window.openCalls.size).toBe(0)

    const next = stage()
    next.log.blobs = at.log.blobs
    await runTurn(next.ports, turnInput(provider, gated.tools, { window: input.window }))
    const sent = JSON.parse(provider.bodies[1] ?? '').input as { type: string }[]
    expect(sent.filter(({ type }) => type === 'function_call_output')).toHaveLength(2)
    expect(provider.bodies[1]).toContain('stopped this turn on purpose')
  })

  it('stop in the middle of words: what was said stays, marked as cut', async () => {
    const at = stage()
    const provider = scriptedProvider('openai-responses', [
      [
        { type: 'item.started', item: 0, kind: 'assistant' },
        { type: 'text.delta', item: 0, text: 'Half a sen' },
        new Promise(() => undefined),
      ],
    ])
    const turn = runTurn(at.ports, turnInput(provider, simpleTools))
    await until(() => at.log.deltas.length === 1)
    at.control.stop({ type: 'person', actorId: 'agent' })
    expect(await turn).toEqual({ status: 'interrupted', reason: 'person' })
    expect(at.log.ofType('item.completed').at(-1)?.body.item).toMatchObject({
      type: 'agent_message',
      text: { text: 'Half a sen' },
      cut: true,
    })
    expect(at.log.ends).toMatchObject([{ status: 'cut' }])
  })

  it.each(['shutdown', 'lease_lost'] as const)(
    '%s writes nothing more and leaves commands alone',
    async (type) => {
      const at = stage()
      const gated = gatedTool(true)
      const provider = scriptedProvider('openai-responses', [
        [...calls('c1', 'gated', { name: 'a' }), ...ends('tool_calls')],
      ])
      const turn = runTurn(at.ports, turnInput(provider, gated.tools))
      await until(() => gated.running.length === 1)
      at.control.stop({ type })
      const written = at.log.events.length
      expect(await turn).toEqual({ status: 'abandoned' })
      expect(at.log.events).toHaveLength(written)
      gated.open('a')
      await until(() => true)
      expect(at.log.events).toHaveLength(written)
    },
  )

  it('a lost lease that the log reports abandons the turn', async () => {
    const at = stage()
    at.log.loseAfter = 4
    const { outcome, defects } = await play([answers('Hello.')], { at })
    expect(outcome).toEqual({ status: 'abandoned' })
    expect(defects).toEqual([])
  })
})
