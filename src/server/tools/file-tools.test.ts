import { describe, expect, it } from 'vitest'
import { toolBench } from '../../../test/setup/tool-context.ts'
import { defaultThreadSettings } from '../../protocol/settings.ts'

const patch = (body: string): string => `*** Begin Patch\n${body}\n*** End Patch`

describe('apply_patch', () => {
  it('changes files and tells which', async () => {
    const { call, sandbox } = toolBench({ files: { 'a.txt': 'one\ntwo\n' } })
    const outcome = await call('apply_patch', { input: patch('*** Update File: a.txt\n@@\n-two\n+2') })
    expect(outcome).toMatchObject({
      status: 'succeeded',
      text: 'Success. Updated the following files:\nM a.txt\n',
      detail: { type: 'patch', files: [{ path: 'a.txt', change: 'modified', additions: 1, deletions: 1 }] },
    })
    expect(sandbox.read('a.txt')).toBe('one\n2\n')
  })

  it('takes the patch itself where JSON belongs', async () => {
    const { call, sandbox } = toolBench()
    await call('apply_patch', patch('*** Add File: n\n+x'))
    expect(sandbox.read('n')).toBe('x\n')
  })

  it.each([
    ['a patch that does not fit', '*** Update File: a.txt\n@@\n-three\n+3', 'failed', 'patch_rejected'],
    ['a patch that is none', 'no header', 'refused', 'patch_rejected'],
    ['an empty patch', '', 'refused', 'patch_rejected'],
    ['a path above the workspace', '*** Add File: ../x\n+y', 'refused', 'tool_refused'],
    ['an absolute path elsewhere', '*** Delete File: /etc/passwd', 'refused', 'tool_refused'],
    [
      'a move to elsewhere',
      '*** Update File: a.txt\n*** Move to: /tmp/b\n@@\n-one\n+1',
      'refused',
      'tool_refused',
    ],
  ])('says why it does not do %s', async (_name, body, status, code) => {
    const { call, sandbox } = toolBench({ files: { 'a.txt': 'one\n' } })
    expect(await call('apply_patch', { input: patch(body) })).toMatchObject({ status, error: { code } })
    expect([...sandbox.files.keys()]).toEqual(['/workspace/a.txt'])
    expect(sandbox.read('a.txt')).toBe('one\n')
  })

  it('says what a patch that failed half-way has changed', async () => {
    const { call } = toolBench()
    const outcome = await call('apply_patch', { input: patch('*** Add File: n\n+x\n*** Delete File: gone') })
    expect(outcome.status).toBe('failed')
    expect(outcome.text).toContain('Already changed before that: n')
  })

  it('changes nothing in a thread that is read-only', async () => {
    const settings = { ...defaultThreadSettings, permission: 'read-only' } as const
    const { call, sandbox } = toolBench({ context: { settings } })
    expect(await call('apply_patch', { input: patch('*** Add File: n\n+x') })).toMatchObject({
      status: 'refused',
    })
    expect(sandbox.files.size).toBe(0)
  })
})

describe('read_file', () => {
  it('numbers lines and says how to go on', async () => {
    const { call } = toolBench({ files: { 'a.txt': 'one\r\ntwo\nthree\n' } })
    expect((await call('read_file', { path: 'a.txt' })).text).toBe('    1\tone\n    2\ttwo\n    3\tthree')
    const part = await call('read_file', { path: '/workspace/a.txt', offset: 2, limit: 1 })
    expect(part.text).toBe('    2\ttwo\n[The file goes on; read from line 3 with offset: 3.]')
    expect(part.detail).toEqual({ type: 'read', path: 'a.txt', lines: 1 })
    expect((await call('read_file', { path: 'a.txt', offset: 9 })).text).toBe('a.txt has fewer than 9 lines.')
  })

  it('reads a large file in pieces, characters whole', async () => {
    const line = `${'é'.repeat(99)}\n`
    const { call } = toolBench({ files: { big: line.repeat(20_000) } })
    const { text } = await call('read_file', { path: 'big', offset: 19_999, limit: 5 })
    expect(text).toBe(`19999\t${'é'.repeat(99)}\n20000\t${'é'.repeat(99)}`)
  })

  it.each([
    ['nothing', 'gone', 'failed', 'does not exist'],
    ['a folder', 'sub', 'refused', 'is a folder'],
    ['a binary file', 'bin', 'succeeded', 'binary file of 3 bytes'],
    ['an empty file', 'empty', 'succeeded', 'empty is empty'],
    ['a long line', 'long', 'succeeded', '[… 1000 more characters in this line …]'],
  ])('says what is there: %s', async (_name, path, status, words) => {
    const { call } = toolBench({ files: { 'sub/x': '', bin: 'a\0b', empty: '', long: 'x'.repeat(3_000) } })
    const outcome = await call('read_file', { path })
    expect(outcome.status).toBe(status)
    expect(outcome.text).toContain(words)
  })
})

describe('list_dir', () => {
  it('shows folders, files and their sizes', async () => {
    const { call } = toolBench({ files: { 'b.txt': 'xy', 'a/c/d.txt': '', 'a/e': 'z' } })
    expect((await call('list_dir', {})).text).toBe('.:\na/\na/c/\na/e  1\nb.txt  2')
    expect((await call('list_dir', { path: 'a', depth: 1 })).text).toBe('a:\nc/\ne  1')
    expect((await call('list_dir', { limit: 1 })).text).toContain('more than 1 entries')
    expect(await call('list_dir', { path: 'gone' })).toMatchObject({
      status: 'failed',
      error: { code: 'not_found' },
    })
  })
})

describe('search_files', () => {
  it('groups matches by file', async () => {
    const { call } = toolBench({ files: { 'a.ts': 'foo(1)\nbar\nfoo(2)\n', 'b/c.ts': 'foo(3)\n' } })
    const outcome = await call('search_files', { pattern: 'foo(', literal: true })
    expect(outcome.text).toBe('a.ts:\n1:foo(1)\n3:foo(2)\n\nb/c.ts:\n1:foo(3)')
    expect(outcome.detail).toEqual({ type: 'search', query: 'foo(', path: '.', matches: 3 })
    expect((await call('search_files', { pattern: 'nothing' })).text).toBe('No match.')
    expect((await call('search_files', { pattern: 'foo', limit: 1 })).text).toContain('more than 1 matches')
  })
})

describe('update_plan', () => {
  it('tells the plan', async () => {
    const { call, told } = toolBench()
    await call('update_plan', { plan: [{ step: 'look', status: 'in_progress' }], explanation: 'why' })
    expect(told).toEqual([
      { what: 'plan', entries: [{ text: 'look', status: 'in_progress' }], explanation: 'why' },
    ])
  })
})

describe('request_user_input', () => {
  const questions = [
    { id: 'db', question: 'Which?', options: [{ label: 'A' }, { label: 'B', description: 'b' }] },
  ]

  it('asks before it runs and gives the answers by id', async () => {
    const asked: unknown[] = []
    const { call } = toolBench({
      context: {
        ask: async (given) => {
          asked.push(given)
          return { db: ['B', 'with words'] }
        },
      },
    })
    const outcome = await call('request_user_input', { questions })
    expect(asked).toEqual([[{ id: 'db', text: 'Which?', options: questions[0]?.options }]])
    expect(JSON.parse(outcome.text)).toEqual({
      answers: [{ id: 'db', question: 'Which?', answers: ['B', 'with words'] }],
    })
  })

  it('goes on when the question is withdrawn', async () => {
    expect((await toolBench().call('request_user_input', { questions })).text).toContain('withdrawn')
  })
})
