import { describe, expect, it } from 'vitest'
import { answers, calls, ends, says, scriptedProvider } from '../../../test/setup/scripted-provider.ts'
import { reloadedWindow, stage, turnInput } from '../../../test/turns/edges.ts'
import { leftOver } from '../../../test/turns/left-over.ts'
import { gatedTool, simpleTools, until } from '../../../test/turns/tools.ts'
import { runTurn } from './turn.ts'

const killedInCalls = async (
  kind: 'openai-responses' | 'openai-chat' | 'anthropic-messages' | 'google-genai',
) => {
  const at = stage()
  const gated = gatedTool(true)
  const provider = scriptedProvider(kind, [
    [
      ...says('Looking.'),
      ...calls('c1', 'gated', { name: 'a' }, 1),
      ...calls('c2', 'gated', { name: 'b' }, 2),
      ...ends('tool_calls'),
    ],
    answers('Going on.'),
  ])
  const input = turnInput(provider, gated.tools)
  const turn = runTurn(at.ports, input)
  await until(() => gated.running.length === 2)
  return { at, gated, provider, input, turn }
}

const resultsIn = (body: string): string => {
  const { input, messages, contents } = JSON.parse(body)
  return JSON.stringify(input ?? messages ?? contents)
}

describe('a turn that a dead process left', () => {
  it.each(['openai-responses', 'openai-chat', 'anthropic-messages', 'google-genai'] as const)(
    'bugs 3: each call without a result is answered as interrupted, right after the calls (%s)',
    async (kind) => {
      const { at, provider, input, turn } = await killedInCalls(kind)
      at.control.stop({ type: 'shutdown' })
      expect(await turn).toEqual({ status: 'abandoned' })

      const next = stage()
      next.log.blobs = at.log.blobs
      const window = reloadedWindow(input.window, at.log)
      expect(window.openCalls.size).toBe(2)
      const outcome = await runTurn(next.ports, { ...input, window, resume: leftOver(at) })
      expect(next.defects).toEqual([])
      expect(outcome).toEqual({ status: 'completed' })
      const sent = resultsIn(provider.bodies[1] ?? '')
      expect(sent.match(/interrupted: the server was restarted/g)).toHaveLength(2)
      if (kind === 'openai-responses') {
        const list = JSON.parse(provider.bodies[1] ?? '').input as { type: string; call_id?: string }[]
        const from = list.findIndex(({ type }) => type === 'function_call')
        expect(list.slice(from, from + 4).map(({ type, call_id }) => [type, call_id])).toEqual([
          ['function_call', 'c1'],
          ['function_call', 'c2'],
          ['function_call_output', 'c1'],
          ['function_call_output', 'c2'],
        ])
      }
      expect(next.log.ofType('step.cut')).toHaveLength(1)
      expect(next.log.ofType('turn.started')).toHaveLength(0)
      const states = next.log
        .ofType('item.completed')
        .flatMap(({ body: { item } }) => (item.type === 'tool_call' ? [item.state.status] : []))
      expect(states).toEqual(['interrupted', 'interrupted'])
    },
  )

  it('bugs 3: a result that the log has is told, only the other one is interrupted', async () => {
    const { at, gated, provider, input, turn } = await killedInCalls('openai-responses')
    gated.open('a', 'the first result')
    await until(() => at.log.ofType('item.completed').some(({ body: { item } }) => item.type === 'tool_call'))
    at.control.stop({ type: 'shutdown' })
    await turn
    const next = stage()
    const window = reloadedWindow(input.window, at.log)
    await runTurn(next.ports, { ...input, window, resume: leftOver(at) })
    const sent = resultsIn(provider.bodies[1] ?? '')
    expect(sent).toContain('the first result')
    expect(sent.match(/interrupted: the server was restarted/g)).toHaveLength(1)
  })

  it('takes up the command that the sandbox still knows, under its own id', async () => {
    const { at, gated, provider, input, turn } = await killedInCalls('openai-responses')
    at.control.stop({ type: 'shutdown' })
    await turn
    const next = stage()
    const [first] = [...input.window.openCalls.keys()]
    const commandId = (first ?? '').replace('itm_', 'cmd_')
    next.sandbox.commands = async () => [{ commandId, status: 'running', bytes: 0, end: null }]
    gated.open('a', 'what it printed meanwhile')
    const window = reloadedWindow(input.window, at.log)
    await runTurn(next.ports, { ...input, window, resume: leftOver(at) })
    expect(next.defects).toEqual([])
    const sent = resultsIn(provider.bodies[1] ?? '')
    expect(sent).toContain('what it printed meanwhile')
    expect(sent.match(/interrupted: the server was restarted/g)).toHaveLength(1)
    expect(next.log.ofType('server.restarted')[0]?.body).toEqual({
      resumed: ['gated'],
      repeated: [],
      abandoned: ['gated'],
    })
  })

  it('waits on for the answer to a question that was asked before', async () => {
    const at = stage()
    at.control.ask = () => new Promise(() => undefined)
    const provider = scriptedProvider('openai-responses', [
      [...calls('c1', 'question', { text: 'Which?' }), ...ends('tool_calls')],
      answers('Done.'),
    ])
    const input = turnInput(provider, simpleTools)
    const turn = runTurn(at.ports, input)
    await until(() => at.log.ofType('input.requested').length === 1)
    at.control.stop({ type: 'shutdown' })
    await turn
    const next = stage()
    const asked: string[] = []
    next.control.ask = async (itemId) => {
      asked.push(itemId)
      return { q: ['the second'] }
    }
    const window = reloadedWindow(input.window, at.log)
    await runTurn(next.ports, { ...input, window, resume: leftOver(at) })
    expect(asked).toEqual(at.log.ofType('input.requested').map(({ body }) => body.itemId))
    expect(next.log.ofType('input.requested')).toHaveLength(0)
    expect(provider.bodies[1]).toContain('the second')
  })

  it('a message whose words never reached the window is told', async () => {
    const at = stage()
    // The log takes the first two events, then another runner has it.
    at.log.loseAfter = 2
    const provider = scriptedProvider('openai-responses', [answers('Done.')])
    const input = turnInput(provider, gatedTool(true).tools)
    expect(await runTurn(at.ports, input)).toEqual({ status: 'abandoned' })
    const next = stage()
    const window = reloadedWindow(input.window, at.log)
    const outcome = await runTurn(next.ports, { ...input, window, resume: leftOver(at) })
    expect(outcome).toEqual({ status: 'completed' })
    expect(provider.bodies[0]?.match(/do it/g)).toHaveLength(1)
    expect(next.log.ofType('turn.completed')).toHaveLength(1)
  })

  it('whose last word was said is only ended', async () => {
    const at = stage()
    const provider = scriptedProvider('openai-responses', [answers('All done.')])
    const input = turnInput(provider, gatedTool(true).tools)
    await runTurn(at.ports, input)
    const next = stage()
    const window = reloadedWindow(input.window, at.log)
    const outcome = await runTurn(next.ports, { ...input, window, resume: leftOver(at) })
    expect(outcome).toEqual({ status: 'completed' })
    expect(provider.bodies).toHaveLength(1)
    expect(next.log.events.map(({ type }) => type)).toEqual(['turn.completed'])
  })

  it('calls that an earlier turn left open are answered before anything else is said', async () => {
    const { at, provider, input, turn } = await killedInCalls('anthropic-messages')
    at.control.stop({ type: 'shutdown' })
    await turn
    const next = stage()
    const window = reloadedWindow(input.window, at.log)
    await runTurn(next.ports, { ...turnInput(provider, input.tools), window })
    const messages = JSON.parse(provider.bodies[1] ?? '').messages as {
      role: string
      content: { type: string }[]
    }[]
    const at2 = messages.findIndex(({ content }) => content.some(({ type }) => type === 'tool_use'))
    expect(messages[at2 + 1]?.content.map(({ type }) => type)).toEqual(['tool_result', 'tool_result'])
  })
})
