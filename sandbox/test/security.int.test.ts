// What a command in the container must not be able to do to the supervisor, to other commands' results, to the host.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Hello } from '../supervisor/protocol.ts'
import { TestBox, unpack, until } from './container.ts'

let box: TestBox
let hello: Hello
beforeAll(async () => {
  box = await TestBox.start()
  hello = await box.json('GET', '/hello')
})
afterAll(() => box?.remove())

const full = { mode: 'full-access' } as const
const sameBoot = async (): Promise<void> => {
  expect((await box.json<Hello>('GET', '/hello')).bootId).toBe(hello.bootId)
}

describe('the supervisor and its results', () => {
  it('SEC-8 Landlock holds every command, in every mode', async () => {
    expect(hello.landlockAbi).toBeGreaterThanOrEqual(1)
    const ran = await box.run('touch /workspace/a /tmp/b ~/c /dev/shm/d', { mode: 'read-only' })
    expect(ran.text.match(/Permission denied/g)).toHaveLength(4)
    const write = await box.run(
      'touch /workspace/a /tmp/b ~/c /dev/shm/d && touch /run/e; echo x >/etc/f; mv /tmp/b ~/g',
    )
    expect(write.text).toMatch(/^touch: cannot touch '\/run\/e'.*\n.*\/etc\/f: (Read-only|Permission)/)
    expect((await box.run('touch /run/e && echo yes', full)).text).toBe('yes\n')
    expect((await box.run('truncate -s 0 /workspace/a', { mode: 'read-only' })).text).toContain(
      'Permission denied',
    )
  })

  it("SEC-8 reads no spool, no state, no other's environment, descriptors or memory", async () => {
    await box.run('head -c 200000 /dev/zero | tr "\\0" s', { id: 'cmd_spooled' })
    const script = `
      cat /state/spool/cmd_spooled.head; cp -r /state /tmp/stolen; touch /state/forged; rm -rf /state/spool
      for p in $(ps -eo pid=,comm= | awk '$2 ~ /^(docker-init|node|launcher|zygote|keeper|bridge|MainThread)$/ {print $1}'); do
        cat /proc/$p/environ; ls /proc/$p/fd/ | head -0; cat /proc/$p/fd/*; head -c 1 /proc/$p/mem; cat /proc/$p/maps; ls /proc/$p/root/
      done; echo over`
    const ran = await box.run(`{ ${script}\n} 2>/dev/null`, full)
    expect(ran.text).toBe('over\n')
    const kept = unpack((await box.send('GET', '/commands/cmd_spooled/output?from=0')).bytes)
    expect(kept.output.length).toBe(200_000)
  })

  it('SEC-32 finds neither secret nor id in its environment, nor anywhere it may read', async () => {
    const ran = await box.run(
      `env | grep -i baton_; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -i baton_; grep -rl "$WORD" /etc /run /tmp /home /opt/baton/*.mjs 2>/dev/null; echo over`,
      { ...full, env: { WORD: box.secret } },
    )
    expect(
      ran.text.replace(/BATON_SECRET=.*\n/g, (found) => (found.includes(box.secret) ? 'LEAK' : '')),
    ).toBe('over\n')
  })

  it('SEC-8 signals and traces nobody but commands', async () => {
    const ran = await box.run(
      `pids=$(ps -eo pid=,comm= | awk '$2 ~ /^(docker-init|node|MainThread|launcher|bridge)$/ {print $1}')
       for p in $pids; do kill -9 $p 2>/dev/null && echo killed $p; done
       python3 - $pids <<'E'
import ctypes, sys, os
libc = ctypes.CDLL(None, use_errno=True)
for pid in map(int, sys.argv[1:]):
    if libc.ptrace(16, pid, 0, 0) == 0: print('traced', pid)
    for name in os.listdir(f'/proc/{pid}/task'):
        if libc.syscall(234, pid, int(name), 9) == 0: print('killed thread', pid)
E
       for p in $pids; do echo 1000 > /proc/$p/oom_score_adj && echo adjusted $p; done 2>/dev/null
       echo over`,
      full,
    )
    expect(ran.text).toBe('over\n')
    await sameBoot()
  })

  it('SEC-8 connects to the supervisor neither with nor without a guess at the secret', async () => {
    const ran = await box.run(
      `python3 - <<'E'
import socket
s = socket.socket(socket.AF_UNIX)
try:
    s.connect('\\0baton-supervisor'); s.sendall(b'0' * 64 + b'\\nPRI * HTTP/2.0'); s.settimeout(20)
    print('answered' if s.recv(1) else 'closed')
except OSError as e: print('refused', e.errno)
E
/opt/baton/bridge </dev/null | head -c 1 | wc -c`,
      { ...full, timeoutMs: 30_000 },
    )
    expect(ran.text).toMatch(/^(refused|closed).*\n/)
    await sameBoot()
  })

  it('SEC-8 kills its own keeper and still neither escapes nor forges: no exit code is believed', async () => {
    const ran = await box.run(
      'setsid sleep 5551 & setsid env -i sleep 5551 & kill -STOP $PPID; kill -9 $PPID; sleep 0.2; echo alive; exit 0',
      full,
    )
    expect(ran.end?.exitCode).toBeNull()
    expect(ran.end?.signal).toBe('SIGKILL')
    await until(
      async () => (await box.run('pgrep -fc "^sleep 5551$"')).text === '0\n',
      'its orphans are killed',
    )
    await sameBoot()
  })

  it('survives kill -9 -1 of a command, and the next one runs', async () => {
    await box.run('kill -9 -1; sleep 5', { mode: 'workspace-write' })
    await until(async () => (await box.run('echo on')).text === 'on\n', 'commands run again')
    await sameBoot()
  })

  it('survives kill -STOP -1 of a command, and the next one runs', async () => {
    await box.run('kill -STOP -1; sleep 5', { mode: 'workspace-write', timeoutMs: 300 })
    for (const mode of ['workspace-write', 'full-access', 'read-only'] as const)
      expect((await box.run('echo on', { mode })).text).toBe('on\n')
    await sameBoot()
  })

  it('starts its launcher again and says that its commands are lost', async () => {
    const { commandId } = await box.json('POST', '/commands', {
      mode: 'workspace-write',
      script: 'sleep 5552',
    })
    await box.outside('kill -9 $(pgrep -x launcher)')
    await until(async () => (await box.json('GET', `/commands/${commandId}`)).status === 'lost', 'it is lost')
    await until(async () => (await box.json<Hello>('GET', '/hello')).ready, 'the launcher is back')
    expect((await box.run('echo back')).text).toBe('back\n')
    await until(
      async () => (await box.run('pgrep -fc "^sleep 5552$"')).text === '0\n',
      'the lost one is dead',
    )
    await sameBoot()
  })
})

describe('the host and its limits', () => {
  it('SEC-8 mount, unshare, keyctl, bpf, sysrq and /sys are closed', async () => {
    const ran = await box.run(
      `mount -t tmpfs x /mnt && echo mounted; unshare -Ur true && echo unshared; unshare -m true && echo unshared
       echo b > /proc/sysrq-trigger && echo sysrq; echo 1 > /sys/kernel/mm/ksm/run && echo sys
       python3 -c '
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print([n for n, args in (("bpf", (321, 0, 0, 0)), ("keyctl", (250, 0, -3, 0)), ("add_key", (248, b"user", b"k", b"v", 1, -2))) if libc.syscall(*args) >= 0])'`,
      full,
    )
    expect(ran.text).not.toMatch(/mounted|unshared|^sysrq|^sys$/m)
    expect(ran.text).toContain('[]')
  })

  it('SEC-9 a setuid program gains nothing', async () => {
    const ran = await box.run(
      'grep -E "^(NoNewPrivs|CapEff|CapBnd)" /proc/self/status; su -c id </dev/null; passwd -S',
      full,
    )
    expect(ran.text).toContain('NoNewPrivs:\t1')
    expect(ran.text).toMatch(/CapEff:\t0+\nCapBnd:\t0+|CapBnd:\t0+\nCapEff:\t0+/)
    expect(ran.text).not.toContain('uid=0')
  })

  it('SEC-20 SEC-22 SEC-23 there is no way out: TCP, UDP, DNS, IPv6', async () => {
    const ran = await box.run(
      `for t in tcp/1.1.1.1/443 udp/1.1.1.1/53 tcp/169.254.169.254/80; do timeout 5 bash -c "echo >/dev/$t" 2>/dev/null && echo out $t; done
       getent hosts example.com && echo resolved; ls /sys/class/net; ls /var/run/docker.sock 2>&1`,
      full,
    )
    expect(ran.text.split('\n')[0]).toBe('lo')
    expect(ran.text).toContain('No such file')
  })

  it('SEC-4 a fork bomb ends with its command, and a full process table is an answer', async () => {
    const small = await TestBox.start({ pids: 60 })
    try {
      const { commandId } = await small.json('POST', '/commands', {
        mode: 'workspace-write',
        script: `exec python3 -c '
import os, time
while True:
    try:
        if os.fork() == 0: time.sleep(1000)
    except OSError: time.sleep(0.001)
'`,
      })
      const answers: string[] = []
      await until(async () => {
        const answer = await small.send('POST', '/commands', { mode: 'full-access', script: 'true' })
        answers.push(answer.status === 200 ? 'ran' : JSON.parse(answer.bytes.toString()).code)
        return answers.at(-1) === 'limit_reached'
      }, 'the limit is told')
      expect(await small.json('POST', `/commands/${commandId}/signal`, { signal: 'KILL' })).toEqual({
        delivered: true,
      })
      await until(
        async () =>
          (await small.send('POST', '/commands', { mode: 'read-only', script: 'true' })).status === 200,
        'room again',
      )
    } finally {
      await small.remove()
    }
  })

  it('SEC-5 a memory bomb of many processes takes the command, not the supervisor', async () => {
    const ran = await box.run(
      `for i in $(seq 12); do python3 -c 'x = bytearray(150_000_000); import time; time.sleep(3)' & done; wait; echo survived`,
      { ...full, timeoutMs: 60_000 },
    )
    expect(ran.end).not.toBeNull()
    await sameBoot()
    expect((await box.run('echo on')).text).toBe('on\n')
  })
})

describe('hostile peers', () => {
  it('closes a connection without the secret, and outlives garbage after it', async () => {
    for (const bytes of [
      Buffer.from(`${'0'.repeat(64)}\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`),
      Buffer.from('GET / HTTP/1.1\r\nHost: x\r\nAccept: a very long header that is no secret at all\r\n\r\n'),
      Buffer.concat([Buffer.from(`${box.secret}\n`), randomBytes(5000)]),
      Buffer.concat([
        Buffer.from(`${box.secret}\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`),
        Buffer.from('00000604000000000000040000000100ffffff0100000001', 'hex'),
        randomBytes(300),
      ]),
    ]) {
      const stream = await box.bridge()
      stream.on('error', () => {})
      stream.resume()
      stream.write(bytes)
      await new Promise<void>((resolve) => {
        stream.once('close', resolve)
        stream.once('end', resolve)
      })
      stream.destroy()
    }
    await sameBoot()
  })

  it('answers what it does not know, and a peer that leaves in the middle costs nothing', async () => {
    for (const [method, path] of [
      ['GET', '/nothing'],
      ['PATCH', '/commands'],
      ['GET', '/commands/cmd_none'],
      ['GET', '/files?path=relative'],
      ['GET', '/files?path=/workspace/%00'],
      ['GET', '/commands/cmd_none/output?from=-1'],
      ['GET', '//'],
    ] as const) {
      const answer = await box.send(method, path)
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(JSON.parse(answer.bytes.toString())).toMatchObject({
        code: expect.any(String),
        next: expect.any(String),
      })
    }
    const { commandId } = await box.json('POST', '/commands', {
      mode: 'workspace-write',
      script: 'timeout 20 yes',
    })
    const reader = box.open('GET', `/commands/${commandId}/output?from=0&follow=1`)
    await new Promise((resolve) => reader.once('response', resolve))
    reader.close(8)
    await box.json('POST', `/commands/${commandId}/signal`, { signal: 'KILL' })
    await sameBoot()
  })
})
