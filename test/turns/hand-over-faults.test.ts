// Hand-overs that go wrong: documents that cannot be used, people who stop them, pins and notes in their way.

import { describe, expect, it } from 'vitest'
import { sha256 } from '../../src/lib/sha256.ts'
import { Fault } from '../../src/protocol/error.ts'
import type { Strategy } from '../../src/protocol/settings.ts'
import { runTurn } from '../../src/server/agent/turn.ts'
import type { TurnInput } from '../../src/server/agent/types.ts'
import type { WindowState } from '../../src/server/context/types.ts'
import type { WireKind } from '../../src/server/providers/types.ts'
import { standardTools } from '../../src/server/tools/tools.ts'
import {
  answers,
  calls,
  ends,
  model,
  type Script,
  says,
  scriptedProvider,
} from '../setup/scripted-provider.ts'
import { reloadedWindow, type Stage, stage, turnInput, userId } from './edges.ts'

const text = 'word word word word word word word word word\n'
const files = Object.fromEntries(
  Array.from({ length: 8 }, (_, n) => [`/workspace/file-${n}.txt`, `${n}\n${text.repeat(200)}`]),
)
const reads = (n: number, usage: number): Script => [
  ...calls(`call_${n}`, 'read_file', { path: `file-${n}.txt` }),
  ...ends('tool_calls', usage, 100),
]
const done: Script = answers('It is done.')
const message = (words: string) => [{ type: 'text' as const, text: words }]

const prepare = (scripts: Script[], strategy: Strategy, kind: WireKind = 'openai-responses') => {
  const at = stage(files)
  at.control.set({ strategy, window: { limitTokens: 20_000, reminderTokens: 3_000, bufferTokens: 4_000 } })
  const provider = scriptedProvider(kind, scripts)
  const input = turnInput(provider, standardTools, { content: message('Fix the sum in all files.') })
  // The runner keeps the window that was opened last from turn to turn.
  const held: { window: WindowState } = { window: input.window }
  at.ports.windowOpened = (window) => {
    held.window = window
  }
  const next = (words: string): TurnInput => ({
    ...input,
    turnId: `trn_${words.length}`,
    window: held.window,
    content: message(words),
  })
  return { at, provider, input, next }
}

const reasons = (at: Stage) => at.log.ofType('window.opened').map(({ body }) => body.reason)
const notices = (at: Stage) =>
  at.log.ofType('item.completed').flatMap(({ body }) => (body.item.type === 'notice' ? [body.item.kind] : []))

describe('a hand-over document', () => {
  const filled = [reads(0, 9_000), reads(1, 20_500)]

  it('that is longer than the window falls back to notes and history', async () => {
    const { at, provider, input } = prepare(
      [...filled, [...says(text.repeat(3_000)), ...ends()], done],
      'handoff',
    )
    expect(await runTurn(at.ports, input)).toEqual({ status: 'completed' })
    expect(reasons(at)).toEqual(['first_turn', 'budget'])
    expect(notices(at)).toEqual(['handoff_failed'])
    expect(provider.bodies[3]).toContain('<hint>')
  })

  it.each([
    ['says nothing', ends()],
    ['is a call', [...calls('x', 'read_file', { path: 'a' }), ...ends('tool_calls')]],
  ])('that %s falls back to notes and history', async (_, script) => {
    const { at, provider, input } = prepare([...filled, script, done], 'handoff')
    expect(await runTurn(at.ports, input)).toEqual({ status: 'completed' })
    expect(notices(at)).toEqual(['handoff_failed'])
    expect(provider.bodies.at(-1)).toContain('<hint>')
  })

  it('whose request never fits, however much is dropped, falls back too', async () => {
    const { at, provider, input } = prepare(
      [...filled, ...Array.from({ length: 3 }, (): Script => [{ fail: 'context_overflow' }]), done],
      'handoff',
    )
    expect(await runTurn(at.ports, input)).toEqual({ status: 'completed' })
    expect(notices(at)).toEqual(['handoff_failed'])
    expect(reasons(at).at(-1)).toBe('budget')
    expect(provider.bodies.at(-1)).toContain('Fix the sum in all files.')
  })

  it('goes with earlier words of people only as far as the window has room', async () => {
    const document: Script = answers('Nothing was done yet.')
    const said: Script = [...says('Yes.'), ...ends('end', 6_000, 10)]
    const { at, provider, input, next } = prepare(
      [said, said, [...says('Yes.'), ...ends('end', 20_500, 10)], document, done],
      'handoff',
    )
    await runTurn(at.ports, { ...input, content: message(`first ${text.repeat(400)}`) })
    await runTurn(at.ports, next(`second ${text.repeat(400)}`))
    await runTurn(at.ports, next(`third ${text.repeat(400)}`))
    expect(await runTurn(at.ports, next('And the last.'))).toEqual({ status: 'completed' })
    expect(notices(at)).toEqual([])
    expect(provider.bodies.at(-1)).toContain('Nothing was done yet.')
    expect(provider.bodies.at(-1)).toContain('third word')
    expect(provider.bodies.at(-1)).not.toContain('second word')
  })

  it('that a person stops is asked for again before their next message, never answered in its place', async () => {
    const { at, provider, input, next } = prepare(
      [...filled, [new Promise(() => undefined)], done],
      'handoff',
    )
    const turn = runTurn(at.ports, input)
    await expect.poll(() => provider.bodies.length, { timeout: 60_000 }).toBe(3)
    at.control.stop({ type: 'person', actorId: userId })
    expect(await turn).toEqual({ status: 'interrupted', reason: 'person' })
    const again = stage(files)
    again.control.set({ strategy: 'windows' })
    const ports = { ...at.ports, control: again.control }
    expect(await runTurn(ports, next('Something else.'))).toEqual({ status: 'completed' })
    expect(reasons(at)).toEqual(['first_turn', 'budget'])
    expect(provider.bodies.at(-1)).not.toContain('hand_over_request')
    expect(provider.bodies.at(-1)).toContain('Something else.')
  })
})

it('a pinned result that is cut stays in the window, once', async () => {
  const { at, provider, input } = prepare(
    [0, 1, 2, 3, 4].map((n) => reads(n, 5_000 + n)).concat([reads(5, 10_000), reads(6, 10_500), done]),
    'layers',
  )
  const { emit } = at.log
  at.log.emit = async (event, blocks) => {
    const emitted = await emit(event, blocks)
    const item = event.type === 'item.completed' ? event.body.item : null
    if (item?.type === 'tool_call' && at.log.ofType('window.pinned').length === 0)
      await emit({
        type: 'window.pinned',
        windowId: event.windowId,
        actorId: 'system',
        body: { itemId: item.id, pinned: true },
      })
    return emitted
  }
  expect(await runTurn(at.ports, input)).toEqual({ status: 'completed' })
  expect(reasons(at)).toContain('results_cut')
  for (const body of provider.bodies.slice(-2)) expect(body.match(/<pinned item=/g)).toHaveLength(1)
})

it.each(['openai-responses', 'openai-chat', 'anthropic-messages', 'google-genai'] as const)(
  'no new window while a note could not be read from its call (%s)',
  async (kind) => {
    const { at, provider, input } = prepare(
      [
        [
          ...calls('a', 'notes_write', { path: 'plan.md' }, 0),
          ...calls('b', 'new_context', {}, 1),
          ...ends('tool_calls'),
        ],
        [
          ...calls('c', 'notes_write', { path: 'plan.md', text: 'port 4711' }, 0),
          ...calls('d', 'new_context', {}, 1),
          ...ends('tool_calls'),
        ],
        done,
      ],
      'windows',
      kind,
    )
    expect(await runTurn(at.ports, input)).toEqual({ status: 'completed' })
    expect(provider.bodies[1]).toContain('No new window was started: your last note was not saved')
    expect(reasons(at)).toEqual(['first_turn', 'asked'])
    expect(provider.bodies[2]).toContain('plan.md')
  },
)

describe.each<Strategy>(['windows', 'handoff', 'layers'])('rules in the strategy %s', (strategy) => {
  const rules = 'Never use tabs.'
  const named = [{ path: '/workspace/AGENTS.md', hash: sha256(rules) }]
  const away = async () => {
    throw new Fault('sandbox_unavailable', 'Docker does not answer.', 'Start Docker.')
  }
  const documents: Script[] = strategy === 'handoff' ? [answers('Go on.')] : []
  const opened = (at: Stage) => at.log.ofType('window.opened').map(({ body }) => body.rules)

  it.each<[string, WireKind]>([
    ['the same model', 'openai-responses'],
    ['another family on another wire', 'anthropic-messages'],
  ])('are given and named while the sandbox does not answer, by %s', async (_, kind) => {
    const { at, provider, input, next } = prepare(
      [[...says('Yes.'), ...ends('end', 20_500, 10)], ...documents, done],
      strategy,
    )
    at.sandbox.files.set('/workspace/AGENTS.md', rules)
    await runTurn(at.ports, input)
    at.sandbox.ensure = away
    const other = scriptedProvider(kind, [done])
    const goesOn: TurnInput =
      kind === 'openai-responses'
        ? next('And now?')
        : { ...next('And now?'), provider: other, model: { ...model, family: 'other', wire: kind } }
    expect(await runTurn(at.ports, goesOn)).toEqual({ status: 'completed' })
    expect(opened(at)).toEqual([named, named])
    expect(notices(at)).toContain('rules_unread')
    const body = (kind === 'openai-responses' ? provider : other).bodies.at(-1) ?? ''
    expect(body.match(/Never use tabs/g)).toHaveLength(1)
    expect(at.log.ofType('rules.changed').map(({ body: { files } }) => files)).toEqual([named])
  })

  it('are known after a restart, as they were changed last', async () => {
    const said: Script = [...says('Yes.'), ...ends('end', 6_000, 10)]
    const { at, input, next } = prepare([said, said, ...documents, done], strategy)
    at.sandbox.files.set('/workspace/AGENTS.md', 'Always use tabs.')
    await runTurn(at.ports, input)
    at.sandbox.files.set('/workspace/AGENTS.md', rules)
    await runTurn(at.ports, next('Look again.'))
    at.sandbox.ensure = away
    const { window } = next('')
    const loaded = { ...next('And now?'), window: reloadedWindow(window, at.log) }
    const fresh = scriptedProvider('openai-responses', [...documents, done])
    at.control.windows.push({})
    expect(await runTurn(at.ports, { ...loaded, provider: fresh })).toEqual({ status: 'completed' })
    expect(opened(at).length).toBeGreaterThan(1)
    for (const files of opened(at).slice(1)) expect(files).toEqual(named)
    expect(fresh.bodies.at(-1)).toContain(rules)
    expect(fresh.bodies.at(-1)).not.toContain('Always use tabs')
  })
})
