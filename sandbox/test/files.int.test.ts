import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DirList, FileStat, PatchResult, SearchResult } from '../supervisor/protocol.ts'
import { TestBox } from './container.ts'

let box: TestBox
beforeAll(async () => {
  box = await TestBox.start()
})
afterAll(() => box?.remove())

const at = (path: string, rest = ''): string => `/files?path=${encodeURIComponent(path)}${rest}`
const code = async (method: string, path: string, body?: unknown): Promise<string> =>
  JSON.parse((await box.send(method, path, body)).bytes.toString()).code

describe('files', () => {
  it('are written with their folders, read in parts, told with size and kind', async () => {
    const bytes = Buffer.from([0, 1, 2, 0xff, 0xfe, 10])
    const stat = await box.json<FileStat>('PUT', at('/workspace/new/deep/ä.bin', '&parents=1'), bytes)
    expect(stat).toMatchObject({ path: '/workspace/new/deep/ä.bin', kind: 'file', size: 6, mode: 0o644 })
    const answer = await box.send('GET', at('/workspace/new/deep/ä.bin', '&offset=2&limit=3'))
    expect(answer.bytes).toEqual(bytes.subarray(2, 5))
    expect(JSON.parse(String(answer.headers['baton-file']))).toMatchObject({
      size: 6,
      path: '/workspace/new/deep/ä.bin',
    })
    expect(await code('GET', at('/workspace/none'))).toBe('not_found')
    expect(await code('GET', at('/workspace/new'))).toBe('not_a_file')
    expect(await code('PUT', at('/workspace/absent/file'), bytes)).toBe('not_found')
  })

  it('keep their mode when they are written again, and a link keeps leading to its file', async () => {
    await box.run('echo old > run.sh; chmod 751 run.sh; ln -s run.sh link.sh')
    const stat = await box.json<FileStat>('PUT', at('/workspace/link.sh'), Buffer.from('new\n'))
    expect(stat).toMatchObject({ path: '/workspace/run.sh', mode: 0o751 })
    expect((await box.run('cat run.sh; readlink link.sh')).text).toBe('new\nrun.sh\n')
  })

  it('that are none are not read: FIFO, socket, device', async () => {
    await box.run('mkfifo pipe; python3 -c \'import socket; socket.socket(socket.AF_UNIX).bind("sock")\'')
    for (const path of ['/workspace/pipe', '/workspace/sock']) {
      expect(await code('GET', at(path))).toBe('not_a_file')
      expect(await code('PUT', at(path), Buffer.from('x'))).toBe('not_a_file')
      expect(await box.json('GET', `/files/stat?path=${path}`)).toMatchObject({ kind: 'other' })
    }
    expect(await code('GET', at('/dev/zero'))).toBe('forbidden')
  })

  it('SEC-15 links, .. and loops lead to nothing that a command could not have', async () => {
    await box.run(
      'ln -s /state st; ln -s /proc/self/environ env; ln -s /etc etc; ln -s loop loop; ln -s / root',
    )
    for (const path of [
      '/workspace/st/shadow/HEAD',
      '/workspace/st',
      '/workspace/env',
      '/workspace/../state/spool',
      '/workspace/root/state',
      '/proc/1/environ',
      '/state',
    ]) {
      expect(['forbidden', 'not_found', 'not_a_file']).toContain(await code('GET', at(path)))
      expect(await code('GET', `/files/list?path=${path}`)).not.toBeUndefined()
    }
    expect(await code('GET', at('/workspace/loop'))).toBe('bad_input')
    expect(await code('PUT', at('/workspace/etc/passwd'), Buffer.from('x'))).toBe('forbidden')
    expect(await code('PUT', at('/workspace/st/x'), Buffer.from('x'))).toBe('forbidden')
    expect(await code('PUT', at('/workspace/../state/x'), Buffer.from('x'))).toBe('forbidden')
    expect((await box.send('GET', at('/workspace/etc/hostname'))).status).toBe(200)
  })

  it('are listed by depth, sorted, cut at a limit', async () => {
    await box.run('mkdir -p list/b/c; touch list/a list/b/d list/b/c/e; ln -s a list/z')
    const list = await box.json<DirList>('GET', '/files/list?path=/workspace/list&depth=2')
    expect(list.entries.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'file a',
      'dir b',
      'symlink z',
      'dir b/c',
      'file b/d',
    ])
    expect(list.entries[2]?.target).toBe('a')
    expect(await box.json('GET', '/files/list?path=/workspace/list&depth=9&limit=2')).toMatchObject({
      truncated: true,
    })
  })
})

const patchText = (name: string): string =>
  `*** Begin Patch\n*** Add File: ${name}\n+hello\n+world\n*** End Patch\n`

describe('a patch', () => {
  it('is applied by the supervisor as by the program in a shell', async () => {
    const mode = 'workspace-write'
    const result = await box.json<PatchResult>('POST', '/patch', { patch: patchText('dir/one.txt'), mode })
    expect(result.changed).toEqual([{ path: 'dir/one.txt', kind: 'add' }])
    const shell = await box.run(`apply_patch <<'E'\n${patchText('dir/two.txt')}E\n`)
    expect(shell.end?.exitCode).toBe(0)
    expect(shell.text).toBe(result.summary.replace('one.txt', 'two.txt'))
    expect((await box.run('cmp dir/one.txt dir/two.txt && cat dir/one.txt')).text).toBe('hello\nworld\n')
    const argument = await box.run('', { argv: ['applypatch', patchText('three.txt')] })
    expect(argument.end?.exitCode).toBe(0)
  })

  it('that does not fit says so in the same words, and read-only writes nothing', async () => {
    const patch = '*** Begin Patch\n*** Update File: dir/one.txt\n@@\n-absent\n+x\n*** End Patch\n'
    const answer = await box.send('POST', '/patch', { patch, mode: 'workspace-write' })
    expect(answer.status).toBe(422)
    const failure = JSON.parse(answer.bytes.toString())
    expect(failure).toMatchObject({ code: 'patch_rejected', next: expect.any(String) })
    const shell = await box.run(`apply_patch <<'E'\n${patch}E\n`)
    expect(shell.end?.exitCode).toBe(1)
    expect(shell.text).toBe(failure.message)
    expect(await code('POST', '/patch', { patch: patchText('no'), mode: 'read-only' })).toBe('forbidden')
    const denied = await box.run(`apply_patch <<'E'\n${patchText('no')}E\n`, { mode: 'read-only' })
    expect(denied.end?.exitCode).toBe(1)
  })

  it('SEC-15 writes nowhere outside, by link or by name', async () => {
    await box.run('ln -sfn /state to-state')
    for (const name of ['to-state/x', '../state/y', '/state/z', '/etc/w'])
      expect(await code('POST', '/patch', { patch: patchText(name), mode: 'full-access' })).toBe(
        'patch_rejected',
      )
  })
})

describe('search', () => {
  it('finds lines with places in UTF-16, bounded by a limit', async () => {
    await box.run(
      'mkdir s; printf "eins\\nzwei ä needle 😀 needle\\n" > s/a.txt; seq -f "needle %g" 50 > s/b.txt; mkfifo s/f',
    )
    const found = await box.json<SearchResult>('GET', '/search?query=needle&path=/workspace/s&limit=3')
    expect(found).toMatchObject({ truncated: true, timedOut: false })
    expect(found.matches).toHaveLength(3)
    const first = found.matches[0]
    expect(first).toMatchObject({ path: '/workspace/s/a.txt', line: 2, context: false })
    expect(first?.spans.map(([from, to]) => first.text.slice(from, to))).toEqual(['needle', 'needle'])
    const none = await box.json<SearchResult>('GET', '/search?query=nothing-like-it&path=/workspace/s')
    expect(none).toEqual({ matches: [], truncated: false, timedOut: false })
  })

  it('takes globs and literals, and says what is wrong with a pattern', async () => {
    await box.run('echo "a.b(c" > s/x.md; echo "aXb(c" > s/y.md')
    const found = await box.json<SearchResult>(
      'GET',
      '/search?query=a.b(&literal=1&glob=*.md&path=/workspace/s',
    )
    expect(found.matches.map(({ path }) => path)).toEqual(['/workspace/s/x.md'])
    expect(await code('GET', '/search?query=a(&path=/workspace/s')).toBe('bad_input')
    expect(await code('GET', '/search?query=a&path=/workspace/s/f')).toBe('not_a_file')
    expect(await code('GET', '/search?query=a&path=/workspace/none')).toBe('not_found')
    expect(await code('GET', '/search')).toBe('bad_input')
  })
})

describe('a tunnel', () => {
  it('leads to a port inside and to nowhere else', async () => {
    await box.json('POST', '/commands', {
      mode: 'workspace-write',
      script: 'cd s && python3 -m http.server 8765 --bind 127.0.0.1',
    })
    await box.run(
      'for i in $(seq 200); do (echo >/dev/tcp/127.0.0.1/8765) 2>/dev/null && break; sleep 0.1; done',
    )
    expect((await box.tunnel('127.0.0.1:8765', 'GET /x.md HTTP/1.0\r\n\r\n')).toString()).toContain('a.b(c')
    await expect(box.tunnel('127.0.0.1:1', 'x')).rejects.toThrow('404')
    await expect(box.tunnel('10.0.0.1:80', 'x')).rejects.toThrow('400')
  })
})
