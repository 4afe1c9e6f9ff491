import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { testActor } from '../../../test/setup/actor.ts'
import { madeRollout, memoryStore } from '../../../test/setup/memory-rollout.ts'
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import { createLog } from '../log.ts'
import { canaries } from '../rollouts/redact/canaries.ts'
import type { AuditEntry, Store } from '../store/types.ts'
import { exportRoute } from './export-route.ts'
import { originPolicy } from './origin.ts'
import { createHttpDoors } from './router.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

const secret = canaries()[0]?.secret ?? ''
const userId = newId('usr')

const start = async (rollout = madeRollout({ ...words, requests: [`use ${secret}`] })) => {
  const audits: AuditEntry[] = []
  const store = {
    ...memoryStore(rollout),
    audit: async (entry: AuditEntry) => void audits.push(entry),
  } as unknown as Store
  const onThread = async (_request: unknown, threadId: string) => {
    if (threadId !== rollout.threadId) throw new Fault('not_found', 'There is no such thread.', 'Check.')
    return testActor({ userId })
  }
  const server = createHttpDoors({
    origins: originPolicy(undefined),
    log: createLog('error', () => undefined),
    pages: async (_request, response) => void response.end('a page'),
    routes: [exportRoute(store, onThread, { follow: () => () => undefined })],
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(() => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()))
  const { port } = server.address() as AddressInfo
  const get = (query: string, threadId = rollout.threadId, method = 'GET') =>
    fetch(`http://127.0.0.1:${port}/t/${threadId}/export?${query}`, { method })
  return { rollout, server, port, audits, get }
}

const words = {
  title: 'Fix "it" / \r\n',
  answers: ['ok'],
  outputs: ['fine'],
  note: '',
  raw: new Uint8Array(),
}

describe('the door for exports', () => {
  test('sends a redacted file under a safe name, and writes down who took what', async () => {
    const { get, audits, rollout } = await start()
    const answer = await get('format=baton')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="fix-it-${rollout.threadId.slice(-6)}.baton.jsonl"`,
    )
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; sandbox")
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const text = await answer.text()
    expect(text).not.toContain(secret)
    expect(text).toContain('[redacted:openai-key]')
    expect(audits).toMatchObject([
      {
        actorId: userId,
        action: 'thread.export',
        targetId: rollout.threadId,
        details: { format: 'baton', redaction: 'secrets', redacted: { level: 'secrets' } },
      },
    ])
    expect(JSON.stringify(audits)).not.toContain(secret)
  })

  test('SEC-61 holds secrets back until the finding is confirmed', async () => {
    const { get, audits } = await start()
    const refused = await get('format=baton&redact=none')
    expect(refused.status).toBe(409)
    const { error } = (await refused.json()) as { error: { details: { digest: string }; message: string } }
    expect(JSON.stringify(error)).not.toContain(secret)
    expect(audits).toEqual([])
    expect((await get('format=baton&redact=none&confirm=yes')).status).toBe(409)
    const confirmed = await get(`format=baton&redact=none&confirm=${error.details.digest}`)
    expect(await confirmed.text()).toContain(secret)
    expect(audits).toMatchObject([{ details: { redaction: 'none', redacted: null } }])
  })

  test('refuses what it does not know, and other threads', async () => {
    const { get, audits } = await start()
    expect((await get('format=zip')).status).toBe(400)
    expect((await get('')).status).toBe(400)
    expect((await get('format=baton&redact=some')).status).toBe(400)
    expect((await get('format=baton', newId('thr'))).status).toBe(404)
    expect((await get('format=baton', undefined, 'POST')).status).toBe(400)
    expect(audits).toEqual([])
  })

  test('reads no more than is taken, and stops when its reader goes away', async () => {
    const rollout = madeRollout({ ...words, requests: ['hello'] })
    const count = 120
    for (let n = 0; n < count; n += 1)
      rollout.blobs.set(n.toString(16).padStart(64, '0'), Buffer.alloc(1_000_000))
    const { port, server, get } = await start(rollout)
    const bytes = rollout.blobs.get.bind(rollout.blobs)
    await (await get('format=baton&redact=none', undefined, 'HEAD')).arrayBuffer()
    let reads = 0
    rollout.blobs.get = (hash) => {
      reads += 1
      return bytes(hash)
    }
    const socket = connect(port, '127.0.0.1')
    const path = `/t/${rollout.threadId}/export?format=baton&redact=none`
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.pause()
    socket.destroy()
    const connections = () =>
      new Promise<number>((resolve) => server.getConnections((_error, number) => resolve(number)))
    const end = Date.now() + 60_000
    while ((await connections()) > 1 && Date.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 20))
    expect(reads).toBeGreaterThan(0)
    expect(reads).toBeLessThan(count)
  })

  test('stops looking through a rollout when its reader goes away before the file begins', async () => {
    const rollout = madeRollout({ ...words, requests: ['hello'] })
    for (let n = 0; n < 60; n += 1) rollout.blobs.set(n.toString(16).padStart(64, '0'), Buffer.from(`${n}`))
    const { port, get, audits } = await start(rollout)
    const bytes = rollout.blobs.get.bind(rollout.blobs)
    const socket = connect(port, '127.0.0.1')
    let reads = 0
    rollout.blobs.get = (hash) => {
      reads += 1
      if (reads === 3) socket.destroy()
      return bytes(hash)
    }
    const path = `/t/${rollout.threadId}/export?format=baton`
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
    await closed
    for (let last = -1; last !== reads; ) {
      last = reads
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    }
    expect(reads).toBeLessThan(60)
    expect(audits).toEqual([])
    expect(await (await get('format=baton')).text()).toContain('hello')
  })
})
