import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { checkRules } from './rollout-rules.ts'
import {
  cutText,
  isMarkdownFit,
  isText,
  nestingOfJson,
  readJson,
  readJsonLines,
  sha256,
} from './rollout-text.ts'

it('cuts by lines and by characters, and never through a character', () => {
  expect(cutText('a\nb\nc', 2)).toEqual({ text: 'a\nb', lines: 3, chars: 5, more: true })
  expect(cutText('a\nb', 2)).toEqual({ text: 'a\nb', lines: 2, chars: 3, more: false })
  expect(cutText('', 2).more).toBe(false)
  expect(cutText('ab😀', 10, 3).text).toBe('ab')
  expect(cutText('x'.repeat(1_000_000)).text).toHaveLength(65_536)
  expect(cutText('l\n'.repeat(1_000)).text.split('\n')).toHaveLength(200)
})

it('keeps JSON that is too deep, too large or none at all out of the tree', () => {
  expect(readJson('{"a":[1]}')).toEqual({ value: { a: [1] } })
  expect(readJson('hello')).toEqual({ why: 'no_json' })
  expect(readJson('{"a":')).toEqual({ why: 'no_json' })
  expect(readJson(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)).toEqual({ why: 'too_deep' })
  expect(readJson(`["${'x'.repeat(4_000_001)}"]`)).toEqual({ why: 'too_large' })
  expect(nestingOfJson('{"a":"[[[[\\"[[","b":[{}]}')).toBe(3)
})

it('reads a stream of events and lines of JSON', () => {
  expect(readJsonLines('event: x\ndata: {"a":1}\n\ndata: [DONE]\n')).toEqual([{ a: 1 }])
  expect(readJsonLines('{"a":1}\n{"b":2}\n')).toHaveLength(2)
  expect(readJsonLines('{"a":1}\nwords')).toBeNull()
})

it('formats markdown only when it is neither long nor nested without end', () => {
  expect(isMarkdownFit('# Title\n\n- a\n  - b\n\n> quote')).toBe(true)
  expect(isMarkdownFit('x'.repeat(150_001))).toBe(false)
  expect(isMarkdownFit(`${'>'.repeat(5_000)} deep`)).toBe(false)
  expect(isMarkdownFit(`${'['.repeat(5_000)}deep`)).toBe(false)
  expect(isMarkdownFit(`${'*'.repeat(500)}deep`)).toBe(false)
})

it('tells text from bytes', () => {
  expect(isText('plain words')).toBe(true)
  expect(isText('\u0000\u0001')).toBe(false)
  expect(isText('\ufffd'.repeat(100))).toBe(false)
})

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

it('hashes the words of rules out of the block that was sent', async () => {
  expect(await sha256(new TextEncoder().encode('abc'))).toBe(hash('abc'))
  const own = 'Always answer briefly.\n\nIn English.'
  const project = '# Rules\n\nRun the tests.\n'
  const block = `# AGENTS.md instructions for /workspace\n\n<INSTRUCTIONS>\n${own}\n\n--- project-doc ---\n\n${project}\n</INSTRUCTIONS>`
  const files = [
    { path: '/home/agent/AGENTS.md', hash: hash(own) },
    { path: '/workspace/AGENTS.md', hash: hash(project) },
  ]
  expect((await checkRules(block, files)).map(({ status }) => status)).toEqual(['ok', 'ok'])
  const changed = block.replace('Run the tests', 'Skip the tests')
  expect((await checkRules(changed, files)).map(({ status }) => status)).toEqual(['ok', 'changed'])
  expect((await checkRules('no rules here', files))[0]?.status).toBe('unchecked')
})
