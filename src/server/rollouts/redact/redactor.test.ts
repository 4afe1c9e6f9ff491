import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lintSource } from '@secretlint/core'
import { creator } from '@secretlint/secretlint-rule-preset-recommend'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Canary, canaries } from './canaries.ts'
import { secretFormats } from './formats.ts'
import { createKnown } from './known.ts'
import { createRedactor } from './redactor.ts'

const redact = (text: string): string => createRedactor('secrets').text(text)

/** Whether any 14 characters in a row of the secret are left, in the open or under base64 from any place. */
const isLeft = (text: string, secret: string): boolean => {
  const parts = secret.split('\n').filter((line) => !line.startsWith('-----'))
  const readings = [text]
  for (const [run] of text.matchAll(/[A-Za-z0-9+/]{16,}/g))
    for (const shift of [0, 1, 2, 3])
      readings.push(Buffer.from(run.slice(shift), 'base64').toString('latin1'))
  return parts.some((part) => {
    const size = Math.min(14, part.length)
    for (let at = 0; at + size <= part.length; at += 1)
      if (readings.some((reading) => reading.includes(part.slice(at, at + size)))) return true
    return false
  })
}

const everyByte = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('')
const everyUnit = (text: string): string =>
  [...text].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')

const disguises: [string, (text: string) => string][] = [
  ['in the open', (text) => text],
  ['at the end of a word of a shell', (text) => `export X="${text}"\n`],
  ['in JSON', (text) => JSON.stringify({ a: [{ b: `x\n${text}\ny` }] })],
  ['in JSON within JSON', (text) => JSON.stringify({ arguments: JSON.stringify({ cmd: `a "b"\n${text}` }) })],
  ['with its characters escaped', (text) => `"${everyUnit(text)}"`],
  ['for addresses', (text) => `x=${encodeURIComponent(text)}&y`],
  ['for addresses, every byte', (text) => `x=${everyByte(text)}&y`],
  ['in base64', (text) => `x ${Buffer.from(text).toString('base64')} y`],
  ['in base64, from the second byte', (text) => Buffer.from(` ${text} and more`).toString('base64')],
  ['in base64, from the third byte', (text) => Buffer.from(`a ${text} and more`).toString('base64')],
  ['in base64 that follows letters', (text) => `key/${Buffer.from(` ${text}`).toString('base64')}`],
  ['in base64 for addresses', (text) => Buffer.from(text).toString('base64url')],
  [
    'in base64 with lines',
    (text) =>
      Buffer.from(`${'some words before it. '.repeat(4)}${text}`)
        .toString('base64')
        .replace(/(.{76})/g, '$1\n'),
  ],
]

describe('redactor', () => {
  const all = canaries()

  it('knows more than forty formats', () => {
    expect(new Set(all.map(({ kind }) => kind)).size).toBeGreaterThan(60)
  })

  it('has a name for every kind that people read', () => {
    const path = join(import.meta.dirname, '../../../../messages/en.json')
    const { kinds } = (JSON.parse(readFileSync(path, 'utf8')) as { export: { kinds: object } }).export
    const found = [...all, ...secretFormats, { kind: 'email' }, { kind: 'home-name' }].map(({ kind }) => kind)
    expect([...new Set(found)].filter((kind) => !Object.hasOwn(kinds, kind))).toEqual([])
  })

  it.each(disguises)('cuts every format %s', (_name, disguise) => {
    const failed = all.filter(({ text, secret }) => {
      const cut = redact(disguise(text))
      return isLeft(cut, secret) || !cut.includes('[redacted:')
    })
    expect(failed.map(({ name }) => name)).toEqual([])
  })

  it('names the kind, keeps what stands around, and finds nothing in what it wrote', () => {
    for (const { kind, text, secret, name } of all) {
      const cut = redact(`before ${text} after`)
      expect(cut, name).toBe(`before ${text.replace(secret, `[redacted:${kind}]`)} after`)
      expect(redact(cut), name).toBe(cut)
    }
  })

  it('finds whatever another scanner finds', async () => {
    const config = { rules: [{ id: 'preset', rule: creator, options: {} }] }
    const found: Canary[] = []
    for (const canary of all) {
      const source = { content: canary.text, filePath: 'a.txt', ext: '.txt', contentType: 'text' as const }
      const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } })
      if (messages.length > 0) found.push(canary)
    }
    expect(found.length).toBeGreaterThan(20)
    for (const { text, secret, name } of found) expect(isLeft(redact(text), secret), name).toBe(false)
  })

  it('leaves what only looks like it', () => {
    const harmless = [
      'const token = getToken(); password = process.env.DB_PASSWORD; secret: config.secret',
      'PASSWORD=<your password> API_KEY=$API_KEY TOKEN=xxxxxxxxxxxx api_key: "YOUR_API_KEY_1"',
      'max_tokens: 128000, tokens=48120, tokenizer = "cl100k_base", nextToken: null',
      'https://example.com/a:b@c https://github.com/acme/api git@github.com:acme/api.git',
      'task-force-of-the-risk-assessment sk-learn skeleton, src/components/thread/items/agent-message.tsx',
      'sha512-vW4vZ5yqz3n8gJmOQyP1zJgqKxXK2kzQnXQm3mRzYkq0yJ4m1bC9sO0e6m0cB3zQ8fJw2g7l5n1p9r3t5v7x9z==',
      'commit 3af9c26c1d0f4f8e9b7a6d5c4b3a29181706f5e4 thr_0198a5b2-6c1d-7e3f-8a4b-5c6d7e8f9a0b',
      'The bearer of this letter, bearer token authentication, basic authorization',
    ]
    for (const text of harmless) expect(redact(text)).toBe(text)
  })

  it('keeps JSON valid and its shape, and cuts names and marked fields', () => {
    const [first] = all
    const secret = first?.secret ?? ''
    const value = {
      env: { API_KEY: 'q7w8e9r0t1y2u3', password: 'tr0ub4dor&3', PORT: '8080' },
      [secret]: 1,
      text: `${secret}\n"quoted"`,
      list: [secret, null, 3, true],
      plain: { a: 'nothing' },
    }
    const cut = createRedactor('secrets').json(value)
    expect(cut).toEqual({
      env: { API_KEY: '[redacted:assigned-secret]', password: '[redacted:assigned-secret]', PORT: '8080' },
      '[redacted:openai-key]': 1,
      text: '[redacted:openai-key]\n"quoted"',
      list: ['[redacted:openai-key]', null, 3, true],
      plain: { a: 'nothing' },
    })
    expect(cut.plain).toBe(value.plain)
    const text = JSON.stringify({ cmd: `echo ${secret}`, inner: JSON.stringify({ key: secret }) })
    expect(() => JSON.parse(redact(text))).not.toThrow()
  })

  it('cuts what another text showed whole, where it was cut in two', () => {
    const known = createKnown()
    createRedactor('secrets', known).text(all.map(({ text }) => text).join('\n'))
    const later = createRedactor('secrets', known)
    for (const { kind, name, secret } of all) {
      if (secret.length < 36 || kind === 'private-key' || /^(?:assigned|pass)/.test(kind)) continue
      for (const at of [18, Math.floor(secret.length / 2), secret.length - 18]) {
        const parts = [`out: ${secret.slice(0, at)}`, `${secret.slice(at)} done`]
        const cut = parts.map((part) => later.text(part))
        expect(cut.join(' | '), `${name} at ${at}`).toMatch(/\[redacted:.*\|.*\[redacted:/)
        expect(isLeft(cut.join(' '), secret), `${name} at ${at}`).toBe(false)
      }
      const shortened = later.text(`${secret.slice(0, 20)} [… 40 characters …] ${secret.slice(-20)}`)
      expect(isLeft(shortened, secret), name).toBe(false)
    }
  })

  it('cuts secrets that a stream tells in pieces', () => {
    const chunks = (text: string, size: number): string[] =>
      text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? []
    fc.assert(
      fc.property(fc.constantFrom(...all), fc.integer({ min: 1, max: 30 }), ({ text, secret }, size) => {
        const stream = chunks(`I use ${text} now`, size)
          .map((delta) => `event: d\ndata: ${JSON.stringify({ type: 'delta', item_id: 'm', delta })}\n`)
          .join('\n')
        const cut = createRedactor('secrets').lines(stream)
        const said = [...cut.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json ?? '').delta)
        expect(isLeft(said.join(''), secret)).toBe(false)
        expect(said.join('')).toContain('I use ')
        expect(said.join('')).toContain(' now')
      }),
      { numRuns: 100 },
    )
  })

  it('says at a glance whether many values hold anything', () => {
    const redactor = createRedactor('secrets')
    const plain = [{ a: 'nothing', list: ['here', 3, null] }, 'words and more words']
    expect(redactor.holds(plain)).toBe(false)
    for (const [name, disguise] of disguises)
      for (const { text, name: format } of all)
        expect(redactor.holds([...plain, { deep: [disguise(text)] }]), `${format} ${name}`).toBe(true)
    expect(redactor.holds([{ password: 'tr0ub4dor&3' }])).toBe(true)
    expect(redactor.holds([{ [all[0]?.secret ?? '']: 1 }])).toBe(true)
    expect(redactor.known.size()).toBe(0)
  })

  it('cuts people when it is asked to', () => {
    const text =
      'jane.doe@acme.io in /home/jane/x, /Users/jane/y, C:\\Users\\jane, /home/agent, git@github.com'
    expect(redact(text)).toBe(text)
    expect(createRedactor('personal').text(text)).toBe(
      '[redacted:email] in /home/[redacted:home-name]/x, /Users/[redacted:home-name]/y, ' +
        'C:\\Users\\[redacted:home-name], /home/agent, git@github.com',
    )
  })
})
