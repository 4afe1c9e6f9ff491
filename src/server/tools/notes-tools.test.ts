import { describe, expect, it } from 'vitest'
import { memoryNotes } from '../../../test/setup/notes.ts'
import { toolBench } from '../../../test/setup/tool-context.ts'
import { Fault } from '../../protocol/error.ts'
import { newId } from '../../protocol/ids.ts'
import { parseNotePath, parseNotePrefix } from '../../protocol/note.ts'
import type { HistoryPort } from './types.ts'

const refusedPaths: [string, RegExp][] = [
  ['', /empty/],
  ['..', /part/],
  ['a/../b.md', /part/],
  ['./a.md', /part/],
  ['a//b.md', /part/],
  ['a/', /part/],
  ['/etc/passwd', /names no file/],
  ['/root/notes/', /part/],
  ['a\0b', /cannot be kept/],
  ['x'.repeat(501), /501 characters/],
  ['x'.repeat(4_000), /4000 characters/],
]

describe('note paths', () => {
  it.each(refusedPaths)('refuses %j', (path, words) => {
    expect(() => parseNotePath(path, '/root')).toThrow(words)
    expect(() => parseNotePath(path, '/root')).toThrow(Fault)
  })

  it('reads own paths and those of others', () => {
    expect(parseNotePath('~/a b.md', '/root')).toEqual({ agentPath: '/root', path: '~/a b.md' })
    expect(parseNotePath('/root/notes/a/notes/b', '/root')).toEqual({ agentPath: '/root', path: 'a/notes/b' })
    expect(parseNotePath('/root/worker/notes/x', '/root')).toEqual({ agentPath: '/root/worker', path: 'x' })
    expect(parseNotePrefix('/root/worker/notes', '/root')).toEqual({ agentPath: '/root/worker', prefix: '' })
    expect(parseNotePrefix('a/', '/root')).toEqual({ agentPath: '/root', prefix: 'a/' })
    expect(() => parseNotePrefix('/elsewhere', '/root')).toThrow(/names no agent/)
  })
})

describe('notes tools', () => {
  it('write, append, read by lines, list and search', async () => {
    const bench = toolBench()
    const written = await bench.call('notes_write', { path: 'plan.md', text: 'one\ntwo\nthree\n' })
    expect(written).toMatchObject({
      text: 'plan.md is saved as version 1 (14 bytes).',
      detail: { type: 'note', path: 'plan.md', version: 1, bytes: 14 },
    })
    await bench.call('notes_append', { path: 'plan.md', text: 'four\n' })
    const lines = async (more: object) =>
      (await bench.call('notes_read', { path: 'plan.md', ...more })).text.split('\n').slice(1)
    expect(await lines({})).toEqual(['one', 'two', 'three', 'four'])
    expect(await lines({ start_line: -2 })).toEqual(['three', 'four'])
    expect(await lines({ start_line: 2, stop_line: -2 })).toEqual(['two', 'three'])
    expect(await lines({ start_line: 9 })).toEqual(['[There are no such lines.]'])
    expect(await lines({ version: 1, start_line: -1 })).toEqual(['three'])
    expect((await bench.call('notes_list', {})).text).toContain('plan.md · version 2')
    expect((await bench.call('notes_search', { query: 'thr' })).text).toBe('plan.md:\n3:three')
    expect((await bench.call('notes_search', { query: 'Thr' })).text).toBe('No match.')
  })

  it('refuse in words that the model can act on, and remember it', async () => {
    const notes = memoryNotes()
    const bench = toolBench({ context: { notes } })
    const call = await bench.call('notes_write', { path: '../x', text: '' })
    expect(call).toMatchObject({ status: 'failed', error: { code: 'note_rejected' } })
    expect(call.text).toContain('plan.md')
    expect(await notes.lastFailure()).toMatchObject({ code: 'note_rejected' })
    const large = await bench.call('notes_write', { path: 'x', text: 'x'.repeat(1_000_001) })
    expect(large).toMatchObject({ status: 'failed', error: { code: 'note_rejected' } })
    expect((await bench.call('notes_read', { path: 'x' })).error?.code).toBe('not_found')
    await bench.call('notes_write', { path: 'x', text: '' })
    expect(await notes.lastFailure()).toBeNull()
    expect((await bench.call('notes_read', { path: 'x' })).text).toContain('[It is empty.]')
  })

  it('give a long note in parts', async () => {
    const bench = toolBench()
    const text = Array.from({ length: 9_000 }, (_, index) => `line ${index + 1}`).join('\n')
    await bench.call('notes_write', { path: 'long.md', text })
    const seen: string[] = []
    for (let start: number | undefined = 1; start !== undefined; ) {
      const { text: part } = await bench.call('notes_read', { path: 'long.md', start_line: start })
      expect(Buffer.byteLength(part)).toBeLessThan(41_000)
      seen.push(...part.split('\n').filter((line) => line.startsWith('line ')))
      const next = /read from start_line (\d+)/.exec(part)?.[1]
      start = next === undefined ? undefined : Number(next)
    }
    expect(seen.join('\n')).toBe(text)
    await bench.call('notes_write', { path: 'wide.md', text: '漢'.repeat(20_000) })
    expect((await bench.call('notes_read', { path: 'wide.md' })).text).toContain('This line is longer')
  })

  it('tell of what was written meanwhile', async () => {
    const notes = memoryNotes()
    const bench = toolBench({ context: { notes } })
    const write = notes.write
    notes.write = async (...args) => ({
      ...(await write(...args)),
      over: { version: 4, actorId: newId('usr'), at: 1 },
    })
    const { text } = await bench.call('notes_write', { path: 'plan.md', text: 'mine' })
    expect(text).toContain('Version 4 had been written meanwhile by a person')
  })
})

describe('history tools', () => {
  const entry = {
    threadId: newId('thr'),
    itemId: 'itm_1',
    seq: 7,
    windowId: 'win_1',
    agentPath: '/root',
    at: 0,
    actorId: 'agent' as const,
    role: 'tool' as const,
    kind: 'tool_call' as const,
    tool: 'exec_command',
    status: 'failed',
  }

  it('hand the filter over and show ids, places and how to go on', async () => {
    const given: unknown[] = []
    const history: HistoryPort = {
      windows: async (query) => {
        given.push(query)
        const window = { windowId: 'win_1', index: 0, agentPath: '/root', reason: 'first_turn' as const }
        return { entries: [{ ...window, openedAt: 0, closedAt: null, items: 3 }], cursor: null }
      },
      items: async (query) => {
        given.push(query)
        return { entries: [{ ...entry, text: 'ls', more: true }], cursor: '7' }
      },
      read: async (part) => {
        given.push(part)
        return { ...entry, text: 'abc', offset: 5, nextOffset: 8, totalChars: null }
      },
      search: async (query) => {
        given.push(query)
        const hit = {
          ...entry,
          threadTitle: 'A',
          turnId: null,
          stepId: null,
          snippet: '…port 8431',
          offset: 40,
        }
        const gap = query.best ? ({ reason: 'indexing', threads: 1 } as const) : null
        return { entries: [{ ...hit, matches: [] }], cursor: null, count: null, incomplete: gap }
      },
    }
    const bench = toolBench({ context: { history } })
    expect((await bench.call('history_list_windows', {})).text).toBe(
      'win_1 · window 1 (this one) · opened 1970-01-01T00:00:00Z because: first_turn · 3 items',
    )
    const items = await bench.call('history_list_items', { role: 'tool', tool_name: null, limit: 5 })
    expect(items.text).toBe(
      '[itm_1] in win_1 · 1970-01-01T00:00:00Z · tool exec_command (failed)\nls\n[more: history_read_item]\n\n[There is more: call again with cursor "7".]',
    )
    const read = await bench.call('history_read_item', { item_id: 'itm_1', offset_chars: 5 })
    expect(read.text).toContain('characters 5 to 8\nabc\n[It goes on; read from offset_chars 8.]')
    const found = await bench.call('history_search', { query: 'port', window_id: 'win_1' })
    expect(found.text).toContain('match at offset_chars 40\n…port 8431')
    expect(given).toEqual([
      { limit: 20, recentFirst: true },
      { limit: 5, recentFirst: true, role: 'tool', maxChars: 400 },
      { itemId: 'itm_1', offsetChars: 5, limitChars: 8_000 },
      { limit: 10, recentFirst: true, windowId: 'win_1', query: 'port', mode: 'literal' },
    ])
    const long = await bench.call('history_search', { query: 'x'.repeat(1_001) })
    expect(long).toMatchObject({ status: 'refused', error: { code: 'tool_bad_arguments' } })
  })

  it('say plainly that something is not there', async () => {
    const bench = toolBench()
    expect(await bench.call('history_read_item', { item_id: 'itm_2' })).toMatchObject({
      status: 'failed',
      error: { code: 'not_found' },
    })
    expect((await bench.call('history_search', { query: 'x' })).text).toContain('No match.')
  })
})
