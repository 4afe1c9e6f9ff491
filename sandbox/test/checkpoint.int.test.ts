import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Checkpoint, RestoreResult, TreeDiff } from '../supervisor/protocol.ts'
import { TestBox } from './container.ts'

let box: TestBox
beforeAll(async () => {
  box = await TestBox.start()
})
afterAll(() => box?.remove())

const make = (base?: string): Promise<Checkpoint> =>
  box.json('POST', '/checkpoint', base === undefined ? {} : { base })
const text = async (script: string): Promise<string> => (await box.run(script)).text

describe('a checkpoint', () => {
  let first: Checkpoint
  let second: Checkpoint

  it('holds files, modes, links, odd names, empty folders, nested and empty repositories', async () => {
    await box.run(`mkdir -p a/b empty "sp ace" && echo one > a/one && printf x > a/b/exec && chmod +x a/b/exec
      ln -s a/one link && ln -s /state bad && mkfifo fifo && echo u > "sp ace/ü\nline" && printf 'r\\377' > "$(printf 'raw\\377')"
      git init -q nested && cd nested && echo n > n.txt && git add . && git commit -qm n && cd .. && git init -q emptyrepo`)
    first = await make()
    expect(first).toMatchObject({ changed: true, files: 7, filesChanged: 7 })
    expect(first.leftOut).toEqual([{ path: 'fifo', reason: 'not_a_file', bytes: 0 }])
    expect(first.pack?.objects).toBeGreaterThan(10)
  })

  it('of an unchanged workspace is the same, with nothing to store', async () => {
    expect(await make()).toMatchObject({
      tree: first.tree,
      snapshot: first.snapshot,
      changed: false,
      pack: null,
    })
  })

  it('is compared with another: counts, renames, binary files, text', async () => {
    await box.run(`echo two >> a/one; rm a/b/exec raw*; mkdir new; seq 100 > new/seq; printf '\\0bin' > bin; git -C nested mv n.txt m.txt
      cd nested && echo more > o.txt && git add . && git commit -qm more && rm -rf ../emptyrepo && git init -q ../later`)
    second = await make(first.tree)
    expect(second).toMatchObject({ changed: true, additions: 102, deletions: 2 })
    const diff = await box.json<TreeDiff>('GET', `/checkpoint/diff?from=${first.tree}&to=${second.tree}`)
    expect(diff.files.map(({ status, path, additions }) => `${status} ${path} ${additions}`).sort()).toEqual([
      'added bin null',
      'added nested/o.txt 1',
      'added new/seq 100',
      'deleted a/b/exec 0',
      'deleted raw\ufffd 0',
      'modified a/one 1',
      'renamed nested/m.txt 0',
    ])
    const unified = await box.send('GET', `/checkpoint/patch?from=${first.tree}&to=${second.tree}&path=a/one`)
    expect(unified.bytes.toString()).toContain('@@ -1 +1,2 @@\n one\n+two\n')
    const file = await box.send('GET', `/checkpoint/file?tree=${first.tree}&path=a/one`)
    expect(file.bytes.toString()).toBe('one\n')
    const none = await box.send('GET', `/checkpoint/file?tree=${first.tree}&path=a/none`)
    expect(none.status).toBe(404)
  })

  it('is restored whole: files, modes, repositories; what was left out stays', async () => {
    const restored = await box.json<RestoreResult>('POST', '/checkpoint/restore', { to: first.snapshot })
    // The one thing that cannot be put back is named.
    expect(restored.failed).toEqual([{ path: 'raw\ufffd', message: expect.stringContaining('UTF-8') }])
    await box.run(`printf 'r\\377' > "$(printf 'raw\\377')"`)
    expect(await make()).toMatchObject({ tree: first.tree, snapshot: first.snapshot })
    expect(
      await text(
        'cat a/one; test -x a/b/exec && test -p fifo && test -d empty && readlink bad; ls new later',
      ),
    ).toContain('one\n/state\n')
    expect(
      await text(
        'git -C nested log --format=%s; git -C nested status --short; git -C emptyrepo status --short',
      ),
    ).toBe('n\n')
    await box.json('POST', '/checkpoint/restore', { to: second.snapshot })
    expect(
      await text(
        'git -C nested log --format=%s; git -C nested status --short; ls -d later emptyrepo 2>/dev/null',
      ),
    ).toBe('more\nn\nlater\n')
  })

  it('is restored by its tree alone without touching a repository', async () => {
    await box.json('POST', '/checkpoint/restore', { to: first.tree })
    expect(await text('git -C nested log --format=%s | head -1; cat a/one; ls -d later')).toBe(
      'more\none\nlater\n',
    )
  })

  it('gives again what an answer that was lost had brought', async () => {
    await box.run('echo lost > lost')
    const lost = await make()
    await box.run('echo next > next')
    const next = await box.json<Checkpoint>('POST', '/checkpoint', { since: first.tree })
    expect(next.pack?.objects).toBeGreaterThan((lost.pack?.objects ?? 0) + (second.pack?.objects ?? 0))
    const bytes = (await box.send('GET', `/checkpoint/pack/${next.pack?.id}`)).bytes
    expect(await box.json('PUT', '/checkpoint/pack', bytes)).toEqual({ objects: next.pack?.objects })
    const all = await box.json<Checkpoint>('POST', '/checkpoint', { since: null })
    expect(all).toMatchObject({ changed: false, tree: next.tree })
    expect(all.pack?.objects).toBeGreaterThan(next.pack?.objects ?? 0)
    expect(await box.json('POST', '/checkpoint', { since: next.tree })).toMatchObject({ pack: null })
    await box.run('rm lost next')
    await make()
  })

  it('moves to another container by its packs', async () => {
    const other = await TestBox.start()
    try {
      for (const { pack } of [first, second]) {
        const bytes = (await box.send('GET', `/checkpoint/pack/${pack?.id}`)).bytes
        expect(bytes.length).toBe(pack?.bytes)
        await other.json('PUT', '/checkpoint/pack', bytes)
      }
      await other.json('POST', '/checkpoint/restore', { to: second.snapshot })
      expect(
        (await other.run('git -C nested log --format=%s; cat a/one; git -C nested fsck --strict 2>&1')).text,
      ).toBe('more\nn\none\ntwo\n')
      expect((await other.json<Checkpoint>('POST', '/checkpoint', {})).tree).toBe(second.tree)
    } finally {
      await other.remove()
    }
  })

  it('SEC-17 runs nothing of a hostile repository', async () => {
    await box.run(`git init -q evil && cd evil && echo x > f && git add f && git commit -qm x
      for key in core.fsmonitor core.sshCommand diff.external filter.e.clean filter.e.smudge core.pager; do git config $key 'touch /workspace/pwned; cat'; done
      git config core.hooksPath hooks; mkdir hooks; printf '#!/bin/sh\\ntouch /workspace/pwned\\n' | tee hooks/post-checkout hooks/reference-transaction > hooks/post-index-change
      chmod +x hooks/*; printf '* filter=e diff=e\\n' > .gitattributes; git config diff.e.textconv 'touch /workspace/pwned; cat'`)
    await box.run('rm -f /workspace/pwned')
    const before = await make()
    await box.run('echo y > evil/f')
    const after = await make()
    await box.send('GET', `/checkpoint/patch?from=${before.tree}&to=${after.tree}`)
    await box.json('POST', '/checkpoint/restore', { to: before.snapshot })
    expect(await text('ls pwned 2>/dev/null; cat evil/f; git -C evil config core.hooksPath')).toBe(
      'x\nhooks\n',
    )
  })

  it('takes what changes while it looks, and refuses ids that are none', async () => {
    const { commandId } = await box.json('POST', '/commands', {
      mode: 'workspace-write',
      script:
        'mkdir churn; for i in $(seq 100000); do echo $i > churn/$((i % 50)); rm -rf churn/$((i % 7)); done',
    })
    for (let i = 0; i < 5; i++) expect((await make()).files).toBeGreaterThan(5)
    await box.json('POST', `/commands/${commandId}/signal`, { signal: 'KILL' })
    for (const to of ['HEAD', '--output=/tmp/x', 'f'.repeat(40), ''])
      await expect(box.json('POST', '/checkpoint/restore', { to })).rejects.toThrow(/bad_input|not_found/)
    await expect(box.json('PUT', '/checkpoint/pack', Buffer.from('no pack'))).rejects.toThrow('bad_input')
  })

  it('of 10,000 files, most of them unchanged, reads only what changed', async () => {
    await box.run(
      'mkdir many; for i in $(seq 100); do mkdir many/$i; for j in $(seq 100); do echo $i $j > many/$i/$j; done; done',
    )
    const all = await make()
    expect(all.files).toBeGreaterThan(10_000)
    await box.run('echo z > many/5/5')
    const one = await make()
    expect(one).toMatchObject({ filesChanged: 1, additions: 1, deletions: 1 })
    expect(one.pack?.objects).toBeLessThan(10)
  })

  it('leaves out what is ignored when it is too much, and keeps it at a restore', async () => {
    await box.run(`git init -q big && cd big && echo heavy/ > .gitignore && mkdir heavy light
      head -c 90000000 /dev/zero > heavy/a && cp heavy/a heavy/b && cp heavy/a heavy/c && cp heavy/a heavy/d && echo l > light/l`)
    const taken = await make()
    expect(taken.leftOut).toContainEqual({
      path: 'big/heavy',
      reason: 'ignored_over_limit',
      bytes: 360_000_000,
    })
    await box.run('echo changed > big/light/l')
    await box.json('POST', '/checkpoint/restore', { to: taken.snapshot })
    expect(await text('ls big/heavy | wc -l; cat big/light/l')).toBe('4\nl\n')
  })
})
