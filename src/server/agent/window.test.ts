import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  answers,
  calls,
  ends,
  type Script,
  says,
  scriptedProvider,
  traits,
} from '../../../test/setup/scripted-provider.ts'
import { emptyWindow, reloadedWindow, stage, turnInput } from '../../../test/turns/edges.ts'
import { promptItems } from '../../../test/turns/prompt-items.ts'
import { simpleTools } from '../../../test/turns/tools.ts'
import type { ModelEvent, WindowTraits, WireKind } from '../providers/types.ts'
import { runTurn } from './turn.ts'

const wires: WireKind[] = ['openai-responses', 'openai-chat', 'anthropic-messages', 'google-genai']

const traitsOf = (kind: WireKind): WindowTraits => ({
  ...traits,
  reasoning: kind === 'openai-chat' ? 'reasoning_content' : 'payload',
  thinking: kind === 'anthropic-messages' ? 'adaptive' : 'none',
})

const reasons = (kind: WireKind, text: string, item: number): ModelEvent[] => {
  const payload = {
    'openai-responses': { type: 'reasoning', summary: [], encrypted_content: text },
    'openai-chat': { reasoning_content: text },
    'anthropic-messages': { type: 'thinking', thinking: text, signature: 'signed' },
    'google-genai': { parts: [{ text, thought: true, thoughtSignature: 'signed' }] },
  }[kind]
  return [
    { type: 'item.started', item, kind: 'reasoning' },
    { type: 'reasoning.delta', item, text },
    {
      type: 'item.completed',
      item,
      block: { kind: 'reasoning', text, payload: { wire: kind, item: payload } },
    },
  ]
}

type Shape = {
  reasoning: boolean
  words: boolean
  calls: number
  cut: boolean
  steer: boolean
  readOnly: boolean
}

const shape: fc.Arbitrary<Shape> = fc.record({
  reasoning: fc.boolean(),
  words: fc.boolean(),
  calls: fc.integer({ min: 1, max: 3 }),
  cut: fc.boolean(),
  steer: fc.boolean(),
  readOnly: fc.boolean(),
})

const scriptOf = (kind: WireKind, { reasoning, words, calls: count, cut }: Shape, step: number): Script => {
  const script: Script = []
  let item = 0
  if (reasoning) script.push(...reasons(kind, `thought ${step}`, item++))
  if (words) script.push(...says(`words ${step} "quoted" 中文`, item++))
  // The same ids in every answer, as some vendors count them.
  for (let n = 0; n < count; n += 1)
    script.push(...calls(`call_${n}`, 'write', { text: `${step}.${n}` }, item++))
  if (cut) script.push(...reasons(kind, 'lost', item), { fail: 'stream_cut' })
  else script.push(...ends('tool_calls'))
  return script
}

describe('within a window', () => {
  it.each(wires)('the items of each request are a prefix of the next (%s)', async (kind) => {
    await fc.assert(
      fc.asyncProperty(fc.array(shape, { minLength: 1, maxLength: 8 }), async (shapes) => {
        const at = stage({ '/workspace/AGENTS.md': 'rules' })
        const provider = scriptedProvider(kind, [
          ...shapes.map((each, step) => scriptOf(kind, each, step)),
          [...reasons(kind, 'last', 0), ...says('Done.', 1), ...ends()],
        ])
        const { settings } = at.control
        at.control.settings = () => {
          const now = shapes[provider.bodies.length - 1]
          return { ...settings(), permission: now?.readOnly ? 'read-only' : 'workspace-write' }
        }
        at.control.takeSteers = async () =>
          shapes[provider.bodies.length - 1]?.steer
            ? [
                {
                  opId: 'op',
                  actorId: 'agent',
                  content: [{ type: 'text', text: `steer ${provider.bodies.length}` }],
                },
              ]
            : []
        const window = emptyWindow()
        const more = { window, traits: traitsOf(kind) }
        await runTurn(at.ports, turnInput(provider, simpleTools, more))
        at.control.takeSteers = async () => []
        await runTurn(at.ports, turnInput(provider, simpleTools, more))

        expect(at.defects).toEqual([])
        expect(provider.bodies.length).toBeGreaterThan(shapes.length + 1)
        for (let n = 1; n < provider.bodies.length; n += 1) {
          const before = promptItems(provider.bodies[n - 1] ?? '')
          const after = promptItems(provider.bodies[n] ?? '')
          expect(after.slice(0, before.length)).toEqual(before)
        }
      }),
      { numRuns: 25 },
    )
  })

  it.each(wires)('the request is rebuilt from what is stored, byte for byte (%s)', async (kind) => {
    const at = stage()
    const shapes: Shape[] = [1, 2, 3].map((count) => ({
      reasoning: true,
      words: true,
      calls: count,
      cut: count === 2,
      steer: false,
      readOnly: false,
    }))
    const provider = scriptedProvider(kind, [
      ...shapes.map((each, step) => scriptOf(kind, each, step)),
      answers('Done.'),
    ])
    const window = emptyWindow()
    await runTurn(at.ports, turnInput(provider, simpleTools, { window, traits: traitsOf(kind) }))
    const stored = reloadedWindow(window, at.log)
    expect(at.log.blocks.map(({ idx }) => idx)).toEqual(at.log.blocks.map((_, idx) => idx))
    at.log.steps.forEach((step, n) => {
      const body = provider.wire.assembleBody(
        step.envelope,
        stored.wire.slice(0, step.blockCount),
        step.cacheMarks,
      )
      expect(Buffer.from(body).toString()).toBe(provider.bodies[n])
    })
    expect(stored.told).toEqual(window.told)
    expect(stored.openCalls).toEqual(window.openCalls)
    expect(stored.callIds).toEqual(window.callIds)
  })
})

describe('reasoning', () => {
  it('bugs 6: is sent back verbatim on every message, for a vendor that wants it', async () => {
    const kind = 'openai-chat'
    const at = stage()
    const provider = scriptedProvider(kind, [
      [...reasons(kind, 'why one', 0), ...says('One.', 1), ...ends()],
      [...reasons(kind, 'why two', 0), ...calls('c1', 'echo', { text: 'x' }, 1), ...ends('tool_calls')],
      [...calls('c2', 'echo', { text: 'y' }), ...ends('tool_calls')],
      answers('Done.'),
    ])
    const more = { window: emptyWindow(), traits: { ...traitsOf(kind), reasoningOnEveryMessage: true } }
    await runTurn(at.ports, turnInput(provider, simpleTools, more))
    await runTurn(at.ports, turnInput(provider, simpleTools, more))
    const said = (
      JSON.parse(provider.bodies[3] ?? '').messages as { role: string; reasoning_content?: string }[]
    ).filter(({ role }) => role === 'assistant')
    expect(said.map(({ reasoning_content }) => reasoning_content)).toEqual(['why one', 'why two', ''])
  })

  it('bugs 6: is never sent where the vendor refuses the field', async () => {
    const kind = 'openai-chat'
    const at = stage()
    const provider = scriptedProvider(kind, [
      [...reasons(kind, 'why one', 0), ...says('One.', 1), ...ends()],
      answers('Done.'),
    ])
    const more = { window: emptyWindow(), traits: { ...traits, reasoning: 'none' as const } }
    await runTurn(at.ports, turnInput(provider, simpleTools, more))
    await runTurn(at.ports, turnInput(provider, simpleTools, more))
    expect(provider.bodies[1]).not.toContain('reasoning')
    expect(provider.bodies[1]).not.toContain('why one')
  })

  it('fills no window where it is not sent, though the vendor counts it among the output', async () => {
    const kind = 'openai-chat'
    const at = stage()
    // A thousand tokens of thought and some twenty of answer, of which the vendor tells only the sum.
    const provider = scriptedProvider(kind, [
      [...reasons(kind, 'why '.repeat(1_000), 0), ...says('One.', 1), ...ends('end', 3_000, 1_020)],
    ])
    const more = { window: emptyWindow(), traits: { ...traits, reasoning: 'none' as const } }
    await runTurn(at.ports, turnInput(provider, simpleTools, more))
    const told = at.log.ofType('step.completed')[0]?.body.contextTokens ?? 0
    expect(Math.abs(told - 3_020)).toBeLessThan(60)
    expect(more.window.lastRequest?.contextTokens).toBe(told)
  })

  it('is dropped when unsigned, or when nothing follows it', async () => {
    const kind = 'anthropic-messages'
    const at = stage()
    const unsigned: Script = [
      {
        type: 'item.completed',
        item: 0,
        block: {
          kind: 'reasoning',
          text: 'unsigned',
          payload: { wire: kind, item: { type: 'thinking', thinking: 'unsigned', signature: '' } },
        },
      },
    ]
    const provider = scriptedProvider(kind, [
      [...unsigned, ...calls('c1', 'echo', { text: 'x' }, 1), ...ends('tool_calls')],
      [...calls('c2', 'echo', { text: 'y' }), ...reasons(kind, 'trailing', 1), ...ends('tool_calls')],
      answers('Done.'),
    ])
    await runTurn(at.ports, turnInput(provider, simpleTools, { traits: traitsOf(kind) }))
    expect(provider.bodies[2]).not.toContain('unsigned')
    expect(provider.bodies[2]).not.toContain('trailing')
    // People still see it.
    const shown = at.log.ofType('item.completed').map(({ body }) => body.item)
    expect(shown.filter(({ type }) => type === 'reasoning')).toHaveLength(2)
  })
})

it('bugs 8: whatever a tool prints, the model is given valid Unicode without NUL', async () => {
  const at = stage()
  const provider = scriptedProvider('openai-responses', [
    [...calls('c1', 'echo', { text: 'a\0b\ud800c' }), ...ends('tool_calls')],
    answers('Done.'),
  ])
  await runTurn(at.ports, turnInput(provider, simpleTools))
  const output = JSON.parse(provider.bodies[1] ?? '').input.at(-1).output as string
  expect(output.isWellFormed()).toBe(true)
  expect(output).not.toContain('\0')
})
