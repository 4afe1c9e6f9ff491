// Windows under people and models that do not keep to the plan: whatever is changed or ignored, a turn ends or goes on,
// and no window follows another one in which nothing was asked.
import { describe, expect, it } from 'vitest'
import type { Strategy } from '../../src/protocol/settings.ts'
import { runTurn } from '../../src/server/agent/turn.ts'
import { standardTools } from '../../src/server/tools/tools.ts'
import { answers, calls, ends, type Script, says, scriptedProvider } from '../setup/scripted-provider.ts'
import { type Stage, stage, turnInput } from './edges.ts'

const rulesPath = '/workspace/AGENTS.md'
const files = Object.fromEntries(
  Array.from({ length: 40 }, (_, n) => [
    `/workspace/file-${n}.txt`,
    `${n}\n${'word word word word word word word word word\n'.repeat(18)}`,
  ]),
)
const reads = (n: number, usage: number): Script => [
  ...says(`Step ${n}.`),
  ...calls(`call_${n}`, 'read_file', { path: `file-${n}.txt` }, 1),
  ...ends('tool_calls', usage, 100),
]
/** What a request of this thread really has. */
const short: Script = [...says('Done.'), ...ends('end', 5_500, 20)]
const done: Script = answers('It is done.')

const prepare = (scripts: Script[], strategy: Strategy = 'windows') => {
  const at = stage({ [rulesPath]: 'Use semicolons nowhere.', ...files })
  at.control.set({ strategy, window: { limitTokens: 20_000, reminderTokens: 3_000, bufferTokens: 4_000 } })
  const provider = scriptedProvider('openai-responses', scripts)
  const input = turnInput(provider, standardTools, {
    content: [{ type: 'text', text: 'Fix the sum in all files.' }],
  })
  return { at, provider, input }
}
const reasons = (at: Stage) => at.log.ofType('window.opened').map(({ body }) => body.reason)
/** Every window but the last has a step of its own. */
const expectNoLoop = (at: Stage): void => {
  const asked = new Set(at.log.steps.map(({ windowId }) => windowId))
  const opened = at.log.ofType('window.opened').map(({ windowId }) => windowId)
  expect(opened.filter((windowId) => !asked.has(windowId))).toEqual([])
  expect(at.defects).toEqual([])
}

const ignoring = Array.from({ length: 10 }, (_, n) => [reads(2 * n, 20_500), reads(2 * n + 1, 24_500)]).flat()

describe('a model that ignores every reminder', () => {
  it('is moved on each time, one window for each full one', async () => {
    const { at, provider, input } = prepare([...ignoring, done])
    expect(await runTurn(at.ports, input)).toEqual({ status: 'completed' })
    expect(provider.bodies).toHaveLength(21)
    expectNoLoop(at)
    expect(reasons(at)).toHaveLength(11)
  })

  it('and fills what was cut at once ends its turn with what to do, not in a loop', async () => {
    const { at, provider, input } = prepare([...ignoring, done], 'layers')
    expect(await runTurn(at.ports, input)).toMatchObject({
      status: 'limited',
      error: { code: 'window_too_small', next: expect.stringContaining('limit of the window') },
    })
    expect(provider.bodies.length).toBeLessThan(8)
    expect(at.defects).toEqual([])
  })
})

describe('rules that grow beyond the window', () => {
  it.each(['windows', 'handoff', 'layers'] as const)(
    'end the turn with what to cut, and cutting them helps: %s',
    async (strategy) => {
      const { at, provider, input } = prepare(Array(4).fill(short), strategy)
      at.control.set({ window: { limitTokens: 9_000, reminderTokens: 500, bufferTokens: 1_000 } })
      expect(await runTurn(at.ports, input)).toEqual({ status: 'completed' })
      at.sandbox.files.set(rulesPath, 'rule '.repeat(6_000))
      expect(await runTurn(at.ports, { ...input, turnId: 'trn_two' })).toMatchObject({
        status: 'limited',
        error: { code: 'window_too_small', next: expect.stringContaining('AGENTS.md') },
      })
      expect(provider.bodies.length).toBeLessThan(3)
      at.sandbox.files.set(rulesPath, 'Use semicolons nowhere.')
      expect(await runTurn(at.ports, { ...input, turnId: 'trn_three' })).toEqual({ status: 'completed' })
      expect(provider.bodies.at(-1)).toContain('Use semicolons nowhere.')
      expect(at.defects).toEqual([])
    },
  )
})

describe('what a person changes while a turn runs', () => {
  it('another strategy is the one by which the next window begins', async () => {
    const document: Script = [...says('Sum fixed in file-0; file-1 is next.'), ...ends('end', 20_800, 50)]
    const { at, provider, input } = prepare([
      reads(0, 9_000),
      reads(1, 24_500),
      document,
      reads(2, 24_500),
      done,
    ])
    const { emit } = at.log
    at.log.emit = async (event, blocks) => {
      const emitted = await emit(event, blocks)
      if (event.type === 'item.completed' && event.body.item.type === 'tool_call') {
        if (at.log.steps.length === 1) at.control.set({ strategy: 'handoff' })
        if (at.log.steps.length >= 4) at.control.set({ strategy: 'windows' })
      }
      return emitted
    }
    expect(await runTurn(at.ports, input)).toEqual({ status: 'completed' })
    expect(reasons(at)).toEqual(['first_turn', 'budget', 'budget'])
    expect(provider.bodies[3]).toContain('Sum fixed in file-0')
    expect(provider.bodies[4]).toContain('<hint>')
    expectNoLoop(at)
  })

  it('a window asked for by hand, by the model and by the budget at once is one window, with the person’s words', async () => {
    const both: Script = [...calls('new', 'new_context', {}, 0), ...ends('tool_calls', 24_500, 100)]
    const { at, provider, input } = prepare([reads(0, 9_000), both, done])
    at.control.takeWindow = () =>
      at.log.steps.length === 2 && at.log.windows.length === 1 ? { focus: 'Only file-3 counts.' } : null
    expect(await runTurn(at.ports, input)).toEqual({ status: 'completed' })
    expect(reasons(at)).toHaveLength(2)
    expect(provider.bodies[2]).toContain('Only file-3 counts.')
    expectNoLoop(at)
  })
})
