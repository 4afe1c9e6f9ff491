import { expect, it } from 'vitest'
import {
  answers,
  calls,
  ends,
  type Script,
  says,
  scriptedProvider,
} from '../../../test/setup/scripted-provider.ts'
import { emptyWindow, reloadedWindow, stage, turnInput } from '../../../test/turns/edges.ts'
import { leftOver, wantsWindow } from '../../../test/turns/left-over.ts'
import type { Strategy } from '../../protocol/settings.ts'
import { newContext } from '../tools/new-context.ts'
import { readFileTool } from '../tools/read-file.ts'
import { toolSet } from '../tools/registry.ts'
import { updatePlan } from '../tools/update-plan.ts'
import { runTurn } from './turn.ts'

const tools = toolSet([readFileTool, updatePlan, newContext])
const rules = 'Never use tabs.'
const files = { '/workspace/AGENTS.md': rules, '/workspace/a.txt': `${'line of text\n'.repeat(100)}` }

const document: Script = [...says('The document.'), ...ends('end', 9_600)]

const scriptsOf = (strategy: Strategy): Script[] => {
  const documents = strategy === 'handoff' ? [document] : []
  return [
    [
      ...calls('p', 'update_plan', { plan: [{ step: 'read a', status: 'in_progress' }] }),
      ...calls('r', 'read_file', { path: 'a.txt' }, 1),
      ...ends('tool_calls', 3_000),
    ],
    [
      ...calls('n', 'new_context', {}),
      ...calls('s', 'read_file', { path: 'a.txt' }, 1),
      ...ends('tool_calls', 4_000),
    ],
    ...documents,
    [...says('On it.'), ...calls('t', 'read_file', { path: 'a.txt' }, 1), ...ends('tool_calls', 9_500)],
    ...documents,
    answers('Done.'),
  ]
}

const prepare = (strategy: Strategy) => {
  const at = stage(files)
  at.control.set({ strategy, window: { limitTokens: 9_000, bufferTokens: 0 } })
  return at
}

it.each<Strategy>(['windows', 'handoff', 'layers'])(
  'whatever the moment a process dies around a hand-over, nothing is lost or said twice (%s)',
  async (strategy) => {
    const scripts = scriptsOf(strategy)
    const whole = prepare(strategy)
    const played = turnInput(scriptedProvider('openai-responses', scripts), tools)
    expect(await runTurn(whole.ports, played)).toEqual({ status: 'completed' })
    expect(whole.log.windows.length).toBeGreaterThan(2)
    for (let death = 1; death < whole.log.events.length; death += 1) {
      const about = `died after ${death}`
      const at = prepare(strategy)
      at.log.loseAfter = death
      const provider = scriptedProvider('openai-responses', scripts)
      const input = turnInput(provider, tools, { window: emptyWindow() })
      const first = input.window
      expect(await runTurn(at.ports, input), about).toEqual({ status: 'abandoned' })
      const { log } = at
      // The log and its windows agree: each window that was opened has its row, its blocks and its item.
      const opened = log.ofType('window.opened')
      expect(log.windows.map(({ windowId }) => windowId)).toEqual(opened.map(({ windowId }) => windowId))
      for (const { windowId, body } of opened)
        expect(log.blocksOf(windowId).length, about).toBeGreaterThanOrEqual(body.blocks)
      expect(log.ofType('window.closed')).toHaveLength(Math.max(0, opened.length - 1))

      const next = prepare(strategy)
      next.log.events.push(...log.events)
      next.log.blobs = log.blobs
      next.log.windows = [...log.windows]
      next.log.steps = [...log.steps]
      for (const [windowId, blocks] of log.ofWindow) next.log.ofWindow.set(windowId, blocks)
      const newest = log.windows.at(-1)
      const known =
        newest === undefined
          ? first
          : reloadedWindow({ ...emptyWindow(), windowId: newest.windowId, index: newest.index }, next.log)
      const after = scriptedProvider('openai-responses', [answers('Done.')])
      const resume = leftOver(at)
      const outcome = await runTurn(next.ports, {
        ...input,
        provider: after,
        window: known,
        resume,
        wantsWindow: wantsWindow(next.log),
      })
      expect(outcome, about).toEqual({ status: 'completed' })
      expect(next.defects, about).toEqual([])
      for (const [, blocks] of next.log.ofWindow)
        expect(
          blocks.map(({ idx }) => idx),
          about,
        ).toEqual(blocks.map((_, idx) => idx))
      for (const body of [...provider.bodies, ...after.bodies]) {
        const { input: items } = JSON.parse(body) as { input: { role?: string; content?: unknown }[] }
        const said = items.filter(
          ({ role, content }) => role === 'user' && JSON.stringify(content).includes('"do it"'),
        )
        expect(said, about).toHaveLength(1)
        expect(body, about).toContain(rules)
      }
      // A window that the model asked for is opened by whoever goes on.
      const events = next.log.events
      const asked = events.findIndex(
        (event) =>
          event.type === 'item.completed' &&
          event.body.item.type === 'tool_call' &&
          event.body.item.tool === 'new_context' &&
          event.body.item.state.status === 'succeeded',
      )
      if (asked >= 0)
        expect(
          next.log.ofType('window.opened').some(({ body }) => body.reason === 'asked'),
          about,
        ).toBe(true)
      expect(next.log.ofType('turn.completed')).toHaveLength(1)
    }
  },
)

it('a turn in a window that is open loses nothing of its message, whatever the moment a process dies', async () => {
  const script = [[...calls('r', 'read_file', { path: 'a.txt' }), ...ends('tool_calls')], answers('Done.')]
  for (let death = 1; death < 14; death += 1) {
    const about = `died after ${death}`
    const at = prepare('windows')
    const window = emptyWindow()
    const first = turnInput(scriptedProvider('openai-responses', [answers('Hello.')]), tools, {
      window,
    })
    await runTurn(at.ports, { ...first, content: [{ type: 'text', text: 'hello' }] })
    const before = at.log.events.length
    at.log.loseAfter = before + death
    const provider = scriptedProvider('openai-responses', script)
    const input = turnInput(provider, tools, { window })
    const outcome = await runTurn(at.ports, input)
    if (outcome.status === 'completed') break
    const left = { log: { ...at.log, events: at.log.events.slice(before) } }
    left.log.ofType = (type) => left.log.events.filter((event) => event.type === type) as never
    const next = prepare('windows')
    next.log.events.push(...at.log.events)
    next.log.windows = [...at.log.windows]
    next.log.steps = [...at.log.steps]
    for (const [windowId, blocks] of at.log.ofWindow) next.log.ofWindow.set(windowId, blocks)
    const after = scriptedProvider('openai-responses', script)
    const resumed = {
      ...input,
      provider: after,
      window: reloadedWindow(window, next.log),
      resume: leftOver(left),
    }
    expect(await runTurn(next.ports, resumed), about).toEqual({ status: 'completed' })
    const body = after.bodies.at(-1) ?? provider.bodies.at(-1) ?? ''
    expect(body.match(/"do it"/g), about).toHaveLength(1)
  }
})
