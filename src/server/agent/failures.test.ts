import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  answers,
  calls,
  ends,
  model,
  type Script,
  says,
  scriptedProvider,
} from '../../../test/setup/scripted-provider.ts'
import { emptyWindow, stage, turnInput } from '../../../test/turns/edges.ts'
import { simpleTools, until } from '../../../test/turns/tools.ts'
import { Fault } from '../../protocol/error.ts'
import type { ModelEvent, ProviderErrorCode } from '../providers/types.ts'
import { defineTool, toolSet } from '../tools/registry.ts'
import { runTurn } from './turn.ts'
import type { TurnInput } from './types.ts'

const play = async (scripts: Script[], at = stage(), more: Partial<TurnInput> = {}) => {
  const provider = scriptedProvider('openai-responses', scripts)
  const outcome = await runTurn(at.ports, turnInput(provider, simpleTools, more))
  expect(at.defects).toEqual([])
  return { ...at, provider, outcome }
}

const done: Script = answers('Done.')

describe('names and ids that a model makes up', () => {
  it('go back in a form that no vendor refuses, or one call would end its thread', async () => {
    const { provider, outcome } = await play([
      [
        ...calls('c'.repeat(1_000), 'functions.run it\u0000 now', {}, 0),
        ...calls('', 'x'.repeat(1_000), {}, 1),
        ...calls('c3', '', {}, 2),
        ...ends('tool_calls'),
      ],
      done,
    ])
    expect(outcome.status).toBe('completed')
    const sent = provider.bodies[1] ?? ''
    const said = [...sent.matchAll(/"name":"([^"]*)","arguments"/g)].map(([, name]) => name)
    expect(said).toEqual(['functions_run_it__now', 'x'.repeat(64), 'unnamed'])
    expect(sent).not.toContain('c'.repeat(300))
  })
})

describe('a request that fails', () => {
  it('is sent again, the same bytes, with waits that double; everybody sees it', async () => {
    const { log, outcome, provider, clock } = await play([
      [{ fail: 'provider_overloaded' }],
      [{ fail: 'provider_unreachable' }],
      [{ fail: 'provider_rate_limited', retryAfterMs: 7_000 }],
      done,
    ])
    expect(outcome.status).toBe('completed')
    expect(new Set(provider.bodies).size).toBe(1)
    expect(clock.slept).toEqual([200, 400, 7_000])
    expect(
      log.ofType('step.retried').map(({ body }) => [body.attempt, body.waitMs, body.error.code]),
    ).toEqual([
      [1, 200, 'provider_overloaded'],
      [2, 400, 'provider_unreachable'],
      [3, 7_000, 'provider_rate_limited'],
    ])
    expect(log.ofType('step.completed')[0]?.body.retries).toBe(3)
    expect(log.steps).toHaveLength(1)
  })

  it('is given up after fifteen minutes, with its code', async () => {
    const { outcome, log, clock } = await play([[{ fail: 'provider_overloaded' }]])
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'provider_overloaded' } })
    const waited = clock.slept.reduce((sum, ms) => sum + ms, 0)
    expect(waited).toBeLessThanOrEqual(15 * 60_000)
    expect(waited).toBeGreaterThan(13 * 60_000)
    expect(Math.max(...clock.slept)).toBe(60_000)
    expect(log.ofType('step.failed')).toHaveLength(1)
  })

  it.each<ProviderErrorCode>([
    'provider_auth',
    'provider_quota',
    'provider_policy',
    'provider_bad_request',
    'model_not_found',
  ])('with %s is never sent again', async (fail) => {
    const { outcome, provider, log } = await play([[{ fail }], done])
    expect(outcome).toMatchObject({ status: 'failed', error: { code: fail } })
    expect(provider.bodies).toHaveLength(1)
    expect(log.ofType('turn.failed')[0]?.body.error.next).not.toBe('')
  })

  it('for its length is made again in a new window, once', async () => {
    const { outcome, provider, log } = await play([[{ fail: 'context_overflow' }], done])
    expect(outcome).toEqual({ status: 'completed' })
    expect(provider.bodies).toHaveLength(2)
    expect(log.ofType('window.opened').map(({ body }) => body.reason)).toEqual(['first_turn', 'overflow'])
    const again = await play([[{ fail: 'context_overflow' }]])
    expect(again.outcome).toMatchObject({ status: 'limited', error: { code: 'context_overflow' } })
    expect(again.provider.bodies).toHaveLength(2)
    expect(again.log.ofType('turn.limited')).toHaveLength(1)
  })

  it('can be stopped while it waits', async () => {
    const at = stage()
    at.clock.sleep = (_ms, signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
    const turn = play([[{ fail: 'provider_overloaded' }]], at)
    await until(() => at.log.ofType('step.retried').length === 1)
    at.clock.sleep = async () => undefined
    at.control.stop({ type: 'person', actorId: 'agent' })
    expect((await turn).outcome).toMatchObject({ status: 'interrupted' })
  })
})

describe('a stream that breaks', () => {
  const half: ModelEvent[] = [
    { type: 'item.started', item: 0, kind: 'assistant' },
    { type: 'text.delta', item: 0, text: 'Hal' },
  ]

  it('before anything was whole is retried in place', async () => {
    const { outcome, provider, log } = await play([[...half, { fail: 'stream_cut' }], done])
    expect(outcome.status).toBe('completed')
    expect(provider.bodies[0]).toBe(provider.bodies[1])
    const texts = log
      .ofType('item.completed')
      .flatMap(({ body: { item } }) => (item.type === 'agent_message' ? [item] : []))
    expect(texts).toMatchObject([{ text: { text: 'Hal' }, cut: true }, { text: { text: 'Done.' } }])
  })

  it('after a call awaits the call, closes the step as cut and goes on', async () => {
    const { outcome, provider, log } = await play([
      [
        ...calls('c1', 'echo', { text: 'kept' }),
        ...half.map((event) => ({ ...event, item: 1 }) as ModelEvent),
        { fail: 'stream_cut' },
      ],
      done,
    ])
    expect(outcome.status).toBe('completed')
    expect(log.ofType('step.cut')).toHaveLength(1)
    expect(JSON.parse(provider.bodies[1] ?? '').input.slice(-2)).toMatchObject([
      { type: 'function_call', call_id: 'c1' },
      { type: 'function_call_output', output: 'kept' },
    ])
    expect(log.steps.map(({ index }) => index)).toEqual([0, 1])
  })

  it('after whole words asks for the rest of them', async () => {
    const { outcome, provider } = await play([[...says('First part.'), { fail: 'stream_cut' }], done])
    expect(outcome.status).toBe('completed')
    expect(provider.bodies[1]).toContain('First part.')
    expect(provider.bodies[1]).toContain('Go on from there')
  })

  it('again and again ends the turn in the end', async () => {
    const { outcome } = await play([[...says('Part.'), { fail: 'stream_cut' }]])
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'stream_cut' } })
  })
})

describe('an answer', () => {
  it('that says nothing is asked for again, three times', async () => {
    const { outcome, provider } = await play([ends()])
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'provider_protocol' } })
    expect(provider.bodies).toHaveLength(4)
  })

  it('that reaches the output limit is continued, then limited', async () => {
    const { outcome, provider } = await play([[...says('Part.'), ...ends('max_output')]])
    expect(outcome).toMatchObject({ status: 'limited', error: { code: 'limit_reached' } })
    expect(provider.bodies).toHaveLength(3)
  })

  it('that is withheld fails with its code', async () => {
    const { outcome } = await play([[...says('I'), ...ends('refused')]])
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'provider_policy' } })
  })

  it('that the vendor paused is asked for with what is there', async () => {
    const { outcome, provider } = await play([[...says('So far.'), ...ends('paused')], done])
    expect(outcome.status).toBe('completed')
    expect(provider.bodies[1]).toContain('So far.')
  })
})

describe('limits', () => {
  const again: Script = [...calls('c', 'write', { text: 'x' }), ...ends('tool_calls')]

  it('of steps', async () => {
    const at = stage()
    at.control.set({ limits: { steps: 2, durationMs: 86_400_000, costMicros: null } })
    const { outcome, provider } = await play([again], at)
    expect(outcome).toMatchObject({ status: 'limited', error: { code: 'limit_reached' } })
    expect(provider.bodies).toHaveLength(2)
  })

  it('of money', async () => {
    const at = stage()
    at.control.set({ limits: { steps: 10, durationMs: 86_400_000, costMicros: 300 } })
    const { outcome, provider } = await play([again], at)
    expect(outcome).toMatchObject({ status: 'limited', error: { code: 'budget_stopped' } })
    expect(provider.bodies).toHaveLength(2)
    expect(at.log.ofType('budget.stopped')[0]?.body).toEqual({ budget: 'turn', used: 400, limit: 300 })
  })

  it('of time, in the middle of an answer', async () => {
    const at = stage()
    const stuckStream: Script = [...says('Working'), new Promise(() => undefined)]
    at.control.set({ limits: { steps: 10, durationMs: 7_200_000, costMicros: null } })
    let wake = (): void => undefined
    const sleep = at.clock.sleep
    at.clock.sleep = (ms, signal) =>
      ms < 3_600_000 ? sleep(ms, signal) : new Promise((resolve) => (wake = () => resolve()))
    const turn = play([stuckStream], at)
    await until(() => at.log.deltas.length === 1)
    at.clock.advance(7_200_000)
    wake()
    expect((await turn).outcome).toMatchObject({ status: 'limited', error: { code: 'limit_reached' } })
    expect(at.log.ofType('turn.limited')).toHaveLength(1)
  })

  it('of the window, asked before every request of a turn (bugs 14)', async () => {
    const at = stage()
    const filling: Script = [
      ...calls('c', 'write', { text: 'y'.repeat(4_000) }),
      ...ends('tool_calls', 170_000, 12_000),
    ]
    const { outcome, provider } = await play([filling], at, {
      model: { ...model, contextTokens: 200_000, usableShare: 0.9 },
    })
    // New windows that are full after one request are no way out.
    expect(outcome).toMatchObject({ status: 'limited', error: { code: 'window_too_small' } })
    expect(provider.bodies).toHaveLength(3)
    expect(at.log.ofType('window.opened').map(({ body }) => body.reason)).toEqual([
      'first_turn',
      'budget',
      'budget',
    ])
    // Everything that was done stands in the log.
    expect(at.log.ofType('item.completed').at(-1)?.body.item).toMatchObject({
      state: { status: 'succeeded' },
    })
  })
})

describe('a model that goes round in circles', () => {
  const call = (tool: string, text: string): Script => [...calls('c', tool, { text }), ...ends('tool_calls')]

  it('is stopped at the fourth same call with the same result', async () => {
    const { outcome, provider } = await play([call('echo', 'x')])
    expect(outcome).toMatchObject({ status: 'limited', error: { code: 'stuck' } })
    expect(provider.bodies).toHaveLength(4)
  })

  it('is stopped at the third same error', async () => {
    const { outcome, provider } = await play([call('fail', 'a'), call('fail', 'b'), call('fail', 'c'), done])
    expect(outcome).toMatchObject({ status: 'limited', error: { code: 'stuck' } })
    expect(provider.bodies).toHaveLength(3)
  })

  it('is not stopped when something else lies between', async () => {
    const scripts = ['x', 'x', 'x', 'y', 'x', 'x', 'x'].map((text) => call('echo', text))
    const { outcome } = await play([...scripts, done])
    expect(outcome.status).toBe('completed')
  })
})

describe('a fault of ours', () => {
  it('in a tool is told to the model without its words, and to the log with them', async () => {
    const at = stage()
    const broken = defineTool({
      name: 'broken',
      description: 'Breaks.',
      input: z.object({}),
      parallelSafe: true,
      prepare: async () => ({ prepared: null }),
      invoke: async () => {
        throw new TypeError('secret path')
      },
    })
    const provider = scriptedProvider('openai-responses', [
      [...calls('c1', 'broken', {}), ...ends('tool_calls')],
      done,
    ])
    expect(await runTurn(at.ports, turnInput(provider, toolSet([broken])))).toEqual({ status: 'completed' })
    expect(provider.bodies[1]).not.toContain('secret path')
    expect(at.defects).toMatchObject([{ message: 'secret path' }])
  })

  it('in the middle of a step ends step, calls and turn in the log', async () => {
    const at = stage()
    const provider = scriptedProvider('openai-responses', [done])
    provider.stream = async function* () {
      yield* calls('c1', 'echo', { text: 'x' })
      throw new TypeError('no vendor fault')
    }
    const outcome = await runTurn(at.ports, turnInput(provider, simpleTools))
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'internal' } })
    expect(at.log.ofType('step.failed')).toHaveLength(1)
    expect(at.log.ofType('turn.failed')).toHaveLength(1)
    expect(at.log.ofType('item.completed').at(-1)?.body.item).toMatchObject({
      state: { status: 'succeeded' },
    })
  })

  it('of the sandbox at the start is shown, and the model answers without the rules', async () => {
    const at = stage()
    at.sandbox.ensure = async () => {
      throw new Fault('sandbox_unavailable', 'Docker is gone.', 'Start it.')
    }
    const { outcome, log } = await play([done], at)
    expect(outcome.status).toBe('completed')
    expect(log.ofType('item.completed').map(({ body: { item } }) => item.type)).toEqual([
      'user_message',
      'notice',
      'agent_message',
    ])
  })

  it('of a sleeping sandbox cannot be: it is not woken for words alone', async () => {
    const at = stage()
    const window = emptyWindow()
    await play([done], at, { window })
    at.sandbox.status = () => 'stopped'
    at.sandbox.ensure = async () => {
      throw new Error('it was woken')
    }
    const { outcome } = await play([done], at, { window })
    expect(outcome.status).toBe('completed')
  })

  it('of a checkpoint is an event', async () => {
    const at = stage()
    at.sandbox.checkpoint = async () => {
      throw new Fault('disk_full', 'The disk is full.', 'Make room.')
    }
    const { outcome, log } = await play(
      [[...calls('c', 'write', { text: 'x' }), ...ends('tool_calls')], done],
      at,
    )
    expect(outcome.status).toBe('completed')
    expect(log.ofType('checkpoint.failed')[0]?.body.error.code).toBe('disk_full')
  })
})
