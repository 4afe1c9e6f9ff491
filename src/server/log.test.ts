import { expect, test } from 'vitest'
import { createLog } from './log.ts'

test('SEC-32 keys, tokens and passwords never reach a line', () => {
  const lines: string[] = []
  const log = createLog('debug', (line) => lines.push(line))
  log.info('called with sk-abcdefghijklmnop', {
    apiKey: 'plain-value-1',
    nested: { authorization: 'plain-value-2', text: 'Bearer abcdefghijklmnop' },
    url: 'postgresql://user:plain-value-3@localhost/x',
    error: new Error('refused for sk-ant-abcdefghijklmnop', { cause: { cookie: 'plain-value-4' } }),
  })
  const line = lines.join('')
  expect(line).not.toMatch(/plain-value|abcdefghijklmnop/)
  expect(JSON.parse(line)).toMatchObject({ level: 'info', message: 'called with [masked]' })
})

test('a value that cannot be written loses only itself', () => {
  const lines: string[] = []
  const hostile = {
    get broken(): string {
      throw new Error('no')
    },
  }
  createLog('info', (line) => lines.push(line)).warn('hello', { hostile })
  expect(lines).toHaveLength(1)
})

test('levels below the threshold are silent', () => {
  const lines: string[] = []
  const log = createLog('warn', (line) => lines.push(line)).with({ room: 'runtime' })
  log.info('no')
  log.error('yes')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ message: 'yes', room: 'runtime' }])
})
