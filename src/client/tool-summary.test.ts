import { describe, expect, it } from 'vitest'
import type { ToolCall, ToolCallState } from '../protocol/item.ts'
import type { CommandView } from '../protocol/view.ts'
import { argument, summarise } from './tool-summary.ts'

const call = (tool: string, args: unknown, state: ToolCallState): ToolCall => ({
  id: 'i',
  type: 'tool_call',
  callId: 'c',
  tool,
  arguments: { text: JSON.stringify(args) },
  state,
})
const ran = (detail: object): ToolCallState =>
  ({ status: 'succeeded', startedAt: 1, endedAt: 5, output: { text: '' }, detail }) as ToolCallState
const command = { type: 'command', commandId: 'cmd_1', command: 'npm test', running: false, bytes: 0 }

describe('arguments', () => {
  it('are read from whole JSON and from JSON that is still being written', () => {
    expect(argument('{"cmd":"ls -la"}', ['cmd'])).toBe('ls -la')
    expect(argument('{"command":["bash","-c","x"]}', ['cmd', 'command'])).toBe('bash -c x')
    expect(argument('{"cmd":"echo \\"a\\" && ec', ['cmd'])).toBe('echo "a" && ec')
    expect(argument('{"cm', ['cmd'])).toBe('')
    expect(argument('not json', ['cmd'])).toBe('')
  })
})

describe('a line about a call', () => {
  it('tells a command that failed from one that worked', () => {
    const of = (detail: object) =>
      summarise(call('exec_command', {}, ran({ ...command, ...detail })), undefined, undefined)
    expect(of({ exitCode: 0 })).toMatchObject({ phase: 'done', object: 'npm test', exitCode: 0 })
    expect(of({ exitCode: 2 })).toMatchObject({ phase: 'failed', exitCode: 2 })
    expect(of({ exitCode: null, signal: 'SIGKILL' })).toMatchObject({ phase: 'failed', signal: 'SIGKILL' })
    expect(of({ exitCode: null, timedOut: true })).toMatchObject({ phase: 'failed', timedOut: true })
  })

  it('knows a command that goes on, and its end', () => {
    const item = call('exec_command', {}, ran({ ...command, running: true }))
    const view: CommandView = { id: 'cmd_1', seq: 1, itemId: 'i' }
    expect(summarise(item, view, undefined)).toMatchObject({ background: true, phase: 'done' })
    const exited = {
      commandId: 'cmd_1',
      itemId: 'i',
      status: 'exited',
      exitCode: 1,
      signal: null,
      bytes: 3,
      at: 9,
    }
    expect(summarise(item, { ...view, exited: exited as never }, undefined)).toMatchObject({
      background: false,
      phase: 'failed',
      exitCode: 1,
    })
  })

  it('names what is patched while the patch is being written', () => {
    const item = call('apply_patch', {}, { status: 'proposed' })
    const live = '{"input":"*** Begin Patch\\n*** Update File: a.ts\\n@@\\n*** Add File: b.ts\\n'
    expect(summarise(item, undefined, live)).toMatchObject({
      kind: 'patch',
      phase: 'proposed',
      object: 'a.ts +1',
    })
  })
})
