import { expect, it } from 'vitest'
import { wirePreview } from './wire-preview.ts'

const preview = (stored: string): string => wirePreview(Buffer.from(stored))

it('names a tool before what it says of itself, and leaves other blocks their words', () => {
  expect(
    preview(
      'tool tools\n{"type":"function","name":"read_file","description":"Reads a file.","parameters":{}}',
    ),
  ).toBe('read_file · Reads a file.')
  expect(preview('item user\n{"role":"user","name":"x","content":"Mend\\nthe test"}')).toBe('Mend the test')
  expect(preview('instructions system\n"Be brief."')).toBe('Be brief.')
})

it('names the tool of a call on every wire, and takes no call for one that a text tells of', () => {
  const shown = (value: unknown): string => wirePreview(Buffer.from(`call\n${JSON.stringify(value)}`))
  const [name, text] = ['exec_command', '{"cmd":"ls"}']
  expect(shown({ type: 'function_call', call_id: 'c', name, arguments: text })).toBe(`${name} · ${text}`)
  expect(shown({ tool_calls: [{ id: 'c', function: { name, arguments: text } }] })).toBe(`${name} · ${text}`)
  expect(shown({ type: 'tool_use', id: 'c', name, input: { cmd: 'ls' } })).toContain(`${name} · {"cmd":"ls"}`)
  expect(shown({ role: 'user', name: 'ada', content: 'say {"type":"tool_use"}' })).toBe(
    'say {"type":"tool_use"}',
  )
})
