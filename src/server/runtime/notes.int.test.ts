import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testActor } from '../../../test/setup/actor.ts'
import { called, loggedThread } from '../../../test/setup/logged-thread.ts'
import { isTurnEnd, startTestRuntime, type TestRuntime, testUser } from '../../../test/setup/runtime.ts'
import { answers, callsOne } from '../../../test/setup/scripted-provider.ts'
import { newId } from '../../protocol/ids.ts'
import type { ToolCall } from '../../protocol/item.ts'
import type { NotesPort } from '../tools/types.ts'
import type { ThreadContext } from './context.ts'
import { createNotes, newNoteMemory } from './notes.ts'

let test: TestRuntime
beforeEach(async () => {
  test = await startTestRuntime()
})
afterEach(async () => {
  await test?.close()
})

const person = testActor({ userId: testUser })
const stranger = testActor()

describe('notes of a thread', () => {
  it('an agent’s note is in the log, outlives a restart and is read by a person', async () => {
    const threadId = await test.createThread()
    const said = await test.turn(threadId, callsOne('notes_write', { path: 'plan.md', text: 'goal: 7' }))
    expect(said).toEqual(['plan.md is saved as version 1 (7 bytes).'])
    const written = (await test.events(threadId)).find(({ type }) => type === 'note.written')
    expect(written).toMatchObject({
      actorId: 'agent',
      body: { agentPath: '/root', path: 'plan.md', version: 1, bytes: 7 },
    })
    expect(written?.turnId).toMatch(/^trn_/)
    await test.restart('crash')
    const { files } = await test.runtime.noteList(threadId, { prefix: '', limit: 10 })
    expect(files.map(({ path }) => path)).toEqual(['plan.md'])
    expect((await test.runtime.noteRead(threadId, { path: 'plan.md' })).text).toBe('goal: 7')
    await expect(test.runtime.noteRead(threadId, { path: 'other' })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('a person’s edit is read by the agent, and each is told of the other', async () => {
    const threadId = await test.createThread()
    await test.turn(threadId, callsOne('notes_write', { path: 'plan.md', text: 'mine' }))
    const edit = { type: 'note.write' as const, path: 'plan.md', text: 'hers', baseVersion: 1 }
    expect(await test.send(threadId, edit)).toMatchObject({ status: 'applied' })
    const [read, told] = await test.turn(
      threadId,
      callsOne('notes_read', { path: 'plan.md' }),
      callsOne('notes_write', { path: 'plan.md', text: 'both' }),
    )
    expect(read).toContain('version 2 · 4 bytes')
    expect(read).toContain('by a person · 1 lines\nhers')
    expect(told).toBe('plan.md is saved as version 3 (4 bytes).')

    // Neither has seen what the other wrote: both are kept, the newer lies on top.
    const late = await test.send(threadId, { ...edit, text: 'hers again', baseVersion: 2 })
    expect(late).toMatchObject({
      status: 'applied',
      error: { code: 'conflict', details: { overVersion: 3 } },
    })
    const [over] = await test.turn(threadId, callsOne('notes_write', { path: 'plan.md', text: 'mine again' }))
    expect(over).toContain('Version 4 had been written meanwhile by a person')
    const versions = await test.runtime.noteVersions(threadId, { path: 'plan.md' })
    expect(versions.map(({ version, actorId }) => [version, actorId])).toEqual([
      [5, 'agent'],
      [4, testUser],
      [3, 'agent'],
      [2, testUser],
      [1, 'agent'],
    ])
    const events = (await test.events(threadId)).filter((event) => event.type === 'note.written')
    expect(events.map(({ body }) => body.overVersion)).toEqual([undefined, undefined, undefined, 3, 4])
  })

  it('a write that failed is known after a restart, until one succeeds', async () => {
    const thread = await loggedThread(test.store)
    const afterRestart = (): NotesPort => {
      const { threadId, ownerId } = thread
      const agent = { threadId, rootThreadId: threadId, parentThreadId: null, agentPath: '/root', ownerId }
      return createNotes({
        threadId,
        agent,
        noteMemory: newNoteMemory(),
        deps: { store: test.store },
      } as unknown as ThreadContext)
    }
    expect(await afterRestart().lastFailure()).toBeNull()
    const written = called('notes_write', { path: 'a' }, 'saved')
    const error = { code: 'note_rejected' as const, message: 'Too large.', next: 'Write less.' }
    const state = { status: 'failed' as const, startedAt: 1, endedAt: 2, error, output: { text: '' } }
    await thread.write({ ...written, id: newId('itm'), state } as ToolCall, called('read_file', {}, 'x'))
    expect(await afterRestart().lastFailure()).toEqual(error)
    await thread.write(written)
    expect(await afterRestart().lastFailure()).toBeNull()
  })

  it('the same op twice is one version; a refused one changes nothing', async () => {
    const threadId = await test.createThread()
    const opId = newId('op')
    const edit = { type: 'note.write' as const, path: 'a.md', text: 'x' }
    await test.send(threadId, edit, opId)
    await test.send(threadId, edit, opId)
    await test.send(threadId, edit)
    expect(await test.runtime.noteVersions(threadId, { path: 'a.md' })).toHaveLength(1)
    const refused = await test.send(threadId, { ...edit, path: '../a.md' })
    expect(refused).toMatchObject({ status: 'refused', error: { code: 'note_rejected' } })
    const large = await test.send(threadId, { ...edit, text: 'é'.repeat(600_000) })
    expect(large).toMatchObject({ status: 'refused', error: { code: 'note_rejected' } })
    expect((await test.runtime.noteList(threadId, { prefix: '', limit: 10 })).total).toBe(1)
  })
})

describe('history of a thread', () => {
  it('the agent finds what it was told a moment ago, and reads it whole', async () => {
    const threadId = await test.createThread()
    const other = await test.createThread()
    test.play([answers('Done.')])
    await test.say(threadId, 'The port is 8431, remember.')
    await test.until(threadId, isTurnEnd)
    const [found] = await test.turn(threadId, callsOne('history_search', { query: 'port is' }))
    expect(found).toContain('The port is 8431, remember.')
    const itemId = /\[(itm_[^\]]+)\]/.exec(found ?? '')?.[1] ?? ''
    const [read, windows, items] = await test.turn(
      threadId,
      callsOne('history_read_item', { item_id: itemId }),
      callsOne('history_list_windows', {}),
      callsOne('history_list_items', { role: 'user', limit: 20 }),
    )
    expect(read).toContain('user user_message · characters 0 to 27 of 27\nThe port is 8431, remember.')
    expect(windows).toContain('window 1 (this one)')
    expect(items).toContain('go on')
    const [elsewhere, nothing] = await test.turn(
      other,
      callsOne('history_read_item', { item_id: itemId }),
      callsOne('history_read_item', { item_id: newId('itm') }, 'again'),
    )
    expect(elsewhere).toBe(nothing)
    expect((await test.turn(other, callsOne('history_search', { query: 'port is' })))[0]).toContain(
      'No match',
    )
  })

  it('SEC-62 people find in all their threads, and nothing in those of others', async () => {
    const threadId = await test.createThread()
    test.play([answers('Done.')])
    await test.say(threadId, 'The word is quetzal.')
    await test.until(threadId, isTurnEnd)
    const query = { text: 'quetzal', mode: 'words' as const, limit: 5, order: 'newest' as const }
    const mine = await test.runtime.search(person, query)
    expect(mine.entries.map((hit) => [hit.threadId, hit.snippet])).toEqual([
      [threadId, 'The word is quetzal.'],
    ])
    expect((await test.runtime.search(stranger, query)).entries).toEqual([])
    expect((await test.runtime.search(stranger, { ...query, threadId })).entries).toEqual([])
    await expect(
      test.runtime.historyItems(stranger, threadId, { limit: 5, recentFirst: true, maxChars: 100 }),
    ).rejects.toMatchObject({ code: 'not_found' })
    await test.runtime.deleteThread(threadId, testUser)
    expect((await test.runtime.search(person, query)).entries).toEqual([])
  })
})
