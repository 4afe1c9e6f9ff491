import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { casesIn } from '../../../test/setup/cases.ts'
import { type RealSandboxes, realSandboxes, runScript } from '../../../test/setup/sandboxes.ts'
import { type ToolBench, toolBenchOver } from '../../../test/setup/tool-context.ts'
import type { Sandbox } from '../sandbox/types.ts'

let real: RealSandboxes
let bench: ToolBench<Sandbox>

beforeAll(async () => {
  real = await realSandboxes()
  const { sandbox } = await real.open(real.manager())
  bench = toolBenchOver(sandbox)
})
afterAll(async () => {
  await real?.clean()
})

const shell = async (script: string): Promise<string> => (await runScript(bench.sandbox, script)).text
const sessionIn = (text: string): number => Number(/session (\d+)/i.exec(text)?.[1])

type Case = {
  input: Record<string, string>
  patch: string
  codex: { exit: number; tree: Record<string, string> }
}
const cases = casesIn('apply-patch', 'cases')

/** The files below a folder as the shell sees them. */
const treeOf = async (folder: string): Promise<Record<string, string>> => {
  const listed = await shell(
    `cd ${folder} && find . -type f -printf '%P\\n' | while read -r f; do echo "$f $(base64 -w0 "$f")"; done`,
  )
  const lines = listed.split('\n').filter((line) => line !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', body = ''] = line.split(' ')
      return [name, Buffer.from(body, 'base64').toString()]
    }),
  )
}

describe.skipIf(!cases.present)('patches with a known outcome, in a container (needs CASES_DIR)', () => {
  const names = cases.names('.json')
  it('are there', () => expect(names).not.toEqual([]))

  it('come out by the tool and by the command alike', { timeout: 600_000 }, async () => {
    for (const [index, name] of names.entries()) {
      const { input, patch, codex } = cases.json<Case>(name)
      for (const way of ['tool', 'command']) {
        const folder = `/workspace/${way}-${index}`
        await shell(`mkdir -p ${folder}`)
        for (const [path, text] of Object.entries(input))
          await bench.sandbox.writeFile(`${folder}/${path}`, Buffer.from(text), 'workspace-write')
        let done: boolean
        if (way === 'tool') {
          const over = toolBenchOver(bench.sandbox, { context: { cwd: folder } })
          done = (await over.call('apply_patch', { input: patch })).status === 'succeeded'
        } else {
          const outcome = await bench.call('exec_command', {
            cmd: `base64 -d <<< ${Buffer.from(patch).toString('base64')} | apply_patch`,
            workdir: folder,
          })
          done = outcome.detail?.type === 'command' && outcome.detail.exitCode === 0
        }
        expect({ name, way, done, tree: await treeOf(folder) }).toEqual({
          name,
          way,
          done: codex.exit === 0,
          tree: codex.tree,
        })
      }
    }
  })
})

describe('commands in a container', () => {
  it('give output, code and what is no text', async () => {
    const outcome = await bench.call('exec_command', { cmd: "printf '\\xf0\\n10%%\\r20%%\\n'; exit 3" })
    expect(outcome.text).toMatch(/^Exit code: 3\nWall time: [\d.]+ s\nOutput:\n\ufffd\n20%\n$/)
  })

  it('say where they cannot run', async () => {
    const outcome = await bench.call('exec_command', { cmd: 'true', workdir: 'not-there' })
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'not_found' } })
    expect(outcome.text).toMatch(/not-there/)
  })

  it('may print 4 MB in one line', async () => {
    const outcome = await bench.call('exec_command', {
      cmd: "head -c 4000000 /dev/zero | tr '\\0' x; echo end",
    })
    expect(outcome.text).toContain('Output: 4000004 bytes, shown in part')
    expect(outcome.text.endsWith('xend\n')).toBe(true)
    expect((await outcome.ended?.readOutput())?.length).toBe(4_000_004)
  })

  it('go on as a session that can be typed to', async () => {
    const first = await bench.call('exec_command', {
      cmd: 'read -r word; echo "got $word"',
      tty: true,
      yield_time_ms: 250,
    })
    expect(first.text).toContain('Still running')
    const number = sessionIn(first.text)
    let text = (
      await bench.call('write_stdin', { session_id: number, chars: 'hello\n', yield_time_ms: 30_000 })
    ).text
    if (!text.includes('Exit code')) text += (await bench.call('write_stdin', { session_id: number })).text
    expect(text).toContain('got hello')
    expect(text).toContain('Exit code: 0')
  })

  it('are stopped by the key without a terminal, and by a stop of the turn, to the last process', async () => {
    const first = await bench.call('exec_command', { cmd: '(sleep 1001 &) ; sleep 1001', yield_time_ms: 250 })
    const ended = await bench.call('write_stdin', { session_id: sessionIn(first.text), chars: '\u0003' })
    expect(ended.text).toContain('Killed by')
    const stop = new AbortController()
    const over = toolBenchOver(bench.sandbox, { context: { signal: stop.signal } })
    over.context.progress.output = () => stop.abort()
    const outcome = await over.call('exec_command', {
      cmd: 'echo begun; trap "" TERM; (sleep 1001 &) ; sleep 1001',
    })
    expect(outcome.status).toBe('interrupted')
    expect(outcome.text).toContain('begun')
    expect(await shell("pgrep -f 'sleep 100[1]' | wc -l")).toBe('0\n')
  })

  it('write nothing in a thread that is read-only', async () => {
    const settings = { ...bench.context.settings, permission: 'read-only' } as const
    const over = toolBenchOver(bench.sandbox, { context: { settings } })
    const outcome = await over.call('exec_command', { cmd: 'echo x > written; echo code $?' })
    expect(outcome.text).toContain('code 1')
    expect(await bench.sandbox.stat('/workspace/written')).toBeNull()
  })
})

describe('files in a container', () => {
  it('are listed, searched and read', async () => {
    await bench.call('exec_command', {
      cmd: "mkdir -p t/sub && printf 'one\\ntwo needle\\n' > t/sub/a.txt && ln -s sub t/link",
    })
    expect((await bench.call('list_dir', { path: 't' })).text).toBe('t:\nlink@\nsub/\nsub/a.txt  15')
    expect((await bench.call('search_files', { pattern: 'needle', path: 't' })).text).toBe(
      't/sub/a.txt:\n2:two needle',
    )
    expect((await bench.call('read_file', { path: 't/sub/a.txt' })).text).toBe(
      '    1\tone\n    2\ttwo needle',
    )
    expect(await bench.call('read_file', { path: 't/gone' })).toMatchObject({ error: { code: 'not_found' } })
  })

  it('are not patched through a link that leads out', async () => {
    await bench.call('exec_command', { cmd: 'ln -s /tmp out' })
    const outcome = await bench.call('apply_patch', {
      input: '*** Begin Patch\n*** Add File: out/escaped\n+x\n*** End Patch',
    })
    expect(outcome.status).not.toBe('succeeded')
    expect(await shell('ls /tmp/escaped 2>/dev/null; true')).toBe('')
  })
})
