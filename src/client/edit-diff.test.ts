import { expect, it } from 'vitest'
import { filesOfCall } from './edit-diff.ts'

const call = (tool: string, values: object) => filesOfCall(tool, JSON.stringify(values))

it('shows an old and a new text as a difference', () => {
  const [file] = call('Edit', {
    file_path: '/src/a.ts',
    old_string: 'one\ntwo\nthree',
    new_string: 'one\n2\nthree',
  })
  expect(file?.path).toBe('/src/a.ts')
  expect([file?.additions, file?.deletions]).toEqual([1, 1])
  expect(file?.diff).toContain('@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n')
})

it('knows other names, many edits in one call, insertions and whole files', () => {
  expect(call('edit', { path: 'a', oldText: 'x', newText: 'y' })[0]?.additions).toBe(1)
  expect(
    call('str_replace_editor', { command: 'str_replace', path: 'a', old_str: 'x', new_str: '' })[0]
      ?.deletions,
  ).toBe(1)
  expect(
    call('str_replace_editor', { command: 'insert', path: 'a', insert_line: 3, new_str: 'x\ny' })[0],
  ).toMatchObject({ additions: 2, deletions: 0 })
  const edits = [
    { old_string: 'a', new_string: 'b' },
    { old_string: 'c', new_string: 'd' },
  ]
  const many = call('MultiEdit', { file_path: 'm', edits })
  expect(many[0]).toMatchObject({ additions: 2, deletions: 2 })
  expect(many[0]?.diff.match(/^@@/gm)).toHaveLength(2)
  const whole = call('Write', { file_path: 'w', content: 'a\nb\n' })
  expect(whole[0]).toMatchObject({ additions: 2, deletions: 0 })
  expect(whole[0]?.diff).toContain('--- /dev/null')
  expect(call('str_replace_editor', { command: 'create', path: 'n', file_text: 'x' })[0]?.additions).toBe(1)
})

it('sees no writing in calls that only read, and in what is no JSON', () => {
  expect(call('Read', { file_path: 'a', content: 'x' })).toEqual([])
  expect(call('str_replace_editor', { command: 'view', path: 'a', new_str: 'x' })).toEqual([])
  expect(call('Grep', { path: 'a', search: 'x' })).toEqual([])
  expect(call('Edit', { old_string: 'a', new_string: 'b' })).toEqual([])
  expect(filesOfCall('Edit', '{"file_path":"a","old_st')).toEqual([])
  expect(filesOfCall('Edit', '[1]')).toEqual([])
})

it('still takes patches, and gives up comparing what is too different', () => {
  expect(filesOfCall('apply_patch', '*** Begin Patch\n*** Add File: x\n+on')[0]?.path).toBe('x')
  const side = (word: string): string => Array.from({ length: 3_000 }, (_, n) => `${word} ${n}`).join('\n')
  expect(call('Edit', { file_path: 'l', old_string: side('a'), new_string: side('b') })[0]).toMatchObject({
    additions: 3_000,
    deletions: 3_000,
  })
  expect(
    call('Edit', { file_path: 'a\n+++ b/evil', old_string: 'a', new_string: 'b' })[0]?.diff,
  ).not.toContain('\n+++ b/evil')
})
