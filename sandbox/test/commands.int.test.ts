import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CommandState } from '../supervisor/protocol.ts'
import { TestBox, unpack, until } from './container.ts'

let box: TestBox
beforeAll(async () => {
  box = await TestBox.start()
})
afterAll(() => box?.remove())

const state = (id: string): Promise<CommandState> => box.json('GET', `/commands/${id}`)

describe('a command', () => {
  it('gives output, exit code and byte count in one round trip', async () => {
    const ran = await box.run('echo out; echo err >&2; exit 3')
    expect(ran.text).toBe('out\nerr\n')
    expect(ran.end).toMatchObject({
      exitCode: 3,
      signal: null,
      timedOut: false,
      killed: false,
      lost: false,
      bytes: 8,
    })
  })

  it('has real pipes: /dev/stderr, /dev/stdout and /dev/stdin can be opened', async () => {
    const ran = await box.run('echo a >/dev/stderr; echo b >/dev/stdout; cat /dev/stdin; echo c >/dev/fd/2', {
      input: 'in\n',
    })
    expect(ran.text).toBe('a\nb\nin\nc\n')
  })

  it('keeps the script its own line numbers, exit on error and quoting', async () => {
    const value = 'a\'b"c\\d$e`f\ng\tü\u0001'
    const ran = await box.run('printf %s "$VALUE"\nfalse | true\nset -e\nnosuchprogram', {
      env: { VALUE: value },
    })
    expect(ran.text).toBe(`${value}bash: line 4: nosuchprogram: command not found\n`)
    expect(ran.end?.exitCode).toBe(127)
  })

  it('runs an argv without a shell reading it', async () => {
    const argv = ['printf', '%s|', '$HOME', "it's", '*', '']
    expect((await box.run('', { argv })).text).toBe("$HOME|it's|*||")
    expect((await box.run('', { argv: ['no-such-program'] })).end?.exitCode).toBe(127)
  })

  it('starts in its folder, and says when there is none', async () => {
    expect((await box.run('pwd', { cwd: '/usr/lib' })).text).toBe('/usr/lib\n')
    await expect(box.run('pwd', { cwd: '/nowhere' })).rejects.toThrow('not_found')
  })

  it('takes a script of two megabytes', async () => {
    const script = `text='${'x'.repeat(2_000_000)}'\necho \${#text}`
    expect((await box.run(script)).text).toBe('2000000\n')
  })

  it('refuses a NUL character, a name that is none, and a request that is none', async () => {
    await expect(box.run('echo a\0b')).rejects.toThrow('bad_input')
    await expect(box.run('true', { env: { 'A-B': '1' } })).rejects.toThrow('bad_input')
    for (const body of ['null', '[]', '{', '{"mode":"root","script":"id"}', '{"mode":"read-only"}']) {
      const answer = await box.send('POST', '/commands', Buffer.from(body))
      expect(answer.status).toBe(400)
      expect(JSON.parse(answer.bytes.toString())).toMatchObject({
        code: 'bad_input',
        next: expect.any(String),
      })
    }
  })

  it('carries bytes that are no text, and a single line of four megabytes', async () => {
    const bytes = await box.run("printf '\\000\\377\\376a\\r\\n\\200'")
    expect(bytes.output).toEqual(Buffer.from([0, 0xff, 0xfe, 0x61, 13, 10, 0x80]))
    const line = await box.run("head -c 4194304 /dev/zero | tr '\\0' y")
    expect(line.output.length).toBe(4_194_304)
    expect(line.output.every((byte) => byte === 0x79)).toBe(true)
    expect(line.end?.bytes).toBe(4_194_304)
  })

  it('keeps the first and the last 25 MB and names the gap', async () => {
    const side = 25 * 1024 * 1024
    const ran = await box.run('echo begin; head -c 70000000 /dev/zero; echo end')
    expect(ran.end?.bytes).toBe(70_000_010)
    expect(ran.output.length + ran.gap).toBe(70_000_010)
    expect(ran.output.subarray(0, 6).toString()).toBe('begin\n')
    expect(ran.output.subarray(-4).toString()).toBe('end\n')
    const kept = await state(ran.commandId)
    expect(kept.gapBytes).toBe(70_000_010 - 2 * side)
    await box.json('DELETE', `/commands/${ran.commandId}`)
    await expect(state(ran.commandId)).rejects.toThrow('command_lost')
  })

  it('never waits for a reader', async () => {
    const { commandId } = await box.json('POST', '/commands', {
      mode: 'workspace-write',
      script: 'head -c 3000000 /dev/zero',
    })
    await until(async () => (await state(commandId)).status === 'exited', 'the command ends unread')
    expect(unpack((await box.send('GET', `/commands/${commandId}/output?from=0`)).bytes).output.length).toBe(
      3_000_000,
    )
  })

  it('runs once however often its request is sent, and not again after it was freed', async () => {
    const request = { id: 'cmd_once', script: 'echo x >> once; wc -l < once' }
    const all = await Promise.all([1, 2, 3].map(() => box.run(request.script, { id: request.id })))
    expect(all.map(({ text }) => text)).toEqual(['1\n', '1\n', '1\n'])
    await box.json('DELETE', '/commands/cmd_once')
    await expect(box.run(request.script, { id: 'cmd_once' })).rejects.toThrow('conflict')
  })

  it('goes on without its connection, and nothing of its output is missing after a new one', async () => {
    const id = 'cmd_survivor'
    await box.json('POST', '/commands', {
      id,
      mode: 'workspace-write',
      script:
        'for i in $(seq 2000); do echo line $i; done; read -r word < <(sleep 0.2; echo end); echo $word; exit 42',
    })
    box.disconnect()
    await box.connect()
    const first = unpack((await box.send('GET', `/commands/${id}/output?from=0&follow=1`)).bytes)
    const expected = `${Array.from({ length: 2000 }, (_, i) => `line ${i + 1}\n`).join('')}end\n`
    expect(first.output.toString()).toBe(expected)
    expect(first.end?.exitCode).toBe(42)
    const rest = unpack((await box.send('GET', `/commands/${id}/output?from=100`)).bytes)
    expect(rest.output.toString()).toBe(expected.slice(100))
  })

  it('takes input while it runs, and its end', async () => {
    const { commandId } = await box.json('POST', '/commands', {
      mode: 'workspace-write',
      stdin: 'pipe',
      script: 'while read -r line; do echo "got $line"; done; echo closed',
    })
    expect(await box.json('POST', `/commands/${commandId}/input`, Buffer.from('one\n'))).toEqual({
      accepted: 4,
    })
    await box.json('POST', `/commands/${commandId}/input?close=1`, Buffer.from('two\n'))
    const ran = unpack((await box.send('GET', `/commands/${commandId}/output?from=0&follow=1`)).bytes)
    expect(ran.output.toString()).toBe('got one\ngot two\nclosed\n')
    await expect(box.json('POST', `/commands/${commandId}/input`, Buffer.from('x'))).rejects.toThrow(
      'conflict',
    )
  })

  it('has no input unless it was asked for', async () => {
    expect((await box.run('cat; echo done')).text).toBe('done\n')
  })

  it('ends with its shell, though a background child holds the output open', async () => {
    const ran = await box.run('(sleep 1000 & ); echo started')
    expect(ran.text).toBe('started\n')
    expect(ran.end?.exitCode).toBe(0)
    expect(await state(ran.commandId)).toMatchObject({ status: 'exited', background: true })
    // Another command may end it: commands may signal each other.
    expect((await box.run('pkill -x sleep && echo gone')).text).toBe('gone\n')
    await until(async () => !(await state(ran.commandId)).background, 'its background is told to be gone')
  })

  it('is queued when very many run at once, and all of them answer', async () => {
    const all = await Promise.all(Array.from({ length: 150 }, (_, i) => box.run(`sleep 0.3; echo ${i}`)))
    expect(all.map(({ text }) => text)).toEqual(all.map((_, i) => `${i}\n`))
  })
})

describe('a terminal', () => {
  it('has its size, sees a new one, takes input and signals', async () => {
    const { commandId } = await box.json('POST', '/commands', {
      mode: 'workspace-write',
      tty: { rows: 30, cols: 100 },
      script:
        'trap "stty size; exit 7" WINCH; test -t 0 -a -t 1 -a -t 2 && stty size; while :; do sleep 0.05; done',
    })
    const text = async (): Promise<string> =>
      unpack((await box.send('GET', `/commands/${commandId}/output?from=0`)).bytes).output.toString()
    await until(async () => (await text()).includes('30 100'), 'the first size')
    await box.json('POST', `/commands/${commandId}/resize`, { rows: 40, cols: 120 })
    await until(async () => (await state(commandId)).status === 'exited', 'the program saw the change')
    expect(await text()).toBe('30 100\r\n40 120\r\n')
    expect((await state(commandId)).end?.exitCode).toBe(7)
  })

  it('hands over Ctrl-C as a person types it', async () => {
    const { commandId } = await box.json('POST', '/commands', {
      mode: 'workspace-write',
      tty: { rows: 24, cols: 80 },
      script: 'echo ready; sleep 1000',
    })
    const output = async (): Promise<string> =>
      unpack((await box.send('GET', `/commands/${commandId}/output?from=0`)).bytes).output.toString()
    await until(async () => (await output()).includes('ready'), 'it runs')
    await box.json('POST', `/commands/${commandId}/input`, Buffer.from('\u0003'))
    await until(async () => (await state(commandId)).end !== null, 'Ctrl-C ends it')
    expect((await state(commandId)).end?.killed).toBe(false)
    await expect(box.json('POST', `/commands/${commandId}/resize`, { rows: 0, cols: 80 })).rejects.toThrow(
      'bad_input',
    )
  })
})

describe('a kill', () => {
  const living = async (mark: string): Promise<number> =>
    Number((await box.run(`ps -eo args= | grep -cE '^(/usr/bin/)?sleep ${mark}$'`)).text)

  it('SEC-12 a time limit ends what ignores TERM and what left its session', async () => {
    const ran = await box.run(
      'trap "" TERM; setsid sleep 4441 & nohup setsid bash -c "trap \'\' TERM HUP; sleep 4441; :" & sleep 4441',
      { timeoutMs: 400 },
    )
    expect(ran.end).toMatchObject({ timedOut: true, killed: true, signal: 'SIGKILL' })
    await until(async () => (await living('4441')) === 0, 'all of it is gone')
  })

  it('SEC-12 answers when nothing is left: env -i, setsid, double fork, 40 children', async () => {
    const { commandId } = await box.json('POST', '/commands', {
      mode: 'workspace-write',
      script: `for i in $(seq 10); do
        env -i setsid /usr/bin/sleep 4442 &
        (setsid bash -c 'setsid sleep 4442 & setsid sleep 4442 &' &)
        (trap '' TERM HUP INT; nohup sleep 4442 >/dev/null 2>&1 &)
      done; echo ready; sleep 4442`,
    })
    await until(async () => (await living('4442')) === 41, 'all are there')
    expect(await box.json('POST', `/commands/${commandId}/signal`, { signal: 'KILL' })).toEqual({
      delivered: true,
    })
    expect(await living('4442')).toBe(0)
    await until(async () => (await state(commandId)).end !== null, 'the end is told')
    expect(await state(commandId)).toMatchObject({ status: 'killed', end: { killed: true, exitCode: null } })
  })

  it('SEC-12 ends a tree that breeds, and leaves others alone', async () => {
    const other = await box.json('POST', '/commands', { mode: 'workspace-write', script: 'sleep 4443' })
    const { commandId } = await box.json('POST', '/commands', {
      mode: 'workspace-write',
      // Each one leaves its session, starts the next and ends: as many as at the start, never the same.
      script: `cat > breed.sh <<'E'
sleep 0.05; env -i PATH=$PATH setsid bash breed.sh &
sleep 0.05
E
      for i in $(seq 15); do bash breed.sh & done; sleep 1000`,
    })
    const count = async (): Promise<number> =>
      Number((await box.run('ps -eo args= | grep -c "breed[.]sh"')).text)
    await until(async () => (await count()) > 10, 'they breed')
    await box.json('POST', `/commands/${commandId}/signal`, { signal: 'KILL' })
    expect(await count()).toBe(0)
    expect(await state(other.commandId)).toMatchObject({ status: 'running' })
    await box.json('POST', `/commands/${other.commandId}/signal`, { signal: 'KILL' })
  })

  it('ends what a finished command left in the background', async () => {
    const ran = await box.run('setsid sleep 4444 >/dev/null 2>&1 & echo left')
    await until(async () => (await living('4444')) === 1, 'it is there')
    await box.json('POST', `/commands/${ran.commandId}/signal`, { signal: 'KILL' })
    expect(await living('4444')).toBe(0)
    expect(await box.json('POST', `/commands/${ran.commandId}/signal`, { signal: 'KILL' })).toEqual({
      delivered: false,
    })
  })

  it('other signals reach the process group', async () => {
    const { commandId } = await box.json('POST', '/commands', {
      mode: 'workspace-write',
      script: "trap 'echo caught; exit 9' INT; echo ready; while :; do sleep 0.05; done",
    })
    await until(async () => (await state(commandId)).bytes > 0, 'it is ready')
    await box.json('POST', `/commands/${commandId}/signal`, { signal: 'INT' })
    await until(async () => (await state(commandId)).end !== null, 'it ends')
    expect((await state(commandId)).end?.exitCode).toBe(9)
  })
})
