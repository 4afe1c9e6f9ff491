// Providers and models at their worst, over real HTTP: each fault has its code, and nothing recorded is lost.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadScenarios } from '../scripted-model/load.ts'
import { type ScriptedModel, startScriptedModel } from '../scripted-model/scripted-model.ts'
import { promptItems } from './prompt-items.ts'
import { until } from './tools.ts'
import { wholeTurn, wires } from './whole-turn.ts'

let server: ScriptedModel
beforeAll(async () => {
  server = await startScriptedModel({ scenarios: await loadScenarios(), hurry: true })
})
afterAll(() => server.close())

describe.each(wires)('over %s', (kind) => {
  it.each(['429', '500', '529', 'html', 'cut-head', 'cut-part'])(
    '%s is tried again and gets well',
    async (fault) => {
      const turn = wholeTurn(server, kind, `fault:${fault}`)
      expect(await turn.run()).toEqual({ status: 'completed' })
      expect(turn.log.ofType('step.retried')).toHaveLength(1)
      const bodies = turn.bodies()
      expect(bodies).toHaveLength(2)
      expect(bodies[0]).toBe(bodies[1])
      expect(turn.defects).toEqual([])
    },
  )

  it.each([
    ['401', 'failed', 'provider_auth', 1],
    ['quota', 'failed', 'provider_quota', 1],
    // A window that the provider calls too long is handed over once; a new one that is too long as well ends the turn.
    ['overflow', 'limited', 'context_overflow', 2],
  ])('%s ends the turn as %s with %s, after %i', async (fault, status, code, requests) => {
    const turn = wholeTurn(server, kind, `fault:${fault}`)
    expect(await turn.run()).toMatchObject({ status, error: { code } })
    expect(turn.bodies()).toHaveLength(requests)
    expect(turn.log.ofType('window.opened')).toHaveLength(requests)
    expect(turn.defects).toEqual([])
  })

  it('an error in the stream after whole words keeps them, or is tried again', async () => {
    const turn = wholeTurn(server, kind, 'fault:overloaded')
    expect(await turn.run()).toEqual({ status: 'completed' })
    expect(turn.log.ofType('step.retried')).toMatchObject([
      { body: { error: { code: 'provider_overloaded' } } },
    ])
    expect(turn.bodies()).toHaveLength(2)
  })

  it('a stream cut after a call keeps the call and goes on', async () => {
    const turn = wholeTurn(server, kind, 'fault:cut-call')
    expect(await turn.run()).toEqual({ status: 'completed' })
    expect(turn.log.ofType('step.cut')).toHaveLength(1)
    // On the chat wire a call is whole only with the answer's end; until then its words alone are.
    const kept = kind !== 'openai-chat'
    expect(turn.sandbox.ran.map(({ script }) => script)).toEqual(kept ? ['echo kept'] : [])
    expect(promptItems(turn.bodies()[1] ?? '').join()).toContain('I run something.')
    expect(promptItems(turn.bodies()[1] ?? '').at(-1)).toContain(kept ? 'kept' : 'Go on from there')
  })

  it.each([
    ['bad-json', 'tool_bad_arguments'],
    ['no-tool', 'tool_unknown'],
  ])('%s is answered in words that the model can act on', async (fault, code) => {
    const turn = wholeTurn(server, kind, `fault:${fault}`)
    expect(await turn.run()).toEqual({ status: 'completed' })
    const call = turn.log
      .ofType('item.completed')
      .flatMap(({ body: { item } }) => (item.type === 'tool_call' ? [item.state] : []))
    expect(call).toMatchObject([{ status: 'refused', error: { code } }])
  })

  it('two calls with one id both run and both have their result', async () => {
    const turn = wholeTurn(server, kind, 'fault:same-id')
    expect(await turn.run()).toEqual({ status: 'completed' })
    expect(turn.sandbox.ran.map(({ script }) => script).sort()).toEqual(['echo one', 'echo two'])
    expect(turn.bodies()[1]).toContain('call_same_2')
  })

  it('an answer that never ends is stopped by a person', async () => {
    const turn = wholeTurn(server, kind, 'endless')
    const ended = turn.run()
    await until(() => turn.log.deltas.length > 0)
    turn.control.stop({ type: 'person', actorId: 'agent' })
    expect(await ended).toEqual({ status: 'interrupted', reason: 'person' })
    expect(turn.log.ofType('item.completed').at(-1)?.body.item).toMatchObject({
      type: 'agent_message',
      text: { text: 'I begin, and then' },
    })
    expect(turn.log.ofType('step.cut')).toHaveLength(1)
  })

  it('a running command is killed when a person stops, and the next turn can go on', async () => {
    const turn = wholeTurn(server, kind, 'interrupted')
    turn.sandbox.play(async ({ print, signal }) => {
      print('begun\n')
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    })
    const ended = turn.run()
    await until(() => turn.sandbox.ran.length === 1)
    await until(() => turn.log.ofType('command.started').length === 1)
    turn.control.stop({ type: 'person', actorId: 'agent' })
    expect(await ended).toEqual({ status: 'interrupted', reason: 'person' })
    expect(turn.sandbox.killed).toHaveLength(1)
    const next = wholeTurn(server, kind, 'interrupted')
    expect(await next.run({ window: turn.input.window, model: turn.input.model })).toEqual({
      status: 'completed',
    })
    const [before, after] = next.bodies().slice(-1).concat(turn.bodies()).map(promptItems)
    expect(after?.every((item, at) => before?.[at] === item)).toBe(true)
  })
})

it('a model that runs the same command over and over is stopped, whatever the time it takes', async () => {
  server.add({
    name: 'circle',
    rules: [{ reply: { calls: [{ name: 'exec_command', arguments: { cmd: 'echo same' } }] } }],
  })
  const turn = wholeTurn(server, 'openai-responses', 'circle')
  turn.sandbox.play(({ print }) => {
    turn.clock.advance(10 * turn.sandbox.ran.length)
    print('same\n')
  })
  expect(await turn.run()).toMatchObject({ status: 'limited', error: { code: 'stuck' } })
  expect(turn.sandbox.ran).toHaveLength(4)
})
