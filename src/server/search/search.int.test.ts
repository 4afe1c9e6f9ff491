import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asked, called, type LoggedThread, loggedThread, said } from '../../../test/setup/logged-thread.ts'
import { openTestStore, type TestStore } from '../../../test/setup/store.ts'
import { createBehind } from '../../lib/behind.ts'
import { newId } from '../../protocol/ids.ts'
import type { Item } from '../../protocol/item.ts'
import { listItems, listWindows, readItem } from './history.ts'
import { createIndexer } from './indexer.ts'
import { type MayRead, type SearchRequest, search } from './search.ts'

let test: TestStore
beforeAll(async () => {
  test = await openTestStore()
})
afterAll(async () => {
  await test?.close()
})

const everybody: MayRead = async (ids) => new Set(ids)
const nobody: MayRead = async () => new Set()
const index = (thread: LoggedThread) => createIndexer(test.store).catchUp(thread.threadId, () => false)

const find = (thread: LoggedThread, text: string, more: Partial<SearchRequest> = {}) =>
  search(test.store, everybody, {
    text,
    mode: 'literal',
    limit: 20,
    order: 'newest',
    scope: { type: 'thread', threadId: thread.threadId },
    ...more,
  })
const snippets = async (...args: Parameters<typeof find>) =>
  (await find(...args)).entries.map(({ snippet }) => snippet)

describe('search', () => {
  it('finds what was written last, however far the index is behind, and says that it has not seen all', async () => {
    const thread = await loggedThread(test.store)
    const noise = Array.from({ length: 23_000 }, (_, at) => said(`line ${at}`))
    await thread.write(said('the oldest word: heron'), ...noise, said('the newest word: ibis'))
    const newest = await find(thread, 'newest word: ibis')
    expect(newest.entries).toHaveLength(1)
    expect(newest.incomplete).toEqual({ reason: 'indexing', threads: 1 })
    expect((await find(thread, 'oldest word: heron')).entries).toEqual([])
    await index(thread)
    const all = await find(thread, 'oldest word: heron')
    expect([all.entries.length, all.incomplete]).toEqual([1, null])
  })

  it('finds the same before, while and after it is indexed', async () => {
    const thread = await loggedThread(test.store)
    const look = async () => ({
      literal: await snippets(thread, 'port 84'),
      words: await snippets(thread, 'PORT server', { mode: 'words' }),
      phrase: await snippets(thread, '"the server"', { mode: 'words' }),
      oldest: await snippets(thread, 'port', { order: 'oldest', limit: 1 }),
    })
    await thread.write(asked('Start it.'), said('the server is at port 8431'), said('server, not the port'))
    const before = await look()
    expect(before).toEqual({
      literal: ['the server is at port 8431'],
      words: ['server, not the port', 'the server is at port 8431'],
      phrase: ['the server is at port 8431'],
      oldest: ['the server is at port 8431'],
    })
    await index(thread)
    expect(await look()).toEqual(before)
    await thread.write(said('now port 84, the server says'))
    expect(await snippets(thread, 'port 84')).toEqual([
      'now port 84, the server says',
      'the server is at port 8431',
    ])
    expect(await snippets(thread, 'port', { order: 'oldest' })).toEqual([
      'the server is at port 8431',
      'server, not the port',
      'now port 84, the server says',
    ])
  })

  it('is followed by the index without being asked, and the index goes with its thread', async () => {
    const thread = await loggedThread(test.store)
    const [written] = await thread.write(said('indexed by and by'))
    const indexer = createBehind({
      derivations: [createIndexer(test.store)],
      quietMs: 0,
      manyChanges: 1,
      onFailure: (_, error) => {
        throw error
      },
    })
    indexer.start()
    for (let mark = 0; mark < (written?.seq ?? 0); mark = await test.store.search.mark(thread.threadId))
      await new Promise((resolve) => setTimeout(resolve, 50))
    await indexer.stop()
    expect(await test.store.search.add(thread.threadId, 0, 99, [])).toBe(false)
    expect(await snippets(thread, 'indexed by')).toEqual(['indexed by and by'])
    await thread.remove()
    expect(await test.store.search.mark(thread.threadId)).toBe(0)
    expect(await snippets(thread, 'indexed by')).toEqual([])
  })

  it('pages with a cursor, across index and tail, nothing twice', async () => {
    const thread = await loggedThread(test.store)
    await thread.write(...Array.from({ length: 12 }, (_, n) => said(`needle ${n}`)))
    await index(thread)
    await thread.write(...Array.from({ length: 5 }, (_, n) => said(`needle ${n + 12}`)))
    for (const order of ['newest', 'oldest'] as const) {
      const seen: string[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await find(thread, 'needle', {
          limit: 4,
          order,
          ...(cursor === undefined ? {} : { cursor }),
        })
        seen.push(...page.entries.map(({ snippet }) => snippet))
        cursor = page.cursor
      }
      const all = Array.from({ length: 17 }, (_, n) => `needle ${n}`)
      expect(seen).toEqual(order === 'newest' ? all.reverse() : all)
    }
    await expect(find(thread, 'needle', { cursor: `1' or 1=1` })).rejects.toMatchObject({ code: 'bad_input' })
  })

  it('filters by role, tool, status and window', async () => {
    const thread = await loggedThread(test.store)
    await thread.write(asked('word'), said('word'), called('exec_command', { cmd: 'word' }, 'out'))
    const second = await thread.openWindow(1, 'budget')
    await thread.write(called('read_file', { path: 'word' }, 'out'))
    for (const indexed of [false, true]) {
      if (indexed) await index(thread)
      expect(await snippets(thread, 'word', { role: 'user' })).toEqual(['word'])
      expect(await snippets(thread, 'word', { tool: 'exec_command' })).toHaveLength(1)
      expect(await snippets(thread, 'word', { windowId: second })).toHaveLength(1)
      expect(await snippets(thread, 'word', { status: 'failed' })).toEqual([])
      expect(await snippets(thread, 'word', { agentPath: '/root/other' })).toEqual([])
    }
  })

  it('takes queries of any characters as what they are', async () => {
    const thread = await loggedThread(test.store)
    const odd = [
      `'; drop table "Event"; --`,
      '100%_\\',
      '(a+)+$',
      '[z-a]',
      '漢',
      `"open 'quotes`,
      '-',
      '\\',
      '!!',
    ]
    await thread.write(...odd.map(said), said('harmless'))
    for (const indexed of [false, true]) {
      if (indexed) await index(thread)
      for (const text of odd) {
        expect(await snippets(thread, text)).toContain(text)
        await find(thread, text, { mode: 'words' })
      }
      expect(await snippets(thread, 'x%s')).toEqual([])
      expect(await snippets(thread, '\u0000')).toEqual([])
    }
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, maxLength: 60, unit: 'binary' }), async (text) => {
        await find(thread, text)
        await find(thread, text, { mode: 'words' })
      }),
      { numRuns: 40 },
    )
    await find(thread, 'x'.repeat(1_000))
    await expect(find(thread, 'x'.repeat(1_001))).rejects.toMatchObject({ code: 'bad_input' })
    await expect(find(thread, '')).rejects.toMatchObject({ code: 'bad_input' })
  })

  it('looks for one or two characters in one thread only', async () => {
    const thread = await loggedThread(test.store)
    await thread.write(said('x: 7'))
    expect(await snippets(thread, '7')).toEqual(['x: 7'])
    const scope = { type: 'reader', userId: thread.ownerId } as const
    await expect(find(thread, '7', { scope })).rejects.toMatchObject({ code: 'bad_input' })
    expect(await snippets(thread, 'x: 7', { scope })).toEqual(['x: 7'])
    await index(thread)
    expect(await snippets(thread, 'x: 7', { scope })).toEqual(['x: 7'])
  })

  it('SEC-62 shows nothing that the reader may not see when it is read', async () => {
    const thread = await loggedThread(test.store)
    const item = said('a secret plan')
    await thread.write(item)
    await index(thread)
    const request: SearchRequest = {
      text: 'secret',
      mode: 'literal',
      limit: 5,
      order: 'newest',
      scope: { type: 'thread', threadId: thread.threadId },
    }
    expect((await search(test.store, nobody, request)).entries).toEqual([])
    const part = { itemId: item.id, offsetChars: 0, limitChars: 10 }
    await expect(readItem(test.store, nobody, thread.threadId, part)).rejects.toMatchObject({
      code: 'not_found',
    })
    await thread.remove()
    expect((await search(test.store, everybody, request)).entries).toEqual([])
  })

  it('SEC-62 follows a thread that is moved to another owner, or deleted', async () => {
    const thread = await loggedThread(test.store)
    await thread.write(said('quokka one'))
    await index(thread)
    await thread.write(said('quokka two'))
    const of = (ownerId: string) =>
      find(thread, 'quokka', { scope: { type: 'reader', userId: ownerId }, count: true, mode: 'words' })
    expect((await of(thread.ownerId)).entries).toHaveLength(2)
    const other = newId('usr')
    const client = new pg.Client({ connectionString: test.url })
    await client.connect()
    await client.query(`update "Thread" set "ownerId" = $2 where id = $1`, [thread.threadId, other])
    await client.end()
    expect(await of(thread.ownerId)).toMatchObject({
      entries: [],
      cursor: null,
      incomplete: null,
      count: { events: 0, more: false },
    })
    expect((await of(other)).entries).toHaveLength(2)
    const unseen = await search(test.store, nobody, {
      text: 'quokka',
      mode: 'words',
      limit: 1,
      order: 'newest',
      count: true,
      scope: { type: 'thread', threadId: thread.threadId },
    })
    // Neither a cursor nor a count tells that there is something.
    expect(unseen).toEqual({ entries: [], cursor: null, incomplete: null, count: { events: 0, more: false } })
    await thread.remove()
    expect((await of(other)).entries).toEqual([])
  })

  it('tells what a list shows: title, marked places, how many there are, the best first', async () => {
    const thread = await loggedThread(test.store)
    await thread.write(said('heron  and\nheron, HERON'), said('a heron <b>'), said('no bird'))
    for (const indexed of [false, true]) {
      if (indexed) await index(thread)
      const found = await find(thread, 'heron', { mode: 'words', count: true })
      expect(found).toMatchObject({ count: { events: 2, more: false }, incomplete: null, cursor: null })
      const [newest, oldest] = found.entries
      expect(newest).toMatchObject({ threadTitle: 'A thread', snippet: 'a heron <b>', turnId: null })
      expect(newest?.matches).toEqual([{ from: 2, to: 7 }])
      expect(oldest?.snippet).toBe('heron and heron, HERON')
      expect(oldest?.matches.map(({ from, to }) => oldest.snippet.slice(from, to))).toEqual([
        'heron',
        'heron',
        'HERON',
      ])
      const best = await find(thread, 'heron', { mode: 'words', order: 'best', limit: 1 })
      expect(best.entries.map(({ seq }) => seq)).toEqual([oldest?.seq])
      expect(best.cursor).toBeNull()
    }
  })

  it('finds in long threads what reading them one by one finds, in either order and scope', async () => {
    const thread = await loggedThread(test.store)
    const texts = Array.from({ length: 3_000 }, (_, n) =>
      [
        `line ${n}`,
        n % 2 ? 'odd' : 'even',
        n % 7 ? '' : 'seven up',
        n % 500 === 3 ? 'rare-bird 100%' : '',
      ].join(' '),
    )
    await thread.write(...texts.map(said))
    await index(thread)
    const queries: [Pick<SearchRequest, 'mode' | 'text'>, (text: string) => boolean][] = [
      [{ mode: 'literal', text: 'rare-bird 100%' }, (text) => text.includes('rare-bird')],
      [
        { mode: 'words', text: '"seven up" odd' },
        (text) => text.includes('seven up') && text.includes('odd'),
      ],
      [{ mode: 'words', text: '"up seven"' }, () => false],
      [{ mode: 'words', text: 'bird -even' }, (text) => text.includes('bird') && !text.includes('even')],
    ]
    for (const [query, fits] of queries)
      for (const order of ['newest', 'oldest'] as const)
        for (const scope of [
          { type: 'thread', threadId: thread.threadId },
          { type: 'reader', userId: thread.ownerId },
        ] as const) {
          const seen: number[] = []
          for (let cursor: string | null | undefined; cursor !== null; ) {
            const more = cursor === undefined ? {} : { cursor }
            const page = await find(thread, query.text, { ...query, order, scope, limit: 90, ...more })
            seen.push(...page.entries.map(({ seq }) => seq))
            cursor = page.cursor
          }
          const wanted = texts.flatMap((text, n) => (fits(text) ? [n + 2] : []))
          expect(seen).toEqual(order === 'newest' ? wanted.reverse() : wanted)
        }
  })

  it('finds the place in an output of megabytes, and reads on from there', async () => {
    const thread = await loggedThread(test.store)
    const line = 'all is well and nothing happens here\n'
    const output = `${line.repeat(30_000)}the needle: 8431\n${line.repeat(40_000)}`
    const full = await test.store.blobs.put(Buffer.from(output))
    await test.store.blobs.ref(thread.threadId, full)
    const item = called('exec_command', { cmd: 'long' }, 'cut', { full })
    await thread.write(item)
    for (const indexed of [false, true]) {
      if (indexed) await index(thread)
      const [hit] = (await find(thread, 'the needle')).entries
      const part = { itemId: item.id, offsetChars: hit?.offset ?? 0, limitChars: 16 }
      const read = await readItem(test.store, everybody, thread.threadId, part)
      expect(read.text).toBe('the needle: 8431')
      expect(read.totalChars).toBeNull()
    }
    const end = await readItem(test.store, everybody, thread.threadId, {
      itemId: item.id,
      offsetChars: -line.length,
      limitChars: 100,
    })
    expect(end).toMatchObject({ text: line, nextOffset: null, totalChars: 16 + output.length })
  })

  it('finds what a command printed after its call, and what lies across two documents', async () => {
    const thread = await loggedThread(test.store)
    const detail = { type: 'command' as const, commandId: '', command: 'serve', running: true, bytes: 0 }
    const item = called('exec_command', { cmd: 'serve' }, 'Still running', { detail })
    await thread.write(item)
    const text = `${'x'.repeat(15_990)}listening on \u001b[32m4711\u001b[0m\n`
    const outputBlob = await test.store.blobs.put(Buffer.from(text))
    await test.store.blobs.ref(thread.threadId, outputBlob)
    const body = { commandId: item.id.replace('itm', 'cmd'), itemId: item.id, bytes: text.length, outputBlob }
    await thread.write({
      type: 'command.exited',
      windowId: thread.windowId,
      itemId: item.id,
      actorId: 'system',
      body: { ...body, status: 'exited', exitCode: 0, signal: null },
    })
    for (const indexed of [false, true]) {
      if (indexed) await index(thread)
      const [hit] = (await find(thread, 'listening on 4711')).entries
      const part = { itemId: item.id, offsetChars: hit?.offset ?? 0, limitChars: 50 }
      expect((await readItem(test.store, everybody, thread.threadId, part)).text).toBe('listening on 4711\n')
    }
  })
})

describe('history', () => {
  it('lists windows and items, and reads an item of its own thread only', async () => {
    const thread = await loggedThread(test.store)
    const other = await loggedThread(test.store)
    const first: Item = asked('first')
    const long = said('😀'.repeat(400))
    await thread.write(first, called('exec_command', { cmd: 'ls' }, 'a.txt'), long)
    const second = await thread.openWindow(1, 'budget')
    await thread.write(said('second'))
    const windows = (recentFirst: boolean, cursor?: string) =>
      listWindows(test.store, everybody, thread.threadId, '/root', {
        limit: 1,
        recentFirst,
        ...(cursor === undefined ? {} : { cursor }),
      })
    expect(await windows(true)).toMatchObject({
      entries: [{ windowId: second, index: 1, reason: 'budget', items: 1, closedAt: null }],
      cursor: '1',
    })
    expect(await windows(true, '1')).toMatchObject({ entries: [{ index: 0, items: 3 }], cursor: null })

    const page = { limit: 2, recentFirst: true, maxChars: 100 }
    const newest = await listItems(test.store, everybody, thread.threadId, page)
    expect(newest.entries.map(({ text }) => text.slice(0, 6))).toEqual(['second', '😀😀😀'])
    expect(newest.entries[1]?.more).toBe(true)
    const rest = await listItems(test.store, everybody, thread.threadId, {
      ...page,
      cursor: newest.cursor ?? '',
    })
    expect(rest.entries.map(({ role, text }) => [role, text])).toEqual([
      ['tool', '{"cmd":"ls"}\na.txt'],
      ['user', 'first'],
    ])
    expect(rest.cursor).toBeNull()
    const calls = await listItems(test.store, everybody, thread.threadId, { ...page, tool: 'exec_command' })
    expect(calls.entries.map(({ tool }) => tool)).toEqual(['exec_command'])

    const read = (threadId: string, offsetChars = 0, limitChars = 5) =>
      readItem(test.store, everybody, threadId, { itemId: long.id, offsetChars, limitChars })
    // Five units would cut a pair in two.
    expect(await read(thread.threadId)).toMatchObject({ text: '😀😀', nextOffset: 4 })
    expect(await read(thread.threadId, 798)).toMatchObject({ text: '😀', nextOffset: null, totalChars: 800 })
    expect(await read(thread.threadId, 5_000)).toMatchObject({ text: '', nextOffset: null })
    const elsewhere = await read(other.threadId).catch((error: unknown) => error)
    const nowhere = await readItem(test.store, everybody, other.threadId, {
      itemId: 'itm_nothing',
      offsetChars: 0,
      limitChars: 5,
    }).catch((error: unknown) => error)
    expect(elsewhere).toEqual(nowhere)
    expect(elsewhere).toMatchObject({ code: 'not_found' })
  })
})
