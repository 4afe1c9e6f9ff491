// Where a workspace's files come from, in real containers: an uploaded folder, another thread, and the newest checkpoint
// when container and volume are gone.
import { buffer } from 'node:stream/consumers'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ThreadEvent } from '../../src/protocol/event.ts'
import { startTestRuntime, type TestRuntime, testUser } from '../setup/runtime.ts'
import { type RealSandboxes, realSandboxes } from '../setup/sandboxes.ts'
import { answers, calls, ends, model } from '../setup/scripted-provider.ts'

let real: RealSandboxes
let test: TestRuntime

beforeAll(async () => {
  real = await realSandboxes()
  test = await startTestRuntime({ sandboxes: real.manager() })
})
afterAll(async () => {
  await test?.close()
  await real?.clean()
})

const run = (cmd: string) => [
  [...calls('c1', 'exec_command', { cmd }), ...ends('tool_calls')],
  answers('Done.'),
]
const turnsOf = (events: ThreadEvent[]) => events.filter((event) => event.type === 'turn.completed').length

/** One turn with one command; what the command printed. */
const printed = async (threadId: string, cmd: string): Promise<string> => {
  test.play(run(cmd))
  const before = turnsOf(await test.events(threadId))
  await test.say(threadId, cmd)
  const events = await test.until(threadId, (_, all) => turnsOf(all) === before + 1)
  const call = events.findLast(
    (event) => event.type === 'item.completed' && event.body.item.type === 'tool_call',
  )
  if (call?.type !== 'item.completed' || call.body.item.type !== 'tool_call') return ''
  const { state } = call.body.item
  return 'output' in state ? state.output.text : ''
}

const create = async (projectId: string, fromThreadId?: string): Promise<string> => {
  const { id } = await test.runtime.createThread({
    projectId,
    actorId: testUser,
    settings: { model: { providerId: 'prv_0197a0a0-0000-7000-8000-000000000001', model: model.id } },
    ...(fromThreadId === undefined ? {} : { fromThreadId }),
  })
  return id
}

describe('a workspace', () => {
  it('begins with the upload, is handed on to a new thread, and comes back when its volume is gone', async () => {
    const archive = pack()
    archive.entry({ name: 'AGENTS.md' }, 'Speak kindly.\n')
    archive.entry({ name: 'src/hello.txt' }, 'hello\n')
    archive.finalize()
    const project = await test.store.projects.create({ name: 'Uploaded' }, testUser)
    const hash = await test.store.blobs.put(await buffer(archive))
    await test.store.projects.setUpload(project.id, { hash, files: 2, bytes: 20 }, testUser)

    const first = await create(project.id)
    expect(await printed(first, 'cat src/hello.txt; echo more >> src/hello.txt')).toContain('hello')
    expect(test.bodies.at(-1)).toContain('Speak kindly.')
    const row = await test.store.threads.get(first)
    expect(row).toMatchObject({ additions: 1, deletions: 0, filesChanged: 1 })
    const checkpoints = (await test.events(first)).filter((event) => event.type === 'checkpoint.created')
    const [base, changed] = checkpoints.map((event) =>
      event.type === 'checkpoint.created' ? event.body.tree : '',
    )
    expect(await test.runtime.diff(first, base ?? '', changed ?? '')).toContain('+more')
    const bytes = await test.runtime.fileAt(first, changed ?? '', 'src/hello.txt')
    expect(Buffer.from(bytes ?? []).toString()).toBe('hello\nmore\n')

    const second = await create(project.id, first)
    expect(await printed(second, 'cat src/hello.txt; echo third >> src/hello.txt')).toContain('more')
    expect((await test.store.threads.get(second)).additions).toBe(1)

    // Without the first thread the second still has all that it began with.
    await test.runtime.deleteThread(first, testUser)
    const sandboxId = [...real.rows.rows.values()].find((each) => each.threadId === second)?.sandboxId ?? ''
    const container = await real.container(sandboxId)
    const { Mounts: mounts } = await container.inspect()
    await container.remove({ force: true })
    for (const { Name: name } of mounts) {
      if (name) await real.docker.getVolume(name).remove({ force: true })
    }
    await expect
      .poll(async () => (await test.events(second)).some((event) => event.type === 'sandbox.lost'), {
        timeout: 60_000,
      })
      .toBe(true)
    expect(await printed(second, 'cat src/hello.txt AGENTS.md')).toContain('third')
  })
})
