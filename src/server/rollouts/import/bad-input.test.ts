// Files that are broken, odd or made to hurt: a clear report with places, and everything else of the file is there.

import { describe, expect, it } from 'vitest'
import {
  call,
  codex,
  events,
  items,
  message,
  output,
  read,
  records,
  said,
  words,
} from '../../../../test/setup/import-reading.ts'
import { sha256 } from '../../../lib/sha256.ts'
import { Fault } from '../../../protocol/error.ts'

describe('lines that cannot be read', () => {
  it('a last line that is cut off', async () => {
    const made = await read(codex(message('user', 'one'), message('assistant', 'two')).slice(0, -20))
    expect(said(made)).toEqual(['3: the file ends in the middle of this line'])
    expect(words(made)).toEqual(['one'])
    expect(records(made).at(-1)).toMatchObject({ line: 3, why: 'unreadable' })
  })

  it('lines that are no JSON, or JSON but no record, among others', async () => {
    const made = await read(
      codex(message('user', 'one'), 'not json', '42', '"text"', message('assistant', 'two')),
    )
    expect(said(made)).toEqual([
      '3: this is not JSON',
      '4: this is JSON, but no record',
      '5: this is JSON, but no record',
    ])
    expect(words(made)).toEqual(['one', 'two'])
    expect(
      records(made)
        .filter(({ why }) => why === 'unreadable')
        .map(({ raw }) => raw.text),
    ).toEqual(['not json', '42', '"text"'])
  })

  it('bytes that are no UTF-8', async () => {
    const bytes = Buffer.from(codex(message('user', 'caf?'), message('assistant', 'two')))
    bytes[bytes.indexOf('caf?') + 3] = 0xe9
    const made = await read(bytes)
    expect(said(made)).toEqual(['2: bytes that are no UTF-8 were replaced'])
    expect(words(made)).toEqual(['caf\ufffd', 'two'])
  })

  it('however the bytes are cut into chunks', async () => {
    const text = codex(
      message('user', 'äöü €'),
      'broken',
      call('c'),
      output('c', 'ß'),
      message('assistant', '漢字'),
    )
    const whole = await read(text)
    for (const chunk of [1, 2, 3, 7, 100]) {
      const made = await read(text, { chunk })
      expect(words(made)).toEqual(words(whole))
      expect(made.report).toEqual(whole.report)
    }
  })

  it('a mark at the beginning, line ends of other systems, empty lines', async () => {
    const made = await read(
      `\ufeff${codex(message('user', 'one'), '', message('assistant', 'two')).replaceAll('\n', '\r\n')}`,
    )
    expect(said(made)).toEqual([])
    expect(words(made)).toEqual(['one', 'two'])
    expect(made.report.lines).toBe(4)
  })

  it('a nesting of 5,000', async () => {
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
    const made = await read(
      codex(
        message('user', 'one'),
        call('c'),
        output('c').replace('"ok"', deep),
        message('assistant', 'two'),
      ),
    )
    expect(said(made)).toEqual([
      '4: nested deeper than 200 levels: what lies deeper is in the raw record only',
    ])
    expect(words(made)).toEqual(['one', 'two'])
    expect(made.report.messages.tool).toBe(1)
    expect(made.report.callsWithoutOutput).toBe(0)
  })

  it('names that every object has', async () => {
    const made = await read(
      codex(
        '{"type":"__proto__","payload":{}}',
        '{"type":"constructor","payload":{"type":"toString"}}',
        message('user', 'one'),
      ),
    )
    expect({ ...made.report.unknown }).toEqual(
      Object.fromEntries([
        ['__proto__', 1],
        ['constructor/toString', 1],
      ]),
    )
    expect(words(made)).toEqual(['one'])
  })
})

describe('large lines', () => {
  const line = async function* (bytes: number): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${codex(message('user', 'one'))}{"type":"response_item","payload":{"image":"`)
    const piece = Buffer.alloc(1_048_576, 'A')
    for (let sent = 0; sent < bytes; sent += piece.length) yield piece
    yield Buffer.from(`"}}\n${message('assistant', 'two')}\n`)
  }

  it('a picture of 100 MB in one line is kept as a blob and never held', async () => {
    const made = await read(line(100 * 1_048_576))
    expect(words(made)).toEqual(['one', 'two'])
    expect(made.large).toEqual([{ bytes: expect.any(Number) }])
    expect(made.large[0]?.bytes).toBeGreaterThan(100 * 1_048_576)
    expect(said(made)).toEqual([expect.stringMatching(/^3: a line of 104,857,\d+ bytes is kept as it is/)])
    expect(records(made).at(-1)).toMatchObject({ line: 3, raw: { blob: sha256('large') } })
    expect(made.held.most).toBeLessThan(34 * 1_048_576)
  })

  it('what is held is one line, however long the file is', async () => {
    const text = Array.from({ length: 3_000 }, (_, n) =>
      message(n % 2 ? 'assistant' : 'user', `${n} ${'x'.repeat(1_000)}`),
    )
    const made = await read(codex(...text))
    expect(made.report.messages).toMatchObject({ user: 1_500, agent: 1_500 })
    expect(made.held.most).toBeLessThan(3_000)
  })

  it('a picture in a line that is not too large is a picture', async () => {
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(300_000)])
    const content = [
      { type: 'input_text', text: 'look' },
      { type: 'input_image', image_url: `data:image/png;base64,${png.toString('base64')}` },
    ]
    const made = await read(
      codex(JSON.stringify({ type: 'response_item', payload: { type: 'message', role: 'user', content } })),
    )
    expect(items(made)[0]).toMatchObject({
      content: [
        { type: 'text', text: 'look' },
        { type: 'image', mediaType: 'image/png', blob: sha256(png), bytes: png.length },
      ],
    })
    expect(made.outputs.some(({ piece }) => piece.type === 'blob' && piece.hash === sha256(png))).toBe(true)
  })
})

describe('order and ids', () => {
  it('a result before its call, a second one, one without a call, a call without one', async () => {
    const made = await read(
      codex(
        message('user', 'one'),
        output('early', 'E'),
        call('early'),
        call('open'),
        call('a'),
        output('a', 'A'),
        output('a', 'B'),
        output('lost', 'L'),
      ),
    )
    const calls = items(made).flatMap((item) => (item.type === 'tool_call' ? [item] : []))
    expect(
      calls.map(({ callId, tool, state }) => [
        callId,
        tool,
        state.status,
        'output' in state && state.output.text,
      ]),
    ).toEqual([
      ['early', 'exec_command', 'succeeded', 'E'],
      ['a', 'exec_command', 'succeeded', 'A'],
      ['open', 'exec_command', 'interrupted', ''],
      ['a', 'unknown', 'succeeded', 'B'],
      ['lost', 'unknown', 'succeeded', 'L'],
    ])
    expect(made.report).toMatchObject({ callsWithoutOutput: 1, outputsWithoutCall: 2 })
    expect(said(made)).toEqual([
      '3: a result of the call early, which has not been made',
      '8: a second result of the call a',
      '9: a result of the call lost, which has not been made',
    ])
  })

  it('lines of the same id: the same words are told once, other words are told', async () => {
    const line = (uuid: string, parentUuid: string | null, text: string): string =>
      JSON.stringify({
        type: 'user',
        uuid,
        parentUuid,
        sessionId: 's',
        timestamp: '2026-01-01T10:00:00Z',
        message: { role: 'user', content: text },
      })
    const made = await read(
      [
        line('b', 'a', 'second'),
        line('a', null, 'first'),
        line('a', null, 'first'),
        line('a', null, 'other'),
      ].join('\n'),
    )
    expect(words(made)).toEqual(['second', 'first', 'other'])
    expect(said(made)).toEqual([
      '2: this line comes after one that follows it',
      '3: the same line was there before',
      '4: another line has the same id',
    ])
    expect(records(made)).toMatchObject([{ line: 3, why: 'doubled' }])
  })

  it('a clock that goes back', async () => {
    const made = await read(
      codex(
        message('user', 'one', '2026-01-01T12:00:00Z'),
        message('assistant', 'two', '2026-01-01T09:00:00Z'),
        message('user', 'three', 'no time at all'),
        message('assistant', 'four', '9999-99-99T99:99:99Z'),
      ),
    )
    expect(said(made)).toEqual([
      '3: the clock goes back by 10800.0 s',
      '4: no such time: "no time at all"; the one before it is taken',
      '5: no such time: "9999-99-99T99:99:99Z"; the one before it is taken',
    ])
    expect(words(made)).toEqual(['one', 'two', 'three', 'four'])
    const ends = events(made).flatMap((event) =>
      event.type === 'turn.completed' ? [event.body.durationMs] : [],
    )
    expect(ends.every((ms) => ms >= 0)).toBe(true)
  })
})

describe('other shapes of the same', () => {
  const lines = [
    { type: 'user', uuid: 'a', sessionId: 's', message: { role: 'user', content: 'one' } },
    {
      type: 'assistant',
      uuid: 'b',
      sessionId: 's',
      message: { id: 'm', role: 'assistant', content: [{ type: 'text', text: 'two' }] },
    },
  ]
  it.each([
    ['values spread over lines', lines.map((line) => JSON.stringify(line, null, 2)).join('\n')],
    ['a list', JSON.stringify(lines, null, 2)],
    ['a list on one line', JSON.stringify(lines)],
    ['values without anything between them', lines.map((line) => JSON.stringify(line, null, 1)).join('')],
  ])('%s', async (_name, text) => {
    for (const chunk of [1, 13, 65_536]) {
      const made = await read(text, { chunk })
      expect(made.report).toMatchObject({ format: 'claude-code', problemsTotal: 0 })
      expect(words(made)).toEqual(['one', 'two'])
    }
  })

  it('a document that is cut or broken', async () => {
    const text = JSON.stringify(lines, null, 2)
    const cut = await read(text.slice(0, -30))
    expect(words(cut)).toEqual(['one'])
    expect(said(cut).at(-1)).toMatch(/the file ends in the middle of a value/)
    const broken = await read(text.replace('},\n  {', '}\n oops {'))
    expect(words(broken)).toEqual(['one'])
    expect(said(broken)).toEqual([
      expect.stringMatching(/^\d+: a comma was expected: nothing after this could be read$/),
    ])
  })
})

describe('what is no rollout', () => {
  it.each([
    ['nothing', '', 'The file is empty.'],
    ['white space', ' \n\n\t', 'The file is empty.'],
    ['a letter', 'Dear Sir or Madam,\nthis is no rollout.', 'neither JSON'],
    ['bytes', Buffer.from([0, 1, 2, 250, 251, 252]), 'neither JSON'],
    ['another encoding', Buffer.from('\ufeff{"type":"user"}', 'utf16le'), 'not encoded as UTF-8'],
    ['JSON of something else', '{"name":"baton","version":"1"}', 'none of the rollout formats'],
    ['lines of something else', '{"level":"info"}\n{"level":"warn"}\n', 'none of the rollout formats'],
    ['a page', '<!doctype html><p>{"type":"user"}', 'neither JSON'],
    [
      'a broken archive',
      Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(100)]),
      'archive is broken',
    ],
  ])('%s', async (_name, given, why) => {
    const failure = await read(given).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Fault)
    expect(failure).toMatchObject({ code: 'import_rejected', message: expect.stringContaining(why) })
  })
})
