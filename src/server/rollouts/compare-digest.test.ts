import { describe, expect, it } from 'vitest'
import type { ThreadEvent } from '../../protocol/event.ts'
import { newId } from '../../protocol/ids.ts'
import type { Item, ToolCall } from '../../protocol/item.ts'
import { createDigest, type Digest, normalArguments } from './compare-digest.ts'

const digest = (...events: Partial<ThreadEvent>[]): Digest => {
  const builder = createDigest()
  for (const [n, event] of events.entries())
    builder.add({ seq: n + 1, at: 1_000 + n, ...event } as ThreadEvent)
  return builder.build()
}
const item = (turnId: string, given: Item, stepId?: string): Partial<ThreadEvent> =>
  ({ type: 'item.completed', turnId, ...(stepId ? { stepId } : {}), body: { item: given } }) as never
const asked = (text: string, via: 'start' | 'steer' = 'start'): Item => ({
  id: newId('itm'),
  type: 'user_message',
  actorId: 'system',
  via,
  content: [{ type: 'text', text }],
})
const called = (args: string, output: string, more: object = {}): ToolCall => ({
  id: newId('itm'),
  type: 'tool_call',
  callId: 'c',
  tool: 'run',
  arguments: { text: args },
  state: {
    status: 'succeeded',
    startedAt: 1,
    endedAt: 2,
    output: { text: output },
    detail: { type: 'other' },
    ...more,
  } as ToolCall['state'],
})
const only = (call: ToolCall) => digest(item('t', call)).entries[1]

describe('a digest', () => {
  it('takes arguments for the same whatever their order and white space', () => {
    const one = only(called('{"cmd": "ls", "opts": {"b": 1, "a": [1, 2]}}', ''))
    const two = only(called('{"opts":{"a":[1,2],"b":1},"cmd":"ls"}', ''))
    expect(two?.said).toBe(one?.said)
    expect(only(called('{"opts":{"a":[2,1],"b":1},"cmd":"ls"}', ''))?.said).not.toBe(one?.said)
    expect(normalArguments({ text: '*** Begin Patch\n' })).toBe('*** Begin Patch')
    expect(normalArguments({ text: '{"a":', blob: 'f'.repeat(64) })).toBe(`blob ${'f'.repeat(64)}`)
    expect(() => normalArguments({ text: `${'['.repeat(50_000)}${']'.repeat(50_000)}` })).not.toThrow()
  })

  it('takes results for the same when only the time they took differs', () => {
    const gave = (output: string, more?: object) => only(called('{}', output, more))?.gave
    expect(gave('Exit code: 0\nWall time: 0.10 s\nOutput:\nok')).toBe(
      gave('Exit code: 0\nWall time: 2.33 s\nOutput:\nok'),
    )
    expect(gave('Exit code: 0\nOutput:\nok')).not.toBe(gave('Exit code: 1\nOutput:\nok'))
    const command = (outputBlob: string, exitCode: number) => ({
      detail: {
        type: 'command',
        commandId: 'x',
        command: 'ls',
        running: false,
        bytes: 1,
        outputBlob,
        exitCode,
      },
    })
    expect(gave('one', command('a'.repeat(64), 0))).toBe(gave('two', command('a'.repeat(64), 0)))
    expect(gave('one', command('a'.repeat(64), 0))).not.toBe(gave('one', command('a'.repeat(64), 1)))
    expect(gave('one', command('a'.repeat(64), 0))).not.toBe(gave('one', command('b'.repeat(64), 0)))
  })

  it('has a head for each turn, what was said in its middle, and the steps that read and wrote', () => {
    const made = digest(
      { type: 'turn.started', turnId: 't1', body: { model: { model: 'm' }, modelLabel: 'Model M' } } as never,
      item('t1', asked('fix it')),
      { type: 'step.started', turnId: 't1', stepId: 's1', body: {} } as never,
      item('t1', called('{}', 'x'), 's1'),
      item('t1', asked('and that', 'steer')),
      { type: 'step.started', turnId: 't1', stepId: 's2', body: {} } as never,
      { type: 'turn.completed', turnId: 't1', body: {} } as never,
      { type: 'turn.started', turnId: 't2', body: { model: { model: 'm' }, modelLabel: '' } } as never,
      { type: 'turn.failed', turnId: 't2', body: {} } as never,
    )
    expect(made.entries.map(({ kind, seq, step }) => [kind, seq, step])).toEqual([
      ['head', 2, -1],
      ['tool', 4, 0],
      ['words', 5, -1],
      ['head', 8, -1],
    ])
    expect(made.turns.map(({ from, to, firstStep }) => [from, to, firstStep])).toEqual([
      [0, 3, 0],
      [3, 4, -1],
    ])
    expect(made).toMatchObject({
      steps: ['s1', 's2'],
      result: 'failed',
      model: 'm',
      firstAt: 1_000,
      lastAt: 1_008,
    })
  })

  it('counts changed files by the last checkpoint, without one by patches', () => {
    const patch = called('{}', '', {
      detail: { type: 'patch', files: [{ path: 'a', change: 'modified', additions: 1, deletions: 2 }] },
    })
    const patched = digest(item('t', patch), item('t', patch))
    expect(patched.files).toEqual({ files: new Map([['a', { additions: 2, deletions: 4 }]]), total: 1 })
    const files = [{ path: 'b', change: 'added', additions: 5, deletions: 0, binary: false }]
    const checked = digest(item('t', patch), {
      type: 'checkpoint.created',
      turnId: 't',
      body: { files, fileCount: 60 },
    } as never)
    expect([...checked.files.files.keys()]).toEqual(['b'])
    expect(checked.files.total).toBe(60)
  })
})
