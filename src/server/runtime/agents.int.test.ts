// Agents of one tree of threads look into each other's past and notes by their names, and nobody else does.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestRuntime, type TestRuntime, testUser } from '../../../test/setup/runtime.ts'
import { callsOne } from '../../../test/setup/scripted-provider.ts'
import type { ThreadEvent } from '../../protocol/event.ts'
import { newId } from '../../protocol/ids.ts'
import { firstState } from './new-thread.ts'

let test: TestRuntime
let root: string
let child: string
let childItem: string

/** A thread below another one, as whoever makes sub-agents will write it. */
const makeChild = async (rootThreadId: string, agentPath: string): Promise<string> => {
  const parent = await test.store.threads.get(rootThreadId)
  const client = new pg.Client({ connectionString: test.url })
  await client.connect()
  const { rows } = await client.query<{ ownerId: string }>(
    'select "ownerId" from "ThreadLease" where "threadId" = $1',
    [rootThreadId],
  )
  await client.end()
  const threadId = newId('thr')
  const { settings, projectId } = parent
  const first: ThreadEvent = {
    threadId,
    seq: 1,
    type: 'thread.created',
    windowId: newId('win'),
    actorId: testUser,
    at: Date.now(),
    body: { projectId, title: 'Tests', settings },
  }
  await test.store.threads.create({
    threadId,
    projectId,
    ownerId: testUser,
    title: 'Tests',
    fromThreadId: null,
    seed: null,
    first,
    agent: { parentThreadId: rootThreadId, rootThreadId, agentPath },
    lease: { ownerId: rows[0]?.ownerId ?? '' },
    state: firstState(first, settings),
  })
  return threadId
}

beforeAll(async () => {
  test = await startTestRuntime()
  root = await test.createThread()
  child = await makeChild(root, '/root/tests')
  await test.turn(root, callsOne('notes_write', { path: 'plan.md', text: 'The root word is heron.' }))
  await test.turn(
    child,
    callsOne('notes_write', { path: 'found.md', text: 'The child word is ibis.' }),
    callsOne('new_context', {}),
  )
  const found = await test.turn(child, callsOne('history_search', { query: 'word is ibis' }))
  childItem = /\[(itm_[^\]]+)\]/.exec(found[0] ?? '')?.[1] ?? ''
})
afterAll(() => test?.close())

describe('agents of one tree', () => {
  it('know themselves by their names', async () => {
    const windows = await test.turn(child, callsOne('history_list_windows', {}))
    expect(windows[0]).toContain('window 2 (this one)')
    expect(test.bodies.at(-1)).toContain('Agent: /root/tests')
    expect((await test.turn(child, callsOne('notes_list', {})))[0]).toContain('found.md · version 1')
    const person = await test.runtime.noteRead(child, { path: 'found.md' })
    expect(person).toMatchObject({ text: 'The child word is ibis.', agentPath: '/root/tests' })
  })

  it('read each other’s past and notes, by a whole name or one below their own', async () => {
    const [whole, below, windows, items, item, own] = await test.turn(
      root,
      callsOne('history_search', { query: 'word is ibis', agent_name: '/root/tests' }),
      callsOne('history_search', { query: 'word is ibis', agent_name: 'tests' }),
      callsOne('history_list_windows', { agent_name: '/root/tests' }),
      callsOne('history_list_items', { agent_name: 'tests', tool_name: 'notes_write' }),
      callsOne('history_read_item', { agent_name: 'tests', item_id: childItem }),
      callsOne('history_search', { query: 'child word' }),
    )
    expect(whole).toContain(childItem)
    expect(below).toBe(whole)
    expect(windows?.match(/· window \d/g)).toEqual(['· window 2', '· window 1'])
    expect(items).toContain('The child word is ibis.')
    expect(item).toContain('The child word is ibis.')
    expect(own).toContain('No match.')
    const [up, note, list, search] = await test.turn(
      child,
      callsOne('history_search', { query: 'root word', agent_name: '/root' }),
      callsOne('notes_read', { path: '/root/notes/plan.md' }),
      callsOne('notes_list', { prefix: '/root/notes/' }),
      callsOne('notes_search', { query: 'heron', path_prefix: '/root/notes/' }),
    )
    expect(up).toContain('The root word is heron.')
    expect(note).toContain('The root word is heron.')
    expect(list).toContain('/root/notes/plan.md · version 1')
    expect(search).toContain('/root/notes/plan.md')
  })

  it('write into one file at the same time: both are kept, and the second is told', async () => {
    await test.turn(root, callsOne('notes_write', { path: 'shared.md', text: 'by the root' }))
    const [told] = await test.turn(
      child,
      callsOne('notes_write', { path: '/root/notes/shared.md', text: 'by the child' }),
    )
    expect(told).toContain('Version 1 had been written meanwhile by an agent')
    const versions = await test.runtime.noteVersions(root, { path: 'shared.md' })
    expect(versions.map(({ version }) => version)).toEqual([2, 1])
    expect((await test.runtime.noteRead(root, { path: 'shared.md', version: 1 })).text).toBe('by the root')
  })

  it('are told plainly of a name that nobody has', async () => {
    const answers = await test.turn(
      root,
      callsOne('history_list_windows', { agent_name: '/root/nobody' }),
      callsOne('history_list_items', { agent_name: 'nobody' }),
      callsOne('history_search', { query: 'ibis', agent_name: '/root/nobody' }),
      callsOne('history_read_item', { item_id: childItem, agent_name: '/root/nobody' }),
      callsOne('notes_list', { prefix: '/root/nobody/notes/' }),
      callsOne('notes_read', { path: '/root/nobody/notes/a.md' }),
      callsOne('notes_search', { query: 'ibis', path_prefix: '/root/nobody/notes/' }),
      callsOne('notes_write', { path: '/root/nobody/notes/a.md', text: 'x' }),
      callsOne('notes_append', { path: '/root/nobody/notes/a.md', text: 'x' }),
    )
    const words =
      'There is no agent "/root/nobody" in this thread.\nLeave the name out to mean yourself (/root); the main agent is /root.'
    expect(answers).toEqual(answers.map(() => words))
    expect(answers).toHaveLength(9)
  })

  it('find nothing of another tree: what is not theirs is answered as what does not exist', async () => {
    const stranger = await test.createThread()
    const [theirs, nothing, mine, named] = await test.turn(
      stranger,
      callsOne('history_read_item', { item_id: childItem }),
      callsOne('history_read_item', { item_id: newId('itm') }),
      callsOne('history_search', { query: 'word is ibis' }),
      callsOne('history_search', { query: 'word is ibis', agent_name: '/root/tests' }),
    )
    expect(theirs).toBe(nothing)
    expect(theirs).toContain('There is no such item in this thread.')
    expect(mine).toContain('No match.')
    expect(named).toContain('There is no agent "/root/tests" in this thread.')
    // Without its name the child's item is not the root's either.
    const [ofRoot] = await test.turn(root, callsOne('history_read_item', { item_id: childItem }))
    expect(ofRoot).toBe(nothing)
  })

  it('stand in no list of threads, and go with their root', async () => {
    const lone = await test.createThread()
    const below = await makeChild(lone, '/root/below')
    expect((await test.store.threads.list({})).map(({ id }) => id)).not.toContain(below)
    await test.runtime.deleteThread(lone, testUser)
    await expect(test.store.threads.get(below)).rejects.toMatchObject({ code: 'not_found' })
  })
})
