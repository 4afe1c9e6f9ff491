// The door for files of rollouts, over real HTTP: who may, what comes back, what a broken upload leaves.
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testActor } from '../../../test/setup/actor.ts'
import { openTestStore, type TestStore } from '../../../test/setup/store.ts'
import type { TeamRole } from '../../protocol/access.ts'
import { newId } from '../../protocol/ids.ts'
import type { ImportState } from '../../protocol/import.ts'
import type { Actor } from '../access/types.ts'
import { createLog } from '../log.ts'
import { createImporter, type Importer } from '../rollouts/import/importer.ts'
import { firstState } from '../runtime/new-thread.ts'
import { nextState } from '../runtime/thread-state.ts'
import { importRoute } from './import-route.ts'
import { originPolicy } from './origin.ts'
import { createHttpDoors } from './router.ts'

const line = (text: string): string =>
  JSON.stringify({
    type: 'user',
    uuid: crypto.randomUUID(),
    sessionId: 's',
    timestamp: '2026-01-01T10:00:00Z',
    message: { role: 'user', content: text },
  })

type Answer = {
  status: number
  body: ImportState & { error: { code: string; details?: Record<string, unknown> } }
}

describe('POST /api/imports', () => {
  let testStore: TestStore
  let importer: Importer
  let server: ReturnType<typeof createHttpDoors>
  let origin: string
  let projectId: string
  const userId = newId('usr')
  let role: TeamRole | null = 'member'

  beforeAll(async () => {
    testStore = await openTestStore()
    const owner = newId('own')
    await testStore.store.leases.register({ ownerId: owner, installId: 'test', worker: 'main' })
    projectId = (await testStore.store.projects.create({ name: 'Imports' }, userId)).id
    const log = createLog('error', () => undefined)
    importer = createImporter({ store: testStore.store, ownerId: () => owner, firstState, nextState, log })
    const actor = async (): Promise<Actor | null> => (role === null ? null : testActor({ userId, role }))
    server = createHttpDoors({
      routes: [importRoute({ imports: importer, actor })],
      origins: originPolicy(undefined),
      pages: async (_request, response) => void response.end(),
      log,
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }, 120_000)
  afterAll(async () => {
    server?.closeAllConnections()
    server?.close()
    await importer?.close()
    await testStore?.close()
  })

  const give = async (body: string, query: Record<string, string> = {}): Promise<Answer> => {
    const response = await fetch(
      `${origin}/api/imports?${new URLSearchParams({ project: projectId, ...query })}`,
      {
        method: 'POST',
        body,
        headers: { origin },
      },
    )
    return { status: response.status, body: (await response.json()) as Answer['body'] }
  }

  it('reads the body and answers with what came of it', async () => {
    const importId = newId('imp')
    const { status, body } = await give(`${line('Hello')}\n`, {
      name: '../../etc/a\u0000.jsonl',
      id: importId,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      importId,
      status: 'done',
      fileName: 'a.jsonl',
      report: { format: 'claude-code' },
    })
    expect(await testStore.store.threads.get(body.threadIds[0] ?? '')).toMatchObject({
      title: 'Hello',
      ownerId: userId,
    })
    expect((await give(`${line('Hello')}\n`, { id: importId })).status).toBe(409)
  })

  it('says what is wrong with a file, and leaves the report to be asked for', async () => {
    const { status, body } = await give('no rollout')
    expect(status).toBe(422)
    expect(body.error).toMatchObject({ code: 'import_rejected' })
    const state = await importer.state(String(body.error.details?.importId), userId)
    expect(state).toMatchObject({ status: 'failed', threadIds: [] })
  })

  it('takes nothing from who may not, and nothing for no project', async () => {
    role = 'viewer'
    expect((await give(line('x'))).status).toBe(403)
    role = null
    expect((await give(line('x'))).status).toBe(401)
    role = 'member'
    expect((await give(line('x'), { project: 'nowhere' })).status).toBe(404)
    expect((await give(line('x'), { project: newId('prj') })).body.error.code).toBe('not_found')
    expect((await give(line('x'), { id: 'mine' })).status).toBe(400)
  })

  it('an upload that ends too early is failed and leaves no thread', async () => {
    const importId = newId('imp')
    const call = httpRequest(
      `${origin}/api/imports?${new URLSearchParams({ project: projectId, id: importId })}`,
      {
        method: 'POST',
        headers: { origin, 'content-length': 1_000_000 },
      },
    )
    call.on('error', () => undefined)
    call.write(`${line('one')}\n`)
    const until = async (status: ImportState['status']): Promise<ImportState> => {
      for (;;) {
        const state = await importer.state(importId, userId).catch(() => null)
        if (state?.status === status) return state
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    await until('running')
    call.destroy()
    const state = await until('failed')
    expect(state.error).toMatchObject({
      code: 'import_rejected',
      message: 'The upload ended before the file did.',
    })
    expect(await testStore.store.imports.hidden(importId)).toEqual([])
  })
})
