import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toolBench } from '../../../test/setup/tool-context.ts'
import { Fault } from '../../protocol/error.ts'
import { resolveCall, runCall } from './pipeline.ts'
import { defineTool, toolSet } from './registry.ts'
import { standardTools } from './tools.ts'

describe('what a model does wrong', () => {
  it.each([
    ['an unknown tool', 'shell', '{}', 'tool_unknown', 'exec_command'],
    ['broken JSON', 'exec_command', '{"cmd": "ls', 'tool_bad_arguments', 'not valid JSON'],
    ['JSON that is no object', 'exec_command', '["ls"]', 'tool_bad_arguments', 'object'],
    ['a missing argument', 'exec_command', '{}', 'tool_bad_arguments', 'cmd'],
    ['a wrong type', 'exec_command', '{"cmd": 1}', 'tool_bad_arguments', 'cmd'],
    ['nothing at all', 'apply_patch', '', 'tool_bad_arguments', 'input'],
    ['a NUL in a command', 'exec_command', '{"cmd": "a\\u0000b"}', 'tool_bad_arguments', 'NUL'],
    [
      'two steps at once',
      'update_plan',
      JSON.stringify({
        plan: [
          { step: 'a', status: 'in_progress' },
          { step: 'b', status: 'in_progress' },
        ],
      }),
      'tool_bad_arguments',
      'in_progress',
    ],
  ])('%s is told to it with what to do', async (_name, tool, argumentsText, code, words) => {
    const { call, sandbox } = toolBench()
    const outcome = await call(tool, argumentsText)
    expect(outcome).toMatchObject({ status: 'refused', error: { code } })
    expect(outcome.text).toContain(words)
    expect(outcome.error?.next).not.toBe('')
    expect(sandbox.ran).toEqual([])
  })

  it('leaves optional values that are null alone', async () => {
    const { call } = toolBench()
    expect(await call('exec_command', { cmd: 'echo x', workdir: null, tty: null })).toMatchObject({
      status: 'succeeded',
    })
  })
})

describe('the end of a call', () => {
  const context = toolBench().context
  const toolThat = (invoke: () => Promise<{ ok: boolean; text: string; cut?: boolean }>) => {
    const set = toolSet([
      defineTool<object, null>({
        name: 'x',
        description: '',
        input: z.object({}),
        parallelSafe: true,
        prepare: async () => ({ prepared: null }),
        invoke: async () => ({ ...(await invoke()), detail: { type: 'other' } }),
      }),
    ])
    const resolved = resolveCall(set, { name: 'x', argumentsText: '{}' }, context)
    if (!resolved.ok) throw new Error('not resolved')
    return (signal = context.signal) => runCall(resolved, { ...context, signal })
  }

  it('is a failure with words when the work meets a fact', async () => {
    const run = toolThat(async () => {
      throw new Fault('sandbox_unavailable', 'Docker does not answer.', 'Start it.')
    })
    expect(await run()).toEqual({
      status: 'failed',
      text: 'Docker does not answer.\nStart it.',
      error: { code: 'sandbox_unavailable', message: 'Docker does not answer.', next: 'Start it.' },
    })
  })

  it('throws for a defect', async () => {
    await expect(toolThat(async () => Promise.reject(new TypeError('broken')))()).rejects.toThrow('broken')
  })

  it('keeps the whole text beside the part that the model is given', async () => {
    const whole = 'word '.repeat(50_000)
    const outcome = await toolThat(async () => ({ ok: true, text: whole }))()
    expect(outcome.fullText).toBe(whole)
    expect(outcome.text.length).toBeLessThan(41_000)
    expect(outcome.text).toContain('bytes removed here')
  })

  it('holds no NUL and no half character', async () => {
    const outcome = await toolThat(async () => ({ ok: true, text: 'a\0b\ud83d' }))()
    expect(outcome.text).toBe('ab\ufffd')
  })

  it('is an interruption when the turn was stopped before', async () => {
    const outcome = await toolThat(async () => ({ ok: true, text: '' }))(AbortSignal.abort())
    expect(outcome).toMatchObject({ status: 'interrupted' })
  })

  it('stays what it was when the stop came after the work', async () => {
    const stop = new AbortController()
    const run = toolThat(async () => {
      stop.abort()
      return { ok: true, text: 'done' }
    })
    expect(await run(stop.signal)).toMatchObject({ status: 'succeeded', text: 'done' })
  })
})

describe('the set of a window', () => {
  it('is frozen and has one spec for each tool', () => {
    const names = standardTools.specs.map((spec) => spec.name)
    expect(new Set(names).size).toBe(names.length)
    for (const spec of standardTools.specs) {
      expect(Object.isFrozen(spec.parameters)).toBe(true)
      expect(spec.parameters.type).toBe('object')
      expect(spec.description.length).toBeGreaterThan(20)
    }
  })

  it('refuses two tools of one name', () => {
    const tool = standardTools.find('list_dir')
    if (tool === null) throw new Error('not there')
    expect(() => toolSet([tool, tool])).toThrow()
    expect(JSON.stringify(toolSet([tool]).specs)).toBe(
      JSON.stringify(standardTools.specs.filter((spec) => spec.name === 'list_dir')),
    )
  })
})
