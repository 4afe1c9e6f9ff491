import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type OpenThread,
  type RealSandboxes,
  realSandboxes,
  runScript,
} from '../../../test/setup/sandboxes.ts'
import { newId } from '../../protocol/ids.ts'
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

describe('a container as the engine sees it', () => {
  it('SEC-01 has no capability, privilege, network, host namespace, device or foreign mount', async () => {
    const info = await (await real.container(thread.sandboxId())).inspect()
    const { HostConfig: host, Config: config } = info
    expect(host.CapDrop).toEqual(['ALL'])
    expect(host.CapAdd ?? []).toEqual([])
    expect(host.SecurityOpt).toEqual(['no-new-privileges'])
    expect(host.Privileged).toBe(false)
    expect(host.ReadonlyRootfs).toBe(true)
    expect(host.Init).toBe(true)
    expect(host.NetworkMode).toBe('none')
    expect(host.PidMode).toBe('')
    expect(host.IpcMode).toBe('private')
    expect(host.UTSMode).toBe('')
    expect(host.UsernsMode).toBe('')
    expect(host.Devices ?? []).toEqual([])
    expect(host.Binds ?? []).toEqual([])
    const { limits } = real.config
    expect(host.PidsLimit).toBe(limits.pids)
    expect([host.Memory, host.MemorySwap]).toEqual([limits.memoryBytes, limits.memoryBytes])
    expect(host.NanoCpus).toBe(limits.cpus * 1e9)
    expect(host.LogConfig).toMatchObject({ Config: { 'max-size': '1m', 'max-file': '1' } })
    const uid = real.rows.rows.get(thread.sandboxId())?.uid
    expect(config.User).toBe(`${uid}:${uid}`)
    expect(info.Mounts.map(({ Type }) => Type)).toEqual(['volume', 'volume', 'volume'])
    expect(info.Mounts.map(({ Destination }) => Destination).sort()).toEqual([
      '/home',
      '/state',
      '/workspace',
    ])
    expect(config.Labels).toMatchObject({
      'baton.install-id': real.config.installId,
      'baton.sandbox-id': thread.sandboxId(),
    })
  })

  it('SEC-02 SEC-10 SEC-20 SEC-23 reaches nothing: no engine socket, no interface but loopback', async () => {
    const { text } = await runScript(
      thread.sandbox,
      `ls /sys/class/net; ls /var/run/docker.sock /run/docker.sock 2>&1 | grep -c 'No such'
       for to in 1.1.1.1/443 172.17.0.1/2375 169.254.169.254/80; do
         (exec 3<>/dev/tcp/$to) 2>/dev/null && echo "reached $to"; done
       (exec 3<>/dev/udp/1.1.1.1/53) 2>/dev/null && echo 'reached udp'; getent hosts example.com && echo 'resolved'; echo done`,
      { mode: 'full-access' },
    )
    expect(text.trim().split('\n')).toEqual(['lo', '2', 'done'])
  })

  it('SEC-08 SEC-09 SEC-18 gains nothing: no mount, namespace, kernel file or set-uid program', async () => {
    const { text } = await runScript(
      thread.sandbox,
      `mkdir -p /tmp/m; mount -t tmpfs none /tmp/m 2>/dev/null && echo mounted
       unshare -U true 2>/dev/null && echo unshared
       (echo b > /proc/sysrq-trigger) 2>/dev/null && echo sysrq
       (echo 1 > /sys/kernel/mm/ksm/run) 2>/dev/null && echo sys
       (echo x > /etc/x) 2>/dev/null && echo rootfs
       grep -E '^(Cap(Eff|Prm|Bnd)|NoNewPrivs|Seccomp):' /proc/self/status`,
      { mode: 'full-access' },
    )
    const none = '0000000000000000'
    expect(
      text
        .replace(/[ \t]+/g, ' ')
        .trim()
        .split('\n'),
    ).toEqual([
      `CapPrm: ${none}`,
      `CapEff: ${none}`,
      `CapBnd: ${none}`,
      'NoNewPrivs: 1',
      expect.stringMatching(/^Seccomp: [12]$/),
    ])
  })

  it('SEC-32 shows no secret to a command', async () => {
    const secret = (await (await real.container(thread.sandboxId())).inspect()).Config.Env.find((entry) =>
      entry.startsWith('BATON_SECRET='),
    )?.slice('BATON_SECRET='.length)
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    const { text } = await runScript(
      thread.sandbox,
      'env; cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n"; cat /state/* 2>&1',
      { mode: 'full-access' },
    )
    expect(text).not.toContain(secret)
    expect(text).not.toContain(real.config.secretKey)
  })

  it('SEC-04 survives a fork bomb, and SEC-05 a memory bomb', async () => {
    const bombed = await real.open(manager)
    const bomb = await runScript(bombed.sandbox, 'f() { f | f & }; f; sleep 1; echo over', {
      timeoutMs: 8_000,
    })
    expect(['exited', 'killed', 'lost']).toContain(bomb.end.status)
    await bombed.sandbox.kill(bomb.commandId)
    expect((await runScript(bombed.sandbox, 'echo alive')).text).toBe('alive\n')
    const eater = await runScript(
      bombed.sandbox,
      `python3 -c 'b = []\nwhile True: b.append(bytearray(50_000_000))'`,
    )
    expect(eater.end.exitCode === 0 && eater.end.status === 'exited').toBe(false)
    expect((await runScript(bombed.sandbox, 'echo alive')).text).toBe('alive\n')
    // Others never noticed.
    expect((await runScript(thread.sandbox, 'echo here')).text).toBe('here\n')
    await bombed.sandbox.destroy()
  })
})

describe('the life of a container', () => {
  it('stop and wake keep the files, of workspace and home', async () => {
    const slept = await real.open(manager)
    await runScript(slept.sandbox, 'echo kept > /workspace/f; echo home > ~/g; echo gone > /tmp/h')
    const { Id } = await (await real.container(slept.sandboxId())).inspect()
    await slept.sandbox.stop('test')
    expect((await (await real.container(slept.sandboxId())).inspect()).State.Running).toBe(false)
    const { text } = await runScript(slept.sandbox, 'cat /workspace/f ~/g; ls /tmp/h 2>/dev/null')
    expect(text).toBe('kept\nhome\n')
    expect((await (await real.container(slept.sandboxId())).inspect()).Id).toBe(Id)
    expect(slept.news.map(({ type }) => type)).toEqual(['starting', 'ready', 'stopped', 'starting', 'ready'])
    await slept.sandbox.destroy()
  })

  it('a container that is killed under a command is told, and comes back with its files', async () => {
    const killed = await real.open(manager)
    await runScript(killed.sandbox, 'echo kept > /workspace/f')
    const commandId = newId('cmd')
    await killed.sandbox.run({ commandId, script: 'sleep 600', mode: 'workspace-write' })
    const waiting = expect(killed.sandbox.wait(commandId)).rejects.toMatchObject({ code: 'command_lost' })
    await (await real.container(killed.sandboxId())).kill()
    await waiting
    await expect
      .poll(() => killed.news.map(({ type }) => type), patience)
      .toEqual(['starting', 'ready', 'lost'])
    expect((await runScript(killed.sandbox, 'cat /workspace/f')).text).toBe('kept\n')
    await killed.sandbox.destroy()
  })

  it('the pool serves a thread, and its container then belongs to it', async () => {
    const pooled = real.manager({ poolSize: 1 })
    pooled.warm()
    await expect.poll(async () => (await pooled.health()).message, patience).toContain('1 kept ready')
    const served = await real.open(pooled)
    expect((await runScript(served.sandbox, 'echo x > f; pwd')).text).toBe('/workspace\n')
    expect(served.news.at(-1)).toMatchObject({ type: 'ready', fromPool: true })
    await served.sandbox.stop('test')
    expect((await runScript(served.sandbox, 'cat f')).text).toBe('x\n')
    await pooled.close()
  })

  it('SEC-14 many threads that begin at once all get their own', async () => {
    const many = await Promise.all(Array.from({ length: 8 }, () => real.open(manager)))
    const names = await Promise.all(
      many.map(async ({ sandbox }, index) => {
        await runScript(sandbox, `echo ${index} > mine`)
        return (await runScript(sandbox, 'cat mine; id -u')).text.trim().split('\n')
      }),
    )
    expect(names.map(([mine]) => mine)).toEqual(many.map((_, index) => String(index)))
    expect(new Set(names.map(([, uid]) => uid)).size).toBe(many.length)
    await Promise.all(many.map(({ sandbox }) => sandbox.destroy()))
  })

  it('SEC-13 a start compares rows with containers and touches only its own', async () => {
    const own = await real.open(manager)
    await own.sandbox.ensure()
    const foreign = await realSandboxes()
    const theirs = await foreign.open(foreign.manager())
    await theirs.sandbox.ensure()
    real.rows.rows.delete(own.sandboxId())
    const started = real.manager()
    const count = await started.reconcile()
    expect(count.removed).toBeGreaterThanOrEqual(1)
    expect(count.adopted).toBeGreaterThanOrEqual(1)
    expect(
      (
        await foreign.docker.listContainers({
          filters: { label: [`baton.install-id=${foreign.config.installId}`] },
        })
      ).length,
    ).toBe(1)
    expect((await runScript(thread.sandbox, 'echo still here')).text).toBe('still here\n')
    await foreign.clean()
  })

  it('an engine that is not there and an image that is not there are facts with a next step', async () => {
    const nowhere = real.manager({ dockerHost: 'unix:///nonexistent/docker.sock' })
    const lonely = await real.open(nowhere)
    await expect(lonely.sandbox.ensure()).rejects.toMatchObject({ code: 'sandbox_unavailable' })
    expect((await nowhere.health()).ok).toBe(false)
    const bare = real.manager({ image: 'baton-sandbox:none' })
    await expect((await real.open(bare)).sandbox.ensure()).rejects.toMatchObject({ code: 'image_missing' })
  })
})
