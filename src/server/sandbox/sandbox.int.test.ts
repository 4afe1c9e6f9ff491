import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pack as tarPack } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type OpenThread,
  type RealSandboxes,
  realSandboxes,
  runScript,
} from '../../../test/setup/sandboxes.ts'
import { sha256 } from '../../lib/sha256.ts'
import { newId } from '../../protocol/ids.ts'
import type { Manager } from './manager.ts'
import type { SandboxManager } from './types.ts'

const patience = { timeout: 60_000, interval: 50 }
let real: RealSandboxes
let manager: SandboxManager
let thread: OpenThread

beforeAll(async () => {
  real = await realSandboxes()
  manager = real.manager()
  thread = await real.open(manager)
  await thread.sandbox.ensure()
})
afterAll(async () => {
  await real?.clean()
})

/** Cuts the thread's connection as a broken network would. */
const cut = (open: OpenThread): void => (manager as Manager).boxOf(open.sandboxId())?.cut()

const entries = async (list: Record<string, string>): Promise<Readable> => {
  const tar = tarPack()
  for (const [name, body] of Object.entries(list)) tar.entry({ name }, body)
  tar.finalize()
  return Readable.from(tar)
}

describe('commands in a real container', () => {
  it('give output, exit code, signal, environment, folder and input', async () => {
    const { sandbox } = thread
    const plain = await runScript(sandbox, 'echo out; echo err >&2; echo "$A in $PWD"; exit 3', {
      env: { A: 'it’s "a" $b' },
      cwd: '/tmp',
    })
    expect(plain.text).toBe('out\nerr\nit’s "a" $b in /tmp\n')
    expect(plain.end).toMatchObject({
      status: 'exited',
      exitCode: 3,
      signal: null,
      bytes: plain.bytes.length,
    })
    const fed = await runScript(sandbox, 'cat | od -An -tx1', {
      stdin: Buffer.from([0x61, 0xff, 0x00, 0x0a]),
    })
    expect(fed.text.trim()).toBe('61 ff 00 0a')
    const much = Buffer.alloc(9_000_000, 0xe4)
    const counted = await runScript(sandbox, 'sleep 0.3; wc -c', { stdin: much })
    expect(counted.text.trim()).toBe('9000000')
    const direct = new Set<string>()
    const commandId = newId('cmd')
    await sandbox.run({ commandId, argv: ['printf', '%s|', 'a b', '$HOME'], mode: 'read-only' })
    for await (const { bytes } of sandbox.output(commandId, 0, { follow: true }))
      direct.add(Buffer.from(bytes).toString())
    expect([...direct].join('')).toBe('a b|$HOME|')
  })

  it('the same id never runs twice', async () => {
    const commandId = newId('cmd')
    for (let sent = 0; sent < 3; sent += 1)
      await runScript(thread.sandbox, 'echo x >> /workspace/once', { commandId })
    expect(Buffer.from((await thread.sandbox.readFile('/workspace/once')).bytes).toString()).toBe('x\n')
  })

  it('a terminal has its size, takes keys and is resized', async () => {
    const { sandbox } = thread
    const commandId = newId('cmd')
    await sandbox.run({
      commandId,
      script: 'stty size; trap "stty size" WINCH; while ! read -r line; do :; done; echo "got $line"',
      tty: { rows: 30, cols: 100 },
      mode: 'workspace-write',
    })
    let text = ''
    const reading = (async () => {
      for await (const { bytes } of sandbox.output(commandId, 0, { follow: true }))
        text += Buffer.from(bytes).toString()
    })()
    await expect.poll(() => text, patience).toContain('30 100')
    await sandbox.resize(commandId, 40, 120)
    await sandbox.input(commandId, Buffer.from('hello\r'))
    await reading
    expect(text).toContain('got hello')
  })

  it('20 MB arrive whole, and byte for byte the same over connections that are cut', async () => {
    const script = `python3 -c 'import sys
for i in range(20): sys.stdout.buffer.write(bytes((i * 7 + j) % 251 for j in range(1000)) * 1000)'`
    const whole = await runScript(thread.sandbox, script)
    expect(whole.bytes.length).toBe(20_000_000)
    const commandId = newId('cmd')
    await thread.sandbox.run({ commandId, script, mode: 'workspace-write' })
    const hash = createHash('sha256')
    let read = 0
    let cuts = 0
    for await (const { offset, bytes } of thread.sandbox.output(commandId, 0, { follow: true })) {
      expect(offset).toBe(read)
      read += bytes.length
      hash.update(bytes)
      if (read > 5_000_000 * (cuts + 1) && cuts < 3) {
        cuts += 1
        cut(thread)
      }
    }
    expect(cuts).toBe(3)
    expect(hash.digest('hex')).toBe(sha256(whole.bytes))
    expect(thread.news.map(({ type }) => type)).toEqual(['starting', 'ready'])
  })

  it('SEC-07 a flood of output is kept in part, and says how much is missing', async () => {
    const { sandbox } = thread
    const commandId = newId('cmd')
    const total = 80_000_000
    await sandbox.run({ commandId, script: `yes flood | head -c ${total}`, mode: 'workspace-write' })
    expect(await sandbox.wait(commandId)).toMatchObject({ status: 'exited', bytes: total })
    let kept = 0
    let missing = 0
    for await (const { bytes, gap } of sandbox.output(commandId, 0, { follow: false })) {
      kept += bytes.length
      missing += gap ?? 0
    }
    expect(missing).toBeGreaterThan(0)
    expect(kept + missing).toBe(total)
    await sandbox.forget(commandId)
    await expect(sandbox.wait(commandId)).rejects.toMatchObject({ code: 'command_lost' })
  })

  it('another server goes on where the first one was', async () => {
    const script = 'for i in $(seq 1 400); do echo "line $i"; sleep 0.01; done; exit 42'
    const commandId = newId('cmd')
    await thread.sandbox.run({ commandId, script, mode: 'workspace-write' })
    let text = ''
    for await (const { bytes } of thread.sandbox.output(commandId, 0, { follow: true })) {
      text += Buffer.from(bytes).toString()
      if (text.length > 500) break
    }
    const other = real.manager()
    await other.reconcile()
    const again = await real.open(other, thread.threadId)
    const from = Buffer.byteLength(text)
    for await (const { bytes } of again.sandbox.output(commandId, from, { follow: true }))
      text += Buffer.from(bytes).toString()
    expect(text).toBe(Array.from({ length: 400 }, (_, index) => `line ${index + 1}\n`).join(''))
    expect(await again.sandbox.wait(commandId)).toMatchObject({ status: 'exited', exitCode: 42 })
    await other.close()
  })

  it('SEC-12 kill leaves nothing of a command, and the rest of the sandbox alone', async () => {
    const { sandbox } = thread
    const commandId = newId('cmd')
    const other = newId('cmd')
    await sandbox.run({ commandId: other, script: 'sleep 987', mode: 'workspace-write' })
    const script = `(setsid sleep 1234 &); (nohup sleep 1234 >/dev/null 2>&1 &); env -i setsid bash -c 'sleep 1234 & sleep 1234' & echo up; sleep 1234`
    await sandbox.run({ commandId, script, mode: 'workspace-write' })
    const count = async (name: string) => {
      const { text } = await runScript(sandbox, `ps -eo args | grep -c '^sleep ${name}' || true`)
      return Number(text.trim())
    }
    await expect.poll(() => count('1234'), patience).toBeGreaterThanOrEqual(5)
    await sandbox.kill(commandId)
    expect(await count('1234')).toBe(0)
    expect(await sandbox.wait(commandId)).toMatchObject({ status: 'killed' })
    expect(await count('987')).toBe(1)
    await sandbox.kill(other)
    const late = await runScript(sandbox, 'sleep 600', { timeoutMs: 200 })
    expect(late.end).toMatchObject({ status: 'killed', timedOut: true })
  })
})

describe('files in a real container', () => {
  it('are written, read by range, listed, searched and patched; nothing outside', async () => {
    const { sandbox } = thread
    await sandbox.writeFile('/workspace/dir/a.txt', Buffer.from('one\ntwo\nthree\n'), 'workspace-write')
    const part = await sandbox.readFile('dir/a.txt', { offset: 4, limit: 3 })
    expect([Buffer.from(part.bytes).toString(), part.size]).toEqual(['two', 14])
    expect(await sandbox.stat('/workspace/dir')).toMatchObject({ type: 'directory' })
    expect(await sandbox.stat('/workspace/none')).toBeNull()
    await expect(sandbox.readFile('/workspace/none')).rejects.toMatchObject({ code: 'not_found' })
    await expect(sandbox.readFile('/workspace/dir')).rejects.toMatchObject({ code: 'tool_refused' })
    const { entries: listed } = await sandbox.listDir('/workspace/dir', { depth: 2, limit: 10 })
    expect(listed.map(({ path, type }) => [path, type])).toEqual([['/workspace/dir/a.txt', 'file']])
    const query = { pattern: 'TWO', literal: true, caseSensitive: false, limit: 10, contextLines: 1 }
    const found = await sandbox.search({ ...query, path: '/workspace/dir' })
    expect(found.matches.map(({ line, text, isMatch }) => [line, text.trim(), isMatch])).toEqual([
      [1, 'one', false],
      [2, 'two', true],
      [3, 'three', false],
    ])
    const patched = await sandbox.patch(
      '*** Begin Patch\n*** Update File: dir/a.txt\n@@\n-two\n+2\n+zwei\n*** End Patch',
      { mode: 'workspace-write' },
    )
    expect(patched).toMatchObject({ ok: true, files: [{ change: 'modified', additions: 2, deletions: 1 }] })
    const refused = await sandbox.patch(
      '*** Begin Patch\n*** Update File: dir/a.txt\n@@\n-nowhere\n+x\n*** End Patch',
      { mode: 'workspace-write' },
    )
    expect(refused).toMatchObject({ ok: false, files: [] })
    expect(refused.output).not.toBe('')
    await expect(sandbox.writeFile('/workspace/x', Buffer.from(''), 'read-only')).rejects.toMatchObject({
      code: 'tool_refused',
    })
  })

  it('SEC-15 SEC-16 an upload is unpacked into an empty workspace and cannot leave it', async () => {
    const uploaded = await real.open(manager)
    const tar = await entries({ 'src/a.txt': 'A'.repeat(30_000_000), 'b.txt': 'bb' })
    expect(await uploaded.sandbox.importTar(tar)).toEqual({ files: 2, bytes: 30_000_002 })
    const { bytes, size } = await uploaded.sandbox.readFile('src/a.txt')
    expect([bytes.length, size]).toEqual([30_000_000, 30_000_000])
    await expect(uploaded.sandbox.importTar(await entries({ c: '1' }))).rejects.toMatchObject({
      code: 'conflict',
    })
    await uploaded.sandbox.destroy()
    const hostile = await real.open(manager)
    await hostile.sandbox.importTar(await entries({ '../../home/agent/x': 'out' })).catch(() => undefined)
    expect(await hostile.sandbox.stat('/home/agent/x')).toBeNull()
    await hostile.sandbox.destroy()
    const broken = await real.open(manager)
    await expect(broken.sandbox.importTar(Readable.from([Buffer.alloc(5_000, 1)]))).rejects.toMatchObject({
      code: 'import_rejected',
    })
    const again = await entries({ 'ü ñ/文.txt': '1' })
    expect(await broken.sandbox.importTar(again)).toEqual({ files: 1, bytes: 1 })
    expect(await broken.sandbox.readFile('ü ñ/文.txt')).toEqual({ bytes: Buffer.from('1'), size: 1 })
    await broken.sandbox.destroy()
  })
})

describe('checkpoints of a real workspace', () => {
  const text = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString())
  async function* each(packs: (Uint8Array | null)[]): AsyncGenerator<Uint8Array> {
    for (const pack of packs) if (pack !== null) yield pack
  }

  it('count from the beginning, compare, show an old file and go back', async () => {
    const work = await real.open(manager)
    await runScript(work.sandbox, 'printf "one\\ntwo\\n" > a.txt; printf "\\0\\1" > b.bin')
    const first = await work.sandbox.checkpoint()
    expect(first).toMatchObject({
      changed: true,
      previousTree: null,
      fileCount: 2,
      additions: 2,
      deletions: 0,
    })
    expect(first.files.find(({ path }) => path === 'b.bin')).toMatchObject({ change: 'added', binary: true })
    expect(first.pack?.length).toBeGreaterThan(0)
    await runScript(work.sandbox, 'printf "one\\n2\\n3\\n" > a.txt; rm b.bin')
    const second = await work.sandbox.checkpoint()
    expect(second).toMatchObject({ changed: true, previousTree: first.tree, baseTree: first.baseTree })
    expect(second.files).toEqual([
      { path: 'a.txt', change: 'added', additions: 3, deletions: 0, binary: false },
    ])
    const diff = await work.sandbox.diff(first.tree, second.tree, 'a.txt')
    expect(diff).toContain('-two')
    expect(diff).toContain('+3')
    expect(diff).not.toContain('b.bin')
    expect(text(await work.sandbox.fileAt(first.tree, 'a.txt'))).toBe('one\ntwo\n')
    expect(await work.sandbox.fileAt(second.tree, 'b.bin')).toBeNull()
    expect(await work.sandbox.checkpoint()).toMatchObject({ changed: false, tree: second.tree })
    const back = await work.sandbox.restore(first.snapshot)
    expect(back.failed).toEqual([])
    expect((await runScript(work.sandbox, 'cat a.txt; wc -c < b.bin')).text).toBe('one\ntwo\n2\n')
    await work.sandbox.destroy()
  })

  it('an upload is the base; another container is given the same files and repositories from the packs', async () => {
    const source = await real.open(manager)
    await source.sandbox.importTar(await entries({ 'x.txt': 'x\n', 'y/z.txt': 'z\n' }))
    const base = await source.sandbox.checkpoint()
    expect(base).toMatchObject({ fileCount: 0, baseTree: base.tree })
    await runScript(
      source.sandbox,
      'git init -q repo && cd repo && echo r > r && git add r && git -c user.name=n -c user.email=e@e commit -qm m && git rev-parse HEAD > ../head; echo more >> ../x.txt',
    )
    const work = await source.sandbox.checkpoint()
    expect(work.files.map(({ path }) => path)).toContain('x.txt')
    expect(work.files.find(({ path }) => path === 'x.txt')).toMatchObject({
      change: 'modified',
      additions: 1,
    })
    const copy = await real.open(manager)
    await copy.sandbox.restore(work.snapshot, each([base.pack, work.pack]))
    const { text: seen } = await runScript(
      copy.sandbox,
      'cat x.txt y/z.txt; cd repo && git status --porcelain && [ "$(git rev-parse HEAD)" = "$(cat ../head)" ] && echo same',
    )
    expect(seen).toBe('x\nmore\nz\nsame\n')
    const forked = await copy.sandbox.checkpoint()
    expect(forked).toMatchObject({ tree: work.tree, baseTree: work.tree, fileCount: 0 })
    await source.sandbox.destroy()
    await copy.sandbox.destroy()
  })
})
