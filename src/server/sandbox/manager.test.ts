import { afterEach, describe, expect, it } from 'vitest'
import { FakeEngine, memoryRows } from '../../../test/setup/fake-engine.ts'
import { printed } from '../../../test/setup/fake-supervisor.ts'
import { newId } from '../../protocol/ids.ts'
import { createLog } from '../log.ts'
import { createSandboxManager } from './manager.ts'
import type { Sandbox, SandboxConfig, SandboxManager, SandboxNews } from './types.ts'

const patience = { timeout: 30_000 }
const quiet = createLog('error', () => undefined)
const baseConfig: SandboxConfig = {
  installId: 'install',
  secretKey: 'k'.repeat(32),
  image: 'image',
  limits: { memoryBytes: 2 ** 30, cpus: 1, pids: 100, tmpBytes: 2 ** 20 },
  poolSize: 0,
  idleMs: 3_600_000,
}

const closing: { close(): unknown }[] = []
afterEach(async () => {
  for (const thing of closing.splice(0).reverse()) await thing.close()
})

const setUp = (
  config: Partial<SandboxConfig> = {},
  given: { engine?: FakeEngine; rows?: ReturnType<typeof memoryRows> } = {},
) => {
  const engine = given.engine ?? new FakeEngine()
  const rows = given.rows ?? memoryRows()
  const clock = { ahead: 0 }
  const now = () => Date.now() + clock.ahead
  const working = new Set<string>()
  const manager = createSandboxManager({
    config: { ...baseConfig, ...config },
    rows,
    engine,
    log: quiet,
    now,
    isWorking: (threadId) => working.has(threadId),
  })
  closing.push(engine, manager)
  return { engine, rows, manager, clock, working }
}

const openThread = async (manager: SandboxManager, threadId = newId('thr')) => {
  const news: SandboxNews[] = []
  const sandbox = await manager.forThread(threadId, (piece) => news.push(piece))
  const told = () => news.map(({ type }) => type)
  const idOf = () => news.find(({ type }) => type === 'starting')?.sandboxId ?? ''
  return { sandbox, news, told, threadId, idOf }
}

const run = async (sandbox: Sandbox, script: string) => {
  const commandId = newId('cmd')
  await sandbox.run({ commandId, script, mode: 'workspace-write' })
  return commandId
}

describe('sandboxes of threads', () => {
  it('makes no container before the first call, and one for many calls at once', async () => {
    const { engine, manager } = setUp()
    const { sandbox, told } = await openThread(manager)
    expect(sandbox.status()).toBe('absent')
    expect(engine.calls).toEqual([])
    await Promise.all([sandbox.ensure(), sandbox.ensure(), run(sandbox, 'exit 0'), run(sandbox, 'exit 1')])
    expect(engine.count('create')).toBe(1)
    expect(told()).toEqual(['starting', 'ready'])
    expect(sandbox.status()).toBe('ready')
  })

  it('gives each its own user id, secret and volumes', async () => {
    const { engine, manager } = setUp()
    for (let made = 0; made < 3; made += 1) await (await openThread(manager)).sandbox.ensure()
    const identities = [...engine.containers.values()].map(({ identity }) => identity)
    for (const key of ['uid', 'secret', 'volume', 'sandboxId'] as const)
      expect(new Set(identities.map((identity) => identity[key])).size).toBe(3)
  })

  it('serves a new thread from the pool, and fills it again', async () => {
    const { engine, manager, rows } = setUp({ poolSize: 1 })
    manager.warm()
    await expect.poll(() => [...rows.rows.values()].map(({ status }) => status), patience).toEqual(['ready'])
    const { sandbox, news, threadId, idOf } = await openThread(manager)
    await sandbox.ensure()
    expect(news.at(-1)).toMatchObject({ type: 'ready', fromPool: true })
    expect(rows.rows.get(idOf())?.threadId).toBe(threadId)
    await expect.poll(() => engine.count('create'), patience).toBe(2)
  })

  it('never gives a pooled container to a thread that has a workspace', async () => {
    const { engine, manager } = setUp({ poolSize: 1 })
    const { sandbox } = await openThread(manager)
    await sandbox.ensure()
    await sandbox.stop('test')
    await expect.poll(() => engine.containers.size, patience).toBe(2)
    await sandbox.ensure()
    expect(engine.count('create')).toBe(2)
    expect(engine.count('start')).toBe(3)
  })

  it('stops what is idle, not what works, and wakes the same container', async () => {
    const { engine, manager, clock, rows, working } = setUp({ idleMs: 3_600_000 })
    const { sandbox, told, threadId } = await openThread(manager)
    const other = await openThread(manager)
    await other.sandbox.ensure()
    const commandId = await run(sandbox, 'wait')
    const waiting = Promise.allSettled([sandbox.wait(commandId)])
    working.add(threadId)
    clock.ahead = 4_000_000
    // The same look at all sandboxes stops the other one and leaves this one alone.
    manager.stopIdle()
    await expect.poll(() => other.sandbox.status(), patience).toBe('stopped')
    expect(told()).toEqual(['starting', 'ready'])
    // A command in the background keeps nothing awake; its end is told.
    working.delete(threadId)
    manager.stopIdle()
    expect((await waiting)[0]).toMatchObject({ reason: { code: 'command_lost' } })
    await expect.poll(() => sandbox.status(), patience).toBe('stopped')
    expect(told()).toEqual(['starting', 'ready', 'stopped'])
    await run(sandbox, 'exit 0')
    expect(engine.count('create')).toBe(2)
    expect(told().slice(3)).toEqual(['starting', 'ready'])
    expect(rows.rows.size).toBe(2)
  })

  it('a container that dies under a command: both say so, and the next call starts it again', async () => {
    const { engine, manager } = setUp()
    const { sandbox, told, news, idOf } = await openThread(manager)
    const commandId = await run(sandbox, 'wait')
    const waiting = sandbox.wait(commandId)
    const settled = Promise.allSettled([waiting])
    engine.die(idOf(), 137, true)
    expect((await settled)[0]).toMatchObject({ status: 'rejected', reason: { code: 'command_lost' } })
    await expect.poll(told, patience).toEqual(['starting', 'ready', 'lost'])
    expect(news.at(-1)).toMatchObject({ message: expect.stringContaining('more memory') })
    await expect(sandbox.input(commandId, Buffer.from('x'))).rejects.toMatchObject({ code: 'command_lost' })
    await run(sandbox, 'exit 0')
    expect(engine.count('create')).toBe(1)
    expect(told().slice(3)).toEqual(['starting', 'ready'])
  })

  it('a container that was removed is made again around its volumes; without them the sandbox is lost once', async () => {
    const { engine, manager, rows } = setUp()
    const { sandbox, idOf, threadId } = await openThread(manager)
    await sandbox.ensure()
    const id = idOf()
    const remove = () => {
      for (const [key, { identity }] of engine.containers)
        if (identity.sandboxId === id) {
          engine.die(id, 137)
          engine.containers.delete(key)
        }
    }
    remove()
    await expect.poll(() => sandbox.status(), patience).toBe('lost')
    await sandbox.ensure()
    expect(engine.of(id).identity.uid).toBe(20_000)
    remove()
    await expect.poll(() => sandbox.status(), patience).toBe('lost')
    engine.volumes.clear()
    await expect(sandbox.ensure()).rejects.toMatchObject({ code: 'sandbox_lost' })
    await sandbox.ensure()
    expect([...rows.rows.values()].map((row) => row.threadId)).toEqual([threadId])
    expect(rows.rows.has(id)).toBe(false)
  })

  it('goes on reading over a broken connection', async () => {
    const { engine, manager } = setUp()
    const { sandbox, idOf, told } = await openThread(manager)
    const commandId = await run(sandbox, 'wait')
    const { supervisor } = engine.of(idOf())
    supervisor.print(commandId, 50_000)
    let cuts = 0
    supervisor.onFrame = (offset) => {
      if (offset < 20_000 * (cuts + 1) || cuts === 2) return
      cuts += 1
      supervisor.cut()
    }
    supervisor.end(commandId)
    const parts: Uint8Array[] = []
    for await (const { bytes } of sandbox.output(commandId, 0, { follow: true })) parts.push(bytes)
    expect(Buffer.concat(parts).equals(printed(0, 50_000))).toBe(true)
    expect(await sandbox.wait(commandId)).toMatchObject({ status: 'exited', bytes: 50_000 })
    expect(told()).toEqual(['starting', 'ready'])
  })

  it('destroy leaves nothing', async () => {
    const { engine, manager, rows } = setUp()
    const { sandbox } = await openThread(manager)
    await sandbox.ensure()
    await sandbox.destroy()
    expect([engine.containers.size, engine.volumes.size, rows.rows.size]).toEqual([0, 0, 0])
    expect(sandbox.status()).toBe('absent')
  })

  it('an abort ends the waiting for a start, not the start', async () => {
    const { engine, manager } = setUp()
    const { sandbox, told } = await openThread(manager)
    const gate = Promise.withResolvers<void>()
    engine.startGate = gate.promise
    const abort = new AbortController()
    const waiting = sandbox.ensure(abort.signal)
    abort.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
    gate.resolve()
    await expect.poll(told, patience).toEqual(['starting', 'ready'])
  })
})

describe('an engine that fails', () => {
  it('unreachable: the fault says what to do, and it works once the engine is back', async () => {
    const { engine, manager, rows } = setUp()
    engine.away = true
    const { sandbox, threadId } = await openThread(manager)
    await expect(sandbox.ensure()).rejects.toMatchObject({
      code: 'sandbox_unavailable',
      next: expect.stringContaining('Start Docker'),
    })
    expect(await manager.health()).toMatchObject({ ok: false })
    engine.away = false
    await sandbox.ensure()
    expect(sandbox.status()).toBe('ready')
    expect([...rows.rows.values()].map((row) => row.threadId)).toEqual([threadId])
  })

  it('image missing', async () => {
    const { engine, manager } = setUp()
    engine.images.clear()
    const { sandbox } = await openThread(manager)
    await expect(sandbox.ensure()).rejects.toMatchObject({ code: 'image_missing' })
    expect(await manager.health()).toMatchObject({ ok: false })
    engine.images.add('image')
    await sandbox.ensure()
  })
})

describe('a new start of the server', () => {
  it('adopts what runs, removes what belongs to nobody, and knows what is gone', async () => {
    const before = setUp({ poolSize: 1 })
    before.manager.warm()
    await expect.poll(() => before.rows.rows.size, patience).toBe(1)
    await expect.poll(() => [...before.rows.rows.values()][0]?.status, patience).toBe('ready')
    const kept = await openThread(before.manager)
    const stopped = await openThread(before.manager)
    const gone = await openThread(before.manager)
    for (const { sandbox } of [kept, stopped, gone]) await sandbox.ensure()
    const commandId = await run(kept.sandbox, 'wait')
    await stopped.sandbox.stop('test')
    await before.manager.close()
    const { engine, rows } = before
    const pooled = [...rows.rows.values()].filter(({ threadId }) => threadId === null).length
    const lostRow = rows.rows.get(gone.idOf())
    for (const [key, { identity }] of engine.containers)
      if (identity.sandboxId === gone.idOf()) engine.containers.delete(key)
    for (const name of engine.volumes.keys())
      if (name.startsWith(lostRow?.volume ?? '-')) engine.volumes.delete(name)
    await engine.create({
      sandboxId: 'sbx_x',
      installId: 'install',
      uid: 1,
      volume: 'x',
      image: 'image',
      secret: 's',
    })
    await engine.create({
      sandboxId: 'sbx_y',
      installId: 'other',
      uid: 1,
      volume: 'y',
      image: 'image',
      secret: 's',
    })

    const after = setUp({ poolSize: 1 }, { engine, rows })
    const count = await after.manager.reconcile()
    expect(count).toEqual({ adopted: 1 + pooled, removed: 1, lost: 1 })
    const left = [...engine.containers.values()].map(({ identity }) => identity.sandboxId)
    expect(left).not.toContain('sbx_x')
    expect(left).toContain('sbx_y')

    const again = await openThread(after.manager, kept.threadId)
    expect(again.sandbox.status()).toBe('ready')
    engine.of(kept.idOf()).supervisor.print(commandId, 10)
    engine.of(kept.idOf()).supervisor.end(commandId, { exitCode: 3 })
    expect(await again.sandbox.wait(commandId)).toMatchObject({ exitCode: 3, bytes: 10 })
    expect((await openThread(after.manager, stopped.threadId)).sandbox.status()).toBe('stopped')
    expect((await openThread(after.manager, gone.threadId)).sandbox.status()).toBe('lost')
  })
})
