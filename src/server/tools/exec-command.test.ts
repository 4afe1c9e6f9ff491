import { describe, expect, it } from 'vitest'
import { toolBench } from '../../../test/setup/tool-context.ts'
import { Fault } from '../../protocol/error.ts'
import { defaultThreadSettings } from '../../protocol/settings.ts'
import { maxSessions, sessionNumber } from './sessions.ts'

const numberIn = (text: string): number => Number(/session (\d+)/.exec(text)?.[1])

describe('a command that ends', () => {
  it('gives output, exit code and the raw bytes', async () => {
    const { call, sandbox, told } = toolBench()
    sandbox.play(({ print, end }) => {
      print('10%\r20%\n')
      print(new Uint8Array([0xff, 0x0a]))
      end(3)
    })
    const outcome = await call('exec_command', { cmd: 'build', workdir: 'sub' })
    expect(outcome.status).toBe('succeeded')
    expect(outcome.text).toBe('Exit code: 3\nWall time: 0.00 s\nOutput:\n20%\n\ufffd\n')
    expect(outcome.detail).toMatchObject({ type: 'command', exitCode: 3, running: false, bytes: 10 })
    expect(Buffer.from((await outcome.ended?.readOutput()) ?? []).toString('latin1')).toBe('10%\r20%\n\xff\n')
    expect(sandbox.ran[0]).toMatchObject({ script: 'build', cwd: '/workspace/sub', mode: 'workspace-write' })
    expect(sandbox.ran[0]?.env).toMatchObject({ NO_COLOR: '1', PAGER: 'cat' })
    expect(told.map((entry) => entry.what)).toEqual(['command', 'output', 'output'])
  })

  it('is cut to what was asked, and the raw bytes are whole', async () => {
    const { call, sandbox } = toolBench()
    sandbox.play(({ print }) => {
      for (let count = 0; count < 40; count++) print('0123456789abcdef'.repeat(6_250))
    })
    const outcome = await call('exec_command', { cmd: 'flood', max_output_tokens: 100 })
    expect(outcome.text.length).toBeLessThan(600)
    expect(outcome.text).toContain('Output: 4000000 bytes, shown in part')
    expect((await outcome.ended?.readOutput())?.length).toBe(4_000_000)
  })

  it('has an id made from its call’s, so that running the call again finds it', async () => {
    const { call, sandbox, told } = toolBench()
    await call('exec_command', { cmd: 'echo x' })
    expect(sandbox.ran[0]?.commandId).toMatch(/^cmd_/)
    expect(told[0]).toMatchObject({ commandId: sandbox.ran[0]?.commandId })
  })
})

describe('a command that goes on', () => {
  it('is handed back as a session, read on, and ends', async () => {
    const { call, sandbox, context } = toolBench({ instant: true })
    let finish = (): void => undefined
    sandbox.play(async ({ print }) => {
      print('one\n')
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      print('two\n')
    })
    const first = await call('exec_command', { cmd: 'serve', yield_time_ms: 250 })
    expect(first).toMatchObject({ status: 'succeeded', detail: { running: true } })
    expect(first.ended).toBeUndefined()
    expect(first.text).toContain('one\n')
    const session = numberIn(first.text)
    expect(await call('write_stdin', { session_id: session })).toMatchObject({ detail: { running: true } })
    finish()
    const last = await call('write_stdin', { session_id: session })
    expect(last.text).toContain('Exit code: 0')
    expect(last.text).toContain('two\n')
    expect(last.text).not.toContain('one')
    expect(Buffer.from((await last.ended?.readOutput()) ?? []).toString()).toBe('one\ntwo\n')
    expect(context.sessions.size).toBe(0)
  })

  it('can be typed to only with a terminal, and stopped in any case', async () => {
    const { call, sandbox } = toolBench({ instant: true })
    sandbox.play(async ({ more, typed, print, signal }) => {
      for (let seen = 0; !signal.aborted; seen = typed().length) {
        await more()
        print(`got ${typed().slice(seen)}`)
      }
    })
    const closed = numberIn((await call('exec_command', { cmd: 'cat' })).text)
    expect(await call('write_stdin', { session_id: closed, chars: 'x' })).toMatchObject({
      status: 'refused',
      error: { code: 'tool_refused' },
    })
    const open = numberIn((await call('exec_command', { cmd: 'cat', tty: true })).text)
    expect((await call('write_stdin', { session_id: open, chars: 'hello\n' })).text).toContain('got hello')
    expect((await call('write_stdin', { session_id: closed, chars: '\u0003' })).text).toContain(
      'Killed by SIGKILL',
    )
    expect(sandbox.killed).toHaveLength(1)
  })

  it('is found by its number after a restart', async () => {
    const { call, sandbox, context } = toolBench({ instant: true })
    sandbox.play(async ({ print, more }) => {
      print('still here\n')
      await more()
    })
    const number = numberIn((await call('exec_command', { cmd: 'serve' })).text)
    expect(number).toBe(sessionNumber(sandbox.ran[0]?.commandId ?? ''))
    context.sessions.clear()
    expect((await call('write_stdin', { session_id: number })).text).toContain('still here')
    expect(await call('write_stdin', { session_id: 7 })).toMatchObject({ status: 'refused' })
    context.sessions.clear()
    sandbox.input = async () => {
      throw new Fault('conflict', 'Its input is closed.', 'Run it again.')
    }
    expect((await call('write_stdin', { session_id: number, chars: 'x' })).text).toContain(
      'Its input is closed.',
    )
    context.sessions.clear()
    expect((await call('write_stdin', { session_id: number, chars: '\u0003' })).text).toContain('Killed')
  })

  it('waits within the limits', async () => {
    const { call, sandbox, waits } = toolBench({ instant: true })
    sandbox.play(({ more }) => more())
    const number = numberIn((await call('exec_command', { cmd: 'x', yield_time_ms: 1 })).text)
    await call('exec_command', { cmd: 'x', yield_time_ms: 9e9 })
    await call('exec_command', { cmd: 'x' })
    await call('write_stdin', { session_id: number, yield_time_ms: 1 })
    await call('write_stdin', { session_id: number, yield_time_ms: 9e9 })
    expect(waits.filter((ms) => ms !== 100)).toEqual([250, 30_000, 10_000, 5_000, 300_000])
  })

  it('makes room by ending the one that was not used for longest', async () => {
    const { call, sandbox, context } = toolBench({ instant: true })
    sandbox.play(({ more }) => more())
    for (let count = 0; count < maxSessions + 1; count++)
      await call('exec_command', { cmd: 'x', yield_time_ms: 250 })
    expect(sandbox.killed).toEqual([sandbox.ran[0]?.commandId])
    expect(context.sessions.size).toBe(maxSessions)
  })
})

describe('a stop', () => {
  it('kills a command whose call has no result yet, and tells what it had printed', async () => {
    const { call, sandbox, stop } = toolBench()
    sandbox.play(async ({ print, more }) => {
      print('half\n')
      setImmediate(() => stop.abort())
      await more()
    })
    const outcome = await call('exec_command', { cmd: 'sleep 300' })
    expect(outcome.status).toBe('interrupted')
    expect(outcome.text).toContain('half')
    expect(sandbox.killed).toHaveLength(1)
    expect(outcome.ended?.end.status).toBe('killed')
  })

  it('leaves a session alone', async () => {
    const { call, sandbox, stop, context } = toolBench({ instant: true })
    sandbox.play(({ more }) => more())
    const number = numberIn((await call('exec_command', { cmd: 'serve' })).text)
    context.clock.sleep = async (_ms, signal) => {
      if (signal) await new Promise((_, reject) => signal.addEventListener('abort', reject, { once: true }))
    }
    setImmediate(() => stop.abort())
    expect(await call('write_stdin', { session_id: number })).toMatchObject({ status: 'interrupted' })
    expect(sandbox.killed).toEqual([])
  })
})

describe('permission', () => {
  const patch = '*** Begin Patch\n*** Add File: n\n+x\n*** End Patch'
  const script = `apply_patch <<'E'\n${patch}\nE`

  it('is handed to the sandbox', async () => {
    const { call, sandbox } = toolBench({
      context: { settings: { ...defaultThreadSettings, permission: 'read-only' } },
    })
    await call('exec_command', { cmd: 'ls' })
    expect(sandbox.ran[0]?.mode).toBe('read-only')
    expect(await call('exec_command', { cmd: script })).toMatchObject({ status: 'refused' })
  })

  it('is asked of a person where the thread says so', async () => {
    const asked: string[] = []
    const settings = { ...defaultThreadSettings, approvals: 'untrusted' } as const
    const { call, sandbox } = toolBench({
      context: {
        settings,
        approve: async ({ action }) => {
          asked.push(action)
          return asked.length > 1 ? { allowed: true } : { allowed: false, words: 'not now' }
        },
      },
    })
    const refused = await call('exec_command', { cmd: 'echo x' })
    expect(refused).toMatchObject({ status: 'refused', error: { code: 'tool_refused' } })
    expect(refused.text).toContain('not now')
    expect(await call('exec_command', { cmd: 'echo x' })).toMatchObject({ status: 'succeeded' })
    expect(sandbox.ran).toHaveLength(1)
    expect(await toolBench({ context: { settings } }).call('exec_command', { cmd: 'x' })).toMatchObject({
      status: 'refused',
    })
  })

  it('a command that is nothing but a patch is one', async () => {
    const { call, sandbox } = toolBench()
    const outcome = await call('exec_command', { cmd: `cd sub && ${script}` })
    expect(outcome.detail).toMatchObject({ type: 'patch', files: [{ path: 'n', change: 'added' }] })
    expect(sandbox.read('sub/n')).toBe('x\n')
    expect(sandbox.ran).toEqual([])
    expect(await call('exec_command', { cmd: patch })).toMatchObject({
      status: 'refused',
      error: { code: 'tool_bad_arguments' },
    })
  })
})
