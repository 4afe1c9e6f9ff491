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
