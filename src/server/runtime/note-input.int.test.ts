// What cannot be kept as a note, or looked up, and what the model is told of it: nothing is lost, nothing leaks.
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isTurnEnd, startTestRuntime, type TestRuntime, testUser } from '../../../test/setup/runtime.ts'
import { answers, callsOne } from '../../../test/setup/scripted-provider.ts'
import { newId } from '../../protocol/ids.ts'

let test: TestRuntime
beforeAll(async () => {
  test = await startTestRuntime()
})
afterAll(() => test?.close())

it('a note that cannot be kept is refused in plain words, by both writers, and leaves what was there', async () => {
  const threadId = await test.createThread()
  await test.turn(threadId, callsOne('notes_write', { path: 'plan.md', text: 'kept' }))
  const plain = 'Name the file plainly, for example "plan.md" or "findings/api.md".'
  const badPaths: [string, string][] = [
    ['', 'The note path is empty.\nGive a file name, for example "plan.md".'],
    ['..', `The note path ".." has an empty, "." or ".." part.\n${plain}`],
    ['../plan.md', `The note path "../plan.md" has an empty, "." or ".." part.\n${plain}`],
    ['a/../plan.md', `The note path "a/../plan.md" has an empty, "." or ".." part.\n${plain}`],
    ['a//b', `The note path "a//b" has an empty, "." or ".." part.\n${plain}`],
    ['a\0b', 'The note path has a character that cannot be kept.\nUse plain letters and digits.'],
    [
      'n'.repeat(4_000),
      'The note path has 4000 characters; at most 500 are allowed.\nChoose a shorter name.',
    ],
  ]
  for (const tool of ['notes_write', 'notes_append']) {
    const answers = await test.turn(
      threadId,
      ...badPaths.map(([path]) => callsOne(tool, { path, text: 'lost?' })),
      callsOne(tool, { path: 'large.md', text: 'x'.repeat(1_000_001) }),
      callsOne(tool, { path: 'nul.md', text: 'a\0b' }),
    )
    expect(answers).toEqual([
      ...badPaths.map(([, words]) => words),
      'The note would have 1000001 bytes; at most 1000000 are allowed.\nKeep what matters, or split it into several files.',
      'The text has a NUL character, which a note cannot hold.\nLeave it out and write again.',
    ])
    const read = await test.turn(threadId, ...badPaths.map(([path]) => callsOne('notes_read', { path })))
    expect(read).toEqual(badPaths.map(([, words]) => words))
  }
  const { files, total } = await test.runtime.noteList(threadId, { prefix: '', limit: 10 })
  expect([total, files[0]?.path, files[0]?.version]).toEqual([1, 'plan.md', 1])
  expect((await test.runtime.noteRead(threadId, { path: 'plan.md' })).text).toBe('kept')
  // One byte less can be kept, and added to no more.
  const most = 'x'.repeat(1_000_000)
  const [kept, added] = await test.turn(
    threadId,
    callsOne('notes_write', { path: 'large.md', text: most }),
    callsOne('notes_append', { path: 'large.md', text: 'x' }),
  )
  expect(kept).toBe('large.md is saved as version 1 (1000000 bytes).')
  expect(added).toContain('The note would have 1000001 bytes')
})

it('the ten thousand and first file is refused, one that exists can still be written', async () => {
  const threadId = await test.createThread()
  await test.turn(threadId, callsOne('notes_write', { path: 'file 1', text: 'x' }))
  const client = new pg.Client({ connectionString: test.url })
  await client.connect()
  await client.query(
    `insert into "Note" ("rootThreadId", "agentPath", path, version, hash, bytes, "actorId", writer, "createdAt", at)
     select "rootThreadId", "agentPath", 'file ' || g, 1, hash, bytes, "actorId", writer, "createdAt", at
     from "Note", generate_series(2, 10000) g where "rootThreadId" = $1`,
    [threadId],
  )
  await client.end()
  const [more, other] = await test.turn(
    threadId,
    callsOne('notes_write', { path: 'one more', text: 'x' }),
    callsOne('notes_append', { path: 'file 77', text: 'y' }),
  )
  expect(more).toBe('There are 10000 notes already, which is the most.\nAdd to a file that exists.')
  expect(other).toBe('file 77 is saved as version 2 (2 bytes).')
  const person = await test.send(threadId, { type: 'note.write', path: 'one more', text: 'x' })
  expect(person).toMatchObject({ status: 'refused', error: { code: 'note_rejected' } })
})

it('a person and the agent who write at the same time are both kept, whoever comes last is told', async () => {
  const threadId = await test.createThread()
  await test.turn(threadId, callsOne('notes_write', { path: 'plan.md', text: 'first' }))
  test.play([callsOne('notes_write', { path: 'plan.md', text: 'by the agent' }), answers('Done.')])
  const edit = { type: 'note.write' as const, path: 'plan.md', text: 'by a person', baseVersion: 1 }
  const [receipt] = await Promise.all([test.send(threadId, edit), test.say(threadId, 'write')])
  const events = await test.until(threadId, (_, all) => all.filter(isTurnEnd).length === 2)
  const versions = await test.runtime.noteVersions(threadId, { path: 'plan.md' })
  expect(versions.map(({ version }) => version)).toEqual([3, 2, 1])
  const texts = await Promise.all(
    [2, 3].map(async (version) => (await test.runtime.noteRead(threadId, { path: 'plan.md', version })).text),
  )
  expect([...texts].sort()).toEqual(['by a person', 'by the agent'])
  // The one on top says that it lies on the other's; its writer was told.
  const last = events.findLast((event) => event.type === 'note.written')
  expect(last?.body).toMatchObject({ version: 3, overVersion: 2 })
  const written = events.findLast(
    (event) => event.type === 'item.completed' && event.body.item.type === 'tool_call',
  )
  const told = JSON.stringify(written?.body)
  if (last?.actorId === testUser)
    expect(receipt).toMatchObject({ status: 'applied', error: { code: 'conflict' } })
  else expect(told).toContain('Version 2 had been written meanwhile by a person')
})

it('an id of another thread, a changed one and one of nothing get the same answer', async () => {
  const threadId = await test.createThread()
  const other = await test.createThread()
  await test.turn(other, callsOne('notes_write', { path: 'a.md', text: 'The word is quetzal.' }))
  const events = await test.events(other)
  const itemId = events.find((event) => event.type === 'item.completed')?.itemId ?? ''
  const windowId = events.at(-1)?.windowId ?? ''
  const answers = await test.turn(
    threadId,
    callsOne('history_read_item', { item_id: itemId }),
    callsOne('history_read_item', { item_id: newId('itm') }),
    callsOne('history_read_item', { item_id: `${itemId}x` }),
    callsOne('history_read_item', { item_id: "itm_' or 1=1 --" }),
    callsOne('history_read_item', { item_id: itemId, window_id: windowId }),
  )
  const words = 'There is no such item in this thread.\nUse an id exactly as a list or a search gave it.'
  expect(answers).toEqual(answers.map(() => words))
  const lists = await test.turn(
    threadId,
    callsOne('history_list_items', { window_id: windowId }),
    callsOne('history_list_items', { window_id: newId('win') }),
    callsOne('history_search', { query: 'quetzal', window_id: windowId }),
    callsOne('history_search', { query: 'quetzal', window_id: newId('win') }),
  )
  expect(lists[0]).toBe(lists[1])
  expect(lists[2]).toBe(lists[3])
})

it('queries of one character, of a thousand, and full of metacharacters are only looked for', async () => {
  const threadId = await test.createThread()
  const odd = `100% _of_ 'it'; drop table "Note"; -- (.*)[a-z]+\\d{3} $1 ^x$ \\ 漢字`
  await test.turn(threadId, callsOne('notes_write', { path: 'odd.md', text: odd }))
  const queries = ['字', '%', "'", '\\', '.*', '(.*)[a-z]+', `'it'; drop table "Note"`, odd]
  for (const query of queries) {
    const [history, notes] = await test.turn(
      threadId,
      callsOne('history_search', { query, tool_name: 'notes_write' }),
      callsOne('notes_search', { query }),
    )
    expect(notes, query).toContain('odd.md')
    // The history has the call as JSON, in which quotes and backslashes are written otherwise.
    if (!/["\\]/.test(query)) expect(history, query).toContain('notes_write')
  }
  const [none, words, longest, tooLong, empty] = await test.turn(
    threadId,
    callsOne('history_search', { query: '.+x', tool_name: 'notes_write' }),
    callsOne('history_search', { query: `!&|<->:* ' "`, mode: 'words' }),
    callsOne('history_search', { query: 'q'.repeat(1_000) }),
    callsOne('history_search', { query: 'q'.repeat(1_001) }),
    callsOne('notes_search', { query: '' }),
  )
  expect(none).toContain('No match.')
  expect(words).toContain('No match.')
  expect(longest).toContain('No match.')
  expect(tooLong).toContain('query: Too big: expected string to have <=1000 characters')
  expect(empty).toContain('query: Too small')
  expect((await test.runtime.noteList(threadId, { prefix: '', limit: 10 })).total).toBe(1)
})
