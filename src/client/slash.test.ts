import { describe, expect, test } from 'vitest'
import { parseSlash, type SlashCommand, suggest } from './slash.ts'

const commands: SlashCommand[] = [
  { name: 'new-window', takes: 'line' },
  { name: 'strategy', takes: ['windows', 'layers'] },
  { name: 'stop', takes: 'nothing' },
]
const lines = (text: string) => suggest(text, commands).map(({ line }) => line)

describe('lines that begin with a command', () => {
  test.each([
    ['/new-window', { name: 'new-window', rest: '' }],
    ['/new-window  the port\nis 4711 ', { name: 'new-window', rest: 'the port\nis 4711' }],
    ['/etc/hosts is broken', null],
    [' /stop', null],
    ['/', null],
    ['/-x', null],
    ['what is /stop', null],
  ])('%j', (text, expected) => expect(parseSlash(text)).toEqual(expected))
})

describe('what fits', () => {
  test('commands by their beginning, then their words', () => {
    expect(lines('/')).toEqual(['/new-window ', '/strategy ', '/stop'])
    expect(lines('/st')).toEqual(['/strategy ', '/stop'])
    expect(lines('/strategy ')).toEqual(['/strategy windows', '/strategy layers'])
    expect(lines('/strategy l')).toEqual(['/strategy layers'])
  })

  test('nothing in what is no command or already has its words', () => {
    for (const text of ['', 'a /st', '/nothing', '/new-window x', '/strategy layers x', '/tmp/x'])
      expect(lines(text)).toEqual([])
  })
})
