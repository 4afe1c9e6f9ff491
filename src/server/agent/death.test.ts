import { expect, it } from 'vitest'
import {
  answers,
  calls,
  ends,
  type Script,
  says,
  scriptedProvider,
} from '../../../test/setup/scripted-provider.ts'
import { reloadedWindow, stage, turnInput } from '../../../test/turns/edges.ts'
import { leftOver } from '../../../test/turns/left-over.ts'
import { simpleTools } from '../../../test/turns/tools.ts'
import type { WireKind } from '../providers/types.ts'
import { runTurn } from './turn.ts'

const scripts: Script[] = [
  [
    ...says('I look.'),
    ...calls('c1', 'echo', { text: 'one' }, 1),
    ...calls('c2', 'write', { text: 'two' }, 2),
    ...ends('tool_calls'),
  ],
  [...calls('c3', 'nothing', {}), ...calls('c4', 'echo', { text: 'four' }, 1), { fail: 'stream_cut' }],
  answers('Done.'),
]

/** What every vendor asks of a request: each call once, each result once, results after their calls. */
const checkCalls = (kind: WireKind, body: string): void => {
  const request = JSON.parse(body)
  const open = new Set<string>()
  const seen = new Set<string>()
  const call = (id: string): void => {
    expect(seen.has(id)).toBe(false)
    seen.add(id)
    open.add(id)
  }
  const result = (id: string): void => {
    expect(open.delete(id)).toBe(true)
  }
  const other = (): void => {
    expect([...open]).toEqual([])
  }
  if (kind === 'openai-responses')
    for (const item of request.input)
      if (item.type === 'function_call') call(item.call_id)
      else if (item.type === 'function_call_output') result(item.call_id)
      else other()
  else if (kind === 'google-genai')
    for (const { role, parts } of request.contents) {
      if (role === 'model') other()
      for (const { functionCall, functionResponse } of parts)
        if (functionCall !== undefined) call(functionCall.id)
        else if (functionResponse !== undefined) result(functionResponse.id)
        else if (role === 'user') other()
    }
  else
    for (const message of request.messages) {
      if (message.role === 'tool') result(message.tool_call_id)
      else if (message.role === 'assistant') {
        other()
        for (const { id } of message.tool_calls ?? []) call(id)
        if (Array.isArray(message.content))
          for (const { type, id } of message.content) if (type === 'tool_use') call(id)
      } else if (Array.isArray(message.content)) {
        for (const { type, tool_use_id } of message.content)
          if (type === 'tool_result') result(tool_use_id)
          else other()
      } else other()
    }
  other()
}

it.each<WireKind>(['openai-responses', 'openai-chat', 'anthropic-messages', 'google-genai'])(
  'whatever the moment a process dies, the next one goes on with a request that the vendor takes (%s)',
  async (kind) => {
    const whole = stage()
    await runTurn(whole.ports, turnInput(scriptedProvider(kind, scripts), simpleTools))
    const length = whole.log.events.length
    expect(length).toBeGreaterThan(20)
    for (let death = 1; death < length; death += 1) {
      const at = stage()
      at.log.loseAfter = death
      const provider = scriptedProvider(kind, scripts)
      const input = turnInput(provider, simpleTools)
      expect(await runTurn(at.ports, input), `died after ${death}`).toEqual({ status: 'abandoned' })

      const next = stage()
      next.log.blobs = at.log.blobs
      next.log.steps = at.log.steps
      next.log.windows = at.log.windows
      next.log.blocks = at.log.blocks
      const window = reloadedWindow(input.window, at.log)
      const resume = leftOver(at)
      const after = scriptedProvider(kind, [answers('Done.')])
      const outcome = await runTurn(next.ports, { ...input, provider: after, window, resume })
      expect(outcome, `died after ${death}`).toEqual({ status: 'completed' })
      expect(next.defects).toEqual([])
      expect(next.log.blocks.map(({ idx }) => idx)).toEqual(next.log.blocks.map((_, idx) => idx))
      for (const body of [...provider.bodies, ...after.bodies]) checkCalls(kind, body)
      const body = after.bodies.at(-1) ?? provider.bodies.at(-1) ?? ''
      expect(body.match(/do it/g), `died after ${death}`).toHaveLength(1)

      // Nothing is left open, and what was done once is not done again.
      const events = [...at.log.events, ...next.log.events]
      const state = new Map<string, boolean>()
      for (const { type, itemId } of events)
        if (itemId !== undefined && (type === 'item.started' || type === 'item.completed'))
          state.set(itemId, type === 'item.completed')
      expect([...state.values()].every(Boolean), `died after ${death}`).toBe(true)
      const steps = (type: string) => events.filter((event) => event.type === type).length
      expect(steps('step.started')).toBe(steps('step.completed') + steps('step.cut') + steps('step.failed'))
      expect(steps('turn.started')).toBe(1)
      expect(steps('turn.completed')).toBe(1)
    }
  },
)

it.each<WireKind>(['openai-responses', 'openai-chat', 'anthropic-messages', 'google-genai'])(
  'whatever the moment a person stops, all is told and the next turn can go on (%s)',
  async (kind) => {
    for (let moment = 1; moment < 40; moment += 1) {
      const at = stage()
      const { emit } = at.log
      at.log.emit = async (event, blocks) => {
        const emitted = await emit(event, blocks)
        if (emitted.seq === moment) at.control.stop({ type: 'person', actorId: 'agent' })
        return emitted
      }
      const input = turnInput(scriptedProvider(kind, scripts), simpleTools)
      const outcome = await runTurn(at.ports, input)
      expect(['interrupted', 'completed'], `stopped after ${moment}`).toContain(outcome.status)
      expect(at.log.events.at(-1)?.type).toBe(`turn.${outcome.status}`)
      expect(at.defects).toEqual([])

      const next = stage()
      next.log.blobs = at.log.blobs
      const provider = scriptedProvider(kind, [answers('Done.')])
      const window = input.window
      expect(await runTurn(next.ports, turnInput(provider, simpleTools, { window }))).toEqual({
        status: 'completed',
      })
      checkCalls(kind, provider.bodies[0] ?? '')
      // The words of both turns stand in the window once each.
      expect(provider.bodies[0]?.match(/do it/g), `stopped after ${moment}`).toHaveLength(2)
      const state = new Map<string, boolean>()
      for (const { type, itemId } of at.log.events)
        if (itemId !== undefined && (type === 'item.started' || type === 'item.completed'))
          state.set(itemId, type === 'item.completed')
      expect([...state.values()].every(Boolean), `stopped after ${moment}`).toBe(true)
      const steps = (type: string) => at.log.events.filter((event) => event.type === type).length
      expect(steps('step.started')).toBe(steps('step.completed') + steps('step.cut') + steps('step.failed'))
    }
  },
)
