// What the model is shown when its window begins, fills, and is handed over, in each strategy: the request as it went out.

import { describe, expect, it } from 'vitest'
import { sha256 } from '../../src/lib/sha256.ts'
import type { Strategy } from '../../src/protocol/settings.ts'
import { runTurn } from '../../src/server/agent/turn.ts'
import type { TurnInput } from '../../src/server/agent/types.ts'
import type { WireKind } from '../../src/server/providers/types.ts'
import { standardTools } from '../../src/server/tools/tools.ts'
import {
  answers,
  calls,
  ends,
  model,
  type Script,
  type ScriptedProvider,
  says,
  scriptedProvider,
  traits,
} from '../setup/scripted-provider.ts'
import { emptyWindow, type Stage, stage, turnInput } from './edges.ts'
import { promptItems } from './prompt-items.ts'
import { wires } from './whole-turn.ts'

const rules = 'Use semicolons nowhere.\nNever touch vendored files.'
const planCall = (step: number): Script =>
  calls(
    `plan_${step}`,
    'update_plan',
    {
      plan: [
        { step: 'look', status: 'completed' },
        { step: 'fix', status: 'in_progress' },
      ],
    },
    0,
  )
const reads = (n: number, usage: number): Script => [
  ...says(`Step ${n}.`),
  ...calls(`call_${n}`, 'read_file', { path: `file-${n}.txt` }, 1),
  ...ends('tool_calls', usage, 100),
]
const done: Script = answers('It is done.')

type Played = { at: Stage; provider: ScriptedProvider; input: TurnInput }

const files = Object.fromEntries(
  Array.from({ length: 40 }, (_, n) => [
    `/workspace/file-${n}.txt`,
    `${n}\n${'word word word word word word word word word\n'.repeat(18)}`,
  ]),
)

const prepare = (
  scripts: Script[],
  strategy: Strategy = 'windows',
  kind: WireKind = 'openai-responses',
): Played => {
  const at = stage({ '/workspace/AGENTS.md': rules, ...files })
  at.control.set({ strategy, window: { limitTokens: 20_000, reminderTokens: 3_000, bufferTokens: 4_000 } })
  const provider = scriptedProvider(kind, scripts)
  const input = turnInput(provider, standardTools, {
    content: [{ type: 'text', text: 'Fix the sum in all files.' }],
    projectInstructions: 'Answer in one sentence.',
  })
  return { at, provider, input }
}

const play = async (scripts: Script[], strategy: Strategy = 'windows'): Promise<Played> => {
  const played = prepare(scripts, strategy)
  expect(await runTurn(played.at.ports, played.input)).toEqual({ status: 'completed' })
  expect(played.at.defects).toEqual([])
  return played
}

/** Ids differ from run to run, long words say nothing here, and tools have tests of their own. */
const shown = (body: string | undefined): string => {
  const request = JSON.parse(body ?? '{}') as Record<string, unknown>
  const ids = new Map<string, string>()
  const plain = (value: unknown): unknown =>
    typeof value === 'string' && value.startsWith('You are Baton') ? '(base instructions)' : value
  return JSON.stringify({ ...request, tools: '(tools)' }, (_key, value) => plain(value), 1)
    .replace(/(?: *\d+\\\\t(?:word ?)+\\\\n)+/g, '(words)\\n')
    .replace(/\b(win|itm|stp)_[0-9a-f-]{36}/g, (id, prefix: string) => {
      const known = ids.get(id) ?? `(${prefix} ${ids.size})`
      ids.set(id, known)
      return known
    })
}

/** One line for each item of the request. */
const outline = (body: string | undefined): string[] => {
  const { input } = JSON.parse(shown(body)) as { input: Record<string, unknown>[] }
  return input.map((item) => {
    const parts = item.content as string | { text?: string }[] | undefined
    const words = Array.isArray(parts) ? parts.map(({ text }) => text).join(' ') : parts
    const said = item.output ?? item.arguments ?? words
    return `${item.role ?? item.type}: ${String(said).replace(/\s+/g, ' ').slice(0, 70)}`
  })
}

const reasons = ({ at }: Played) => at.log.ofType('window.opened').map(({ body }) => body.reason)

/** Every window's first request has each rules file that its event names, by hash and word for word. */
const expectRules = ({ at, provider }: Played): void => {
  const first = new Map<string, number>()
  at.log.steps.forEach(({ windowId }, n) => {
    if (!first.has(windowId)) first.set(windowId, n)
  })
  const hash = sha256(rules)
  for (const { windowId, body } of at.log.ofType('window.opened')) {
    expect(body.rules).toEqual([{ path: '/workspace/AGENTS.md', hash }])
    const n = first.get(windowId)
    if (n === undefined) continue
    expect(provider.bodies[n]).toContain(JSON.stringify(rules).slice(1, -1))
  }
}

describe('a window', () => {
  it('begins with instructions, rules, the world and the message', async () => {
    const played = await play([done])
    expect(shown(played.provider.bodies[0])).toMatchSnapshot()
    expectRules(played)
  })

  it('says once that little is left, and once that it is full', async () => {
    const played = await play([reads(0, 17_500), reads(1, 17_900), reads(2, 20_500), reads(3, 20_900), done])
    const warned = played.at.log.ofType('window.warned').map(({ body }) => body.kind)
    expect(warned).toEqual(['reminder', 'limit'])
    expect(reasons(played)).toEqual(['first_turn'])
    expect(shown(played.provider.bodies[1])).toMatchSnapshot()
    expect(shown(played.provider.bodies[3])).toMatchSnapshot()
  })

  it('is handed over in the middle of a turn when the model asks, with all results recorded before', async () => {
    const played = await play([
      [...planCall(0), ...ends('tool_calls', 6_000, 100)],
      [
        ...calls('a', 'new_context', {}, 0),
        ...calls('b', 'read_file', { path: 'file-1.txt' }, 1),
        ...ends('tool_calls', 7_000, 100),
      ],
      done,
    ])
    expect(reasons(played)).toEqual(['first_turn', 'asked'])
    expect(shown(played.provider.bodies[2])).toMatchSnapshot()
    expectRules(played)
    const { events } = played.at.log
    const closed = events.findIndex(({ type }) => type === 'window.closed')
    const results = events.filter(
      (event, n) => n < closed && event.type === 'item.completed' && event.body.item.type === 'tool_call',
    )
    expect(results).toHaveLength(3)
    expect(events.slice(closed, closed + 3).map(({ type }) => type)).toEqual([
      'window.closed',
      'window.opened',
      'item.completed',
    ])
    expect(events[closed + 2]?.body).toMatchObject({ item: { type: 'hand_over', reason: 'asked', index: 1 } })
    const opened = played.at.log.ofType('window.opened')[1]?.body
    expect(opened?.left?.items).toBeGreaterThan(1)
    expect(opened?.given?.map(({ kind }) => kind).slice(0, 4)).toEqual([
      'tool',
      'instructions',
      'developer',
      'world:rules',
    ])
  })

  it('is handed over by itself when the model goes on above the limit', async () => {
    const played = await play([reads(0, 20_500), reads(1, 23_900), done])
    expect(reasons(played)).toEqual(['first_turn', 'budget'])
    expect(shown(played.provider.bodies[2])).toMatchSnapshot()
    expectRules(played)
  })

  it('that is nearly full makes room before the next turn, whose message is in the new one alone', async () => {
    const played = await play([[...says('Done.'), ...ends('end', 20_100, 100)], done])
    const { at, input, provider } = played
    const next = {
      ...input,
      turnId: 'trn_next',
      content: [{ type: 'text' as const, text: 'And now the tests.' }],
    }
    expect(await runTurn(at.ports, next)).toEqual({ status: 'completed' })
    expect(reasons(played)).toEqual(['first_turn', 'budget'])
    expect(provider.bodies[1]?.match(/And now the tests/g)).toHaveLength(1)
    expect(provider.bodies[1]).toContain('The thread began with this request')
  })

  it('is opened for another family of models, on its wire', async () => {
    const played = await play([reads(0, 6_000), done])
    const { at, input } = played
    const other = scriptedProvider('anthropic-messages', [done])
    const next: TurnInput = {
      ...input,
      turnId: 'trn_next',
      content: [{ type: 'text', text: 'Go on.' }],
      provider: other,
      model: { ...model, id: 'other', family: 'other', wire: 'anthropic-messages' },
      traits: { ...traits, thinking: 'adaptive' },
    }
    expect(await runTurn(at.ports, next)).toEqual({ status: 'completed' })
    expect(at.log.ofType('window.opened').map(({ body }) => body.reason)).toEqual([
      'first_turn',
      'model_changed',
    ])
    expect(shown(other.bodies[0])).toMatchSnapshot()
    expect(other.bodies[0]).toContain(JSON.stringify(rules).slice(1, -1))
  })

  it('is opened when a person asks in the middle of a turn, with what matters to them', async () => {
    const { at, provider, input } = prepare([reads(0, 6_000), done])
    at.control.takeWindow = () =>
      at.log.steps.length === 1 && at.log.windows.length === 1 ? { focus: 'Only file-3 counts.' } : null
    expect(await runTurn(at.ports, input)).toEqual({ status: 'completed' })
    expect(at.log.ofType('window.opened')[1]?.body).toMatchObject({
      reason: 'person',
      focus: 'Only file-3 counts.',
    })
    expect(provider.bodies[1]).toContain('Only file-3 counts.')
  })

  it('stays when the model asks for a new one while its last note is not saved', async () => {
    const { at, provider, input } = prepare([
      [...calls('a', 'new_context', {}), ...ends('tool_calls', 6_000, 100)],
      done,
    ])
    at.ports.notes = {
      ...at.notes,
      lastFailure: async () => ({ code: 'note_rejected', message: 'The disk is full.', next: 'Write less.' }),
    }
    expect(await runTurn(at.ports, input)).toEqual({ status: 'completed' })
    expect(at.log.windows).toHaveLength(1)
    expect(provider.bodies[1]).toContain('No new window was started: your last note was not saved')
  })

  it('brings pinned items along, word for word', async () => {
    const { at, provider, input } = prepare([reads(0, 6_000), reads(1, 24_500), done])
    const { emit } = at.log
    at.log.emit = async (event, blocks) => {
      const emitted = await emit(event, blocks)
      if (event.type !== 'item.completed' || event.body.item.type !== 'tool_call') return emitted
      const itemId = event.body.item.id
      if (at.log.ofType('window.pinned').length > 0) return emitted
      await emit({
        type: 'window.pinned',
        windowId: event.windowId,
        actorId: 'system',
        body: { itemId, pinned: true },
      })
      return emitted
    }
    expect(await runTurn(at.ports, input)).toEqual({ status: 'completed' })
    expect(at.log.windows).toHaveLength(2)
    expect(provider.bodies[2]).toContain('<pinned item=')
    expect(at.log.ofType('window.opened')[1]?.body.pinned).toEqual(
      at.log.ofType('window.pinned').map(({ body }) => body.itemId),
    )
  })
})

describe('a window that would not fit', () => {
  it('says what to cut, and the thread goes on with a shorter message', async () => {
    const { at, provider, input } = prepare([done])
    const huge = { ...input, content: [{ type: 'text' as const, text: 'much '.repeat(40_000) }] }
    expect(await runTurn(at.ports, huge)).toMatchObject({
      status: 'limited',
      error: { code: 'window_too_small', next: expect.stringContaining('shorter message') },
    })
    expect(at.log.windows).toHaveLength(0)
    expect(await runTurn(at.ports, { ...input, turnId: 'trn_next' })).toEqual({ status: 'completed' })
    expect(provider.bodies).toHaveLength(1)
    expect(at.defects).toEqual([])
  })

  it('because of its rules names them', async () => {
    const { at, input } = prepare([done])
    at.control.set({ window: { limitTokens: 9_000 } })
    at.sandbox.files.set('/workspace/AGENTS.md', 'rule '.repeat(6_000))
    expect(await runTurn(at.ports, input)).toMatchObject({
      status: 'limited',
      error: { code: 'window_too_small', next: expect.stringContaining('AGENTS.md') },
    })
  })
})

describe('the strategy handoff', () => {
  const filled = [reads(0, 9_000), reads(1, 20_500)]
  const document: Script = [...says('Sum fixed in file-0; file-1 is next.'), ...ends('end', 20_800, 50)]

  it('goes on from a document that the model writes', async () => {
    const played = await play([...filled, document, done], 'handoff')
    expect(reasons(played)).toEqual(['first_turn', 'budget'])
    expect(shown(played.provider.bodies[3])).toMatchSnapshot()
    expect(played.provider.bodies[2]).toContain('<hand_over_request>')
    expectRules(played)
    // The document is a step with a price, and no item of the conversation.
    expect(played.at.log.steps).toHaveLength(4)
    const said = played.at.log.ofType('item.completed').map(({ body }) => body.item)
    expect(said.filter(({ type }) => type === 'agent_message')).toHaveLength(3)
  })

  it('falls back when there is no document, and says so', async () => {
    const played = await play([...filled, [{ fail: 'provider_bad_request' }], done], 'handoff')
    expect(reasons(played)).toEqual(['first_turn', 'budget'])
    expect(played.provider.bodies[3]).toContain('<hint>')
    const notices = played.at.log
      .ofType('item.completed')
      .flatMap(({ body }) => (body.item.type === 'notice' ? [body.item.kind] : []))
    expect(notices).toEqual(['handoff_failed'])
  })

  it('drops the oldest part when the request for it is too long itself', async () => {
    const played = await play([...filled, [{ fail: 'context_overflow' }], document, done], 'handoff')
    expect(reasons(played)).toEqual(['first_turn', 'oldest_dropped', 'budget'])
    expect(played.provider.bodies[3]?.length).toBeLessThan(played.provider.bodies[2]?.length ?? 0)
    expect(played.provider.bodies[4]).toContain('Sum fixed in file-0')
    expectRules(played)
  })
})

describe('the strategy layers', () => {
  it('cuts old results, then the middle, then all but the latest', async () => {
    const played = await play(
      [
        ...Array.from({ length: 36 }, (_, n) => reads(n, 4_000 + n * 210)),
        reads(36, 12_500),
        reads(37, 15_500),
        reads(38, 18_500),
        done,
      ],
      'layers',
    )
    expect(reasons(played)).toEqual(['first_turn', 'results_cut', 'middle_cut', 'latest_only'])
    expectRules(played)
    const firsts = new Map<string, number>()
    played.at.log.steps.forEach(({ windowId }, n) => {
      if (!firsts.has(windowId)) firsts.set(windowId, n)
    })
    for (const n of [...firsts.values()].slice(1))
      expect(outline(played.provider.bodies[n])).toMatchSnapshot()
  })
})

it('a thread keeps its window when nothing changed', async () => {
  const { at, provider, input } = prepare([done])
  const window = emptyWindow()
  await runTurn(at.ports, { ...input, window })
  await runTurn(at.ports, { ...input, window, turnId: 'trn_next' })
  expect(at.log.windows).toHaveLength(1)
  expect(provider.bodies).toHaveLength(2)
})

it.each(wires)('three hundred steps in several windows keep every item in its place (%s)', async (kind) => {
  const at = stage({ '/workspace/AGENTS.md': rules, ...files })
  at.control.set({ window: { limitTokens: 20_000, reminderTokens: 2_000, bufferTokens: 2_000 } })
  const usage = {
    inputTokens: 0,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
  }
  const look = (n: number): Script => [
    ...says(`Step ${n}.`),
    ...calls('call', 'read_file', { path: `file-${n % 40}.txt` }, 1),
    { type: 'usage', usage: n === 7 ? { ...usage, inputTokens: 9_000, cachedInputTokens: 8_000 } : usage },
    { type: 'completed', stopReason: 'tool_calls', rawStopReason: null, responseId: null },
  ]
  const provider = scriptedProvider(kind, [...Array.from({ length: 300 }, (_, n) => look(n)), done])
  expect(await runTurn(at.ports, turnInput(provider, standardTools))).toEqual({ status: 'completed' })
  expect(at.defects).toEqual([])
  expect(provider.bodies).toHaveLength(301)
  expect(at.log.windows.length).toBeGreaterThan(3)
  for (const { windowId } of at.log.windows) {
    const items = provider.bodies.filter((_, n) => at.log.steps[n]?.windowId === windowId).map(promptItems)
    expect(items.length).toBeGreaterThan(2)
    for (let n = 1; n < items.length; n += 1) {
      const before = items[n - 1] ?? []
      expect(items[n]?.slice(0, before.length)).toEqual(before)
    }
  }
  // The share that came out of the cache is recorded with each step.
  const shares = at.log.ofType('step.completed').map(({ body }) => body.usage.cachedInput)
  expect(shares.indexOf(8_000)).toBe(7)
  // The head is the same bytes in every window.
  const heads = at.log.windows.map(({ windowId }) =>
    at.log.blocksOf(windowId).filter(({ kind: each }) => each === 'tool' || each === 'instructions'),
  )
  for (const head of heads) expect(head.map(({ hash }) => hash)).toEqual(heads[0]?.map(({ hash }) => hash))
})
