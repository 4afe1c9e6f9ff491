// The database process is killed while threads are written: nothing that was acknowledged is lost, nothing is doubled, and
// a turn that ran goes on by itself.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeDataFolder } from '../../scripts/lib/data.mjs'
import { startPostgres } from '../../scripts/lib/postgres.mjs'
import { newId } from '../../src/protocol/ids.ts'
import { createAppendQueue } from '../../src/server/runtime/append-queue.ts'
import { migrate } from '../../src/server/store/migrate.ts'
import { createStore } from '../../src/server/store/store.ts'
import type { NewThread, Store } from '../../src/server/store/types.ts'
import { startTestRuntime } from '../setup/runtime.ts'
import { calls, ends, says } from '../setup/scripted-provider.ts'
import { makeThread } from '../setup/store.ts'

type Server = Awaited<ReturnType<typeof startPostgres>>
let folder: string
let server: Server

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'baton-chaos-'))
  makeDataFolder(folder)
  server = await startPostgres(folder, { keepAlive: true })
  await migrate(server.url)
})
afterEach(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Kills the postmaster; its children end with it, and it is started again by its keeper. */
const killDatabase = (): void => {
  const pid = Number(readFileSync(join(server.cluster, 'postmaster.pid'), 'utf8').split('\n')[0])
  process.kill(pid, 'SIGKILL')
}

const isUp = async (store: Store): Promise<void> => {
  await expect.poll(() => store.health(), { timeout: 60_000, interval: 20 }).toBe(true)
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('a database that dies', () => {
  it('loses no acknowledged event and no accepted op, and doubles none', async () => {
    const store = createStore({ databaseUrl: server.url, secretKey: randomBytes(32) })
    const ownerId = newId('own')
    await store.leases.register({ ownerId, installId: 'chaos', worker: 'one' })
    const queue = createAppendQueue(store.log, () => ownerId)
    const threads = await Promise.all([1, 2, 3, 4].map(() => makeThread(store, ownerId)))
    const acked = new Map<string, number[]>(threads.map((thread) => [thread.threadId, []]))
    const ops = new Map<string, string[]>(threads.map((thread) => [thread.threadId, []]))
    let over = false

    const write = async (thread: NewThread): Promise<void> => {
      for (let seq = 2; !over; seq += 1) {
        const event = {
          threadId: thread.threadId,
          seq,
          type: 'turn.queued' as const,
          windowId: thread.state.windowId,
          actorId: 'system' as const,
          at: Date.now(),
          body: { opId: newId('op'), preview: `event ${seq}` },
        }
        const append = {
          threadId: thread.threadId,
          fence: 1,
          events: [event],
          state: { ...thread.state, head: seq },
        }
        const { place, committed } = queue.push(append, () => undefined)
        void committed.then(() => acked.get(thread.threadId)?.push(seq))
        await place
        await pause(1)
      }
    }
    const accept = async (thread: NewThread): Promise<void> => {
      while (!over) {
        const clientId = newId('op')
        const op = { type: 'sandbox.start' as const }
        const base = { threadId: thread.threadId, clientId, op, actorId: thread.ownerId, position: null }
        // Like a client: the same op again until it is acknowledged.
        const send = () =>
          store.ops.accept({ ...base, status: 'accepted', acceptedAt: Date.now() }).then(
            () => true,
            () => false,
          )
        while (!(await send())) await pause(50)
        ops.get(thread.threadId)?.push(clientId)
        await pause(2)
      }
    }
    const work = threads.flatMap((thread) => [write(thread), accept(thread)])
    for (let kill = 0; kill < 3; kill += 1) {
      await pause(120)
      killDatabase()
      await pause(30)
      await isUp(store)
    }
    over = true
    await Promise.all(work)
    await queue.drain()

    for (const thread of threads) {
      const seqs = (await store.log.after(thread.threadId, 0, 1_000_000)).map((event) => event.seq)
      expect(seqs).toEqual(seqs.map((_, index) => index + 1))
      const confirmed = acked.get(thread.threadId) ?? []
      expect(confirmed.length).toBeGreaterThan(0)
      expect(confirmed).toEqual(seqs.slice(1))
      expect((await store.threads.get(thread.threadId)).head).toBe(seqs.length)
      const stored = (await store.ops.pending(thread.threadId)).map((op) => op.clientId)
      expect(stored.filter((id) => ops.get(thread.threadId)?.includes(id)).sort()).toEqual(
        [...(ops.get(thread.threadId) ?? [])].sort(),
      )
    }
    await store.close()
  })

  it('holds a running turn up, no more', async () => {
    const test = await startTestRuntime({}, server.url)
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
    test.play([
      [gates[0].promise, ...calls('c1', 'exec_command', { cmd: 'echo hi' }), ...ends('tool_calls')],
      [gates[1].promise, ...says('Still here.'), ...ends()],
    ])
    const threadId = await test.createThread()
    await test.say(threadId, 'go')
    await test.until(threadId, (event) => event.type === 'step.started')
    killDatabase()
    gates[0].resolve()
    await test.until(threadId, (event) => event.type === 'step.completed')
    killDatabase()
    gates[1].resolve()
    const events = await test.until(threadId, (event) => event.type === 'turn.completed')
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1))
    expect(events.filter((event) => event.type === 'turn.started')).toHaveLength(1)
    expect(events.filter((event) => event.type === 'command.started')).toHaveLength(1)
    expect(events.map((event) => event.type)).not.toContain('server.restarted')
    await test.close()
  })
})
