// What is written out, read in and written out again is the same bytes; and no file speaks in the name of anybody here.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { called } from '../../../../test/setup/logged-thread.ts'
import { startTestRuntime, type TestRuntime, testUser } from '../../../../test/setup/runtime.ts'
import { ends, says } from '../../../../test/setup/scripted-provider.ts'
import { newId } from '../../../protocol/ids.ts'
import { createLog } from '../../log.ts'
import { firstState } from '../../runtime/new-thread.ts'
import { nextState } from '../../runtime/thread-state.ts'
import { sectionsOf, textPieces } from '../../search/item-text.ts'
import { writeBaton } from '../export/baton.ts'
import { noCut } from '../export/cut.ts'
import { openSource } from '../export/source.ts'
import { keptStep, rebuildRequest } from '../request.ts'
import { createImporter, type Importer } from './importer.ts'

const reader = newId('usr')

describe('our own file', () => {
  let test: TestRuntime
  let importer: Importer
  let projectId: string
  let threadId: string

  const written = async (id: string): Promise<string> => {
    const source = await openSource(test.store, id)
    const parts: string[] = []
    for await (const part of writeBaton(source, noCut(source))) parts.push(part)
    return parts.join('')
  }
  async function* chunks(text: string): AsyncGenerator<Uint8Array> {
    const bytes = Buffer.from(text)
    for (let from = 0; from < bytes.length; from += 50_000) yield bytes.subarray(from, from + 50_000)
  }
  const give = (text: string) =>
    importer.run({ source: chunks(text), fileName: 'a.baton.jsonl', bytes: null, projectId, actorId: reader })

  beforeAll(async () => {
    test = await startTestRuntime()
    projectId = (await test.store.projects.create({ name: 'Imports' }, reader)).id
    importer = createImporter({
      store: test.store,
      ownerId: test.runtime.ownerId,
      firstState,
      nextState,
      log: createLog('error', () => undefined),
    })
    threadId = await test.createThread()
    test.play([
      [...says('A first answer.'), ...ends('end')],
      [...says('long '.repeat(5_000)), ...ends('end')],
      [...says('The end.'), ...ends('end')],
    ])
    for (const words of ['Hello', 'x'.repeat(30_000), 'And on']) {
      await test.say(threadId, words)
    }
    await test.until(
      threadId,
      (_event, all) => all.filter(({ type }) => type === 'turn.completed').length === 3,
    )
    const of = { rootThreadId: threadId, agentPath: '/root' }
    for (const text of ['one', 'two'])
      await test.store.notes.write(of, {
        path: 'plan.md',
        text,
        mode: 'write',
        actorId: testUser,
        writer: testUser,
        seen: 0,
      })
    // A blob that takes several lines of the file.
    const large = await test.store.blobs.put(Buffer.alloc(2_000_000, 'baton'))
    await test.store.blobs.ref(threadId, large)
  }, 120_000)
  afterAll(async () => {
    await importer?.close()
    await test?.close()
  })

  it('comes back as the same bytes, again and again', async () => {
    const file = await written(threadId)
    const first = await give(file)
    expect(first).toMatchObject({
      status: 'done',
      report: { format: 'baton', problemsTotal: 0, rollouts: 1 },
    })
    const [copy = ''] = first.threadIds
    expect(copy).not.toBe(threadId)
    expect(await written(copy)).toBe(file)
    const second = await give(await written(copy))
    expect(await written(second.threadIds[0] ?? '')).toBe(file)
    expect(second.threadIds[0]).not.toBe(copy)
  })

  it('is a thread of its reader, with nothing running and nobody impersonated', async () => {
    const { threadIds } = await give(await written(threadId))
    const [copy = ''] = threadIds
    const [original, thread] = await Promise.all([
      test.store.threads.get(threadId),
      test.store.threads.get(copy),
    ])
    expect(thread).toMatchObject({
      ownerId: reader,
      projectId,
      status: 'idle',
      sandbox: 'absent',
      title: original.title,
    })
    expect(thread).toMatchObject({ turns: 3, head: original.head, usage: original.usage })
    const events = await test.store.log.after(copy, 0, 1_000)
    expect(events.map(({ type }) => type)).toEqual(
      (await test.store.log.after(threadId, 0, 1_000)).map(({ type }) => type),
    )
    expect(JSON.stringify(events)).not.toContain(testUser)
    const files = await test.store.notes.list({ rootThreadId: copy, agentPath: '/root' }, '', {
      orderBy: 'name',
      descending: false,
      limit: 10,
    })
    expect(files.files.map(({ path, version }) => [path, version])).toEqual([['plan.md', 2]])
  })

  it('that names bytes which it does not hold is given none of them', async () => {
    const secret = 'the words of somebody else '.repeat(400)
    const hash = await test.store.blobs.put(Buffer.from(secret))
    const lines = (await written(threadId)).trimEnd().split('\n')
    const item = called('exec_command', { cmd: 'ls' }, 'cut', { full: hash })
    const named = lines.flatMap((line) => {
      const value = JSON.parse(line) as Record<string, unknown> & { end?: object }
      if (value.type === 'blob' || value.type === 'end') return []
      if (value.type === 'block') return [{ ...value, wire: null, wireHash: hash }]
      if (value.type === 'note') return [{ ...value, hash }]
      if (value.type === 'step')
        return [{ ...value, envelopeHash: hash, end: { ...value.end, rawResponseHash: hash } }]
      const { event } = value as { event?: { type: string; seq: number } }
      if (event?.type !== 'turn.completed') return [value]
      return [
        {
          type: 'event',
          event: { ...event, type: 'item.completed', itemId: item.id, actorId: 'agent', body: { item } },
        },
        value,
      ]
    })
    const state = await give(named.map((line) => JSON.stringify(line)).join('\n'))
    expect(state).toMatchObject({ status: 'done' })
    const [copy = ''] = state.threadIds
    const { store } = test
    const told: unknown[] = []
    for (const { windowId } of await store.windows.newest(copy, -1)) {
      const blocks = await store.windows.blocks(windowId)
      expect(blocks.length).toBeGreaterThan(0)
      told.push(blocks.map(({ wire }) => Buffer.from(wire).toString()))
      told.push(
        (await store.windows.heads(windowId, 0, 100, 200)).map(({ head }) => Buffer.from(head).toString()),
      )
      expect((await store.windows.list(windowId, 100)).every(({ bytes }) => bytes === 0)).toBe(true)
    }
    const steps = await store.windows.steps(copy)
    expect(steps.map(({ envelopeHash }) => envelopeHash)).toContain(hash)
    for (const { stepId } of steps) {
      const kept = await keptStep(store, copy, stepId)
      expect(kept && (await rebuildRequest(store, kept))).toBeNull()
    }
    told.push(await store.notes.read({ rootThreadId: copy, agentPath: '/root' }, 'plan.md'))
    const entries = await store.history.items(
      copy,
      { role: 'tool' },
      { limit: 10, recentFirst: true, cursor: null },
    )
    expect(entries.length).toBeGreaterThan(0)
    for (const row of entries)
      for await (const piece of textPieces(store.blobs.of(copy), sectionsOf(row.item))) told.push(piece)
    told.push(await written(copy))
    expect(JSON.stringify(told)).not.toContain('somebody else')
    expect(await store.blobs.of(copy).size(hash)).toBeNull()
    await expect(store.blobs.of(copy).get(hash)).rejects.toMatchObject({ code: 'not_found' })
    await expect(store.blobs.of(copy).read(hash)[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('that was changed, cut or made up says so, and the rest is there', async () => {
    const lines = (await written(threadId)).trimEnd().split('\n')
    const changed = await give(
      lines.map((line) => line.replace('A first answer.', 'Another answer.')).join('\n'),
    )
    expect(changed.report?.problems.some(({ what }) => what.includes('checksum'))).toBe(true)
    const cut = await give(lines.slice(0, -3).join('\n').slice(0, -40))
    expect(cut).toMatchObject({ status: 'done' })
    expect(cut.report?.problems.map(({ what }) => what)).toContain(
      'the file ends before its last line: it was cut',
    )
    const events = lines.filter((line) => line.startsWith('{"type":"event"'))
    const odd = [
      lines[0],
      ...events.slice(0, 3),
      '{"type":"event","event":{"seq":4,"type":"no.such"}}',
      '{"type":"riddle"}',
      ...events.slice(3),
    ]
    const made = await give(odd.join('\n'))
    expect(made).toMatchObject({ status: 'done', report: { unknown: { riddle: 1 } } })
    const log = await test.store.log.after(made.threadIds[0] ?? '', 0, 1_000)
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, n) => n + 1))
    expect(log.filter(({ type }) => type === 'record.kept').length).toBe(2)
    expect(log.length).toBe(events.length + 2)
  })
})
